"""What reaches the terminal."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from irqscope import summary

out = Console(highlight=False)
#: Progress and errors stay out of what programs read.
err = Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Plain, for programs."""
    print(json.dumps(value, indent=2))


def print_run(run: dict[str, Any]) -> None:
    """The one table of a run."""
    channels = [str(stats["channel"]) for stats in run["stats"]]
    table = Table(
        title=f"{run['experiment']['name']} on {summary.label(run)}",
        title_justify="left",
        show_header=len(channels) > 1,
    )
    table.add_column("", no_wrap=True)
    for name in channels if len(channels) > 1 else [""]:
        table.add_column(f"channel {name}" if name else "", overflow="fold")
    width = max(1, len(channels))
    whole: list[summary.Row] = []
    for row in summary.table(run):
        if len(row.cells) == width:
            style = "bold red" if row.name == "verdict" and not run["valid"] else None
            table.add_row(row.name, *map(escape, row.cells), style=style)
        else:
            whole.append(row)
    out.print(table)
    for row in whole:
        out.print(f"[bold]{row.name}[/]: {escape(row.cells[0])}", soft_wrap=True)


class Bar:
    """Progress on stderr while a run goes on: what is done now, and stimuli so far."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[stimuli]}"),
            TimeRemainingColumn(),
            console=err,
            transient=err.is_terminal,
        )
        self._task = self._progress.add_task("start", total=None, stimuli="")

    def step(self, text: str) -> None:
        """What is done now."""
        self._progress.update(self._task, description=text)

    def advance(self, done: int, of: int) -> None:
        """Stimuli so far."""
        self._progress.update(self._task, completed=done, total=of, stimuli=f"{done}/{of} stimuli")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()
