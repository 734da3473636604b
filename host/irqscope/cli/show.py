"""What reaches the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from irqscope import summary
from irqscope.errors import IrqscopeError
from irqscope.printable import printable
from irqscope.results.record import RunRecord


class _Terminal(Console):
    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(printable(text), **how)


out = _Terminal(highlight=False)
#: Progress and errors stay out of what programs read.
err = _Terminal(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Prints JSON without colours, for programs."""
    print(json.dumps(value, indent=2))


def print_run(run: RunRecord) -> None:
    """Prints the one table of a run."""
    channels = [str(stats.channel) for stats in run.stats]
    table = Table(
        title=escape(f"{run.experiment.name} on {run.label}"),
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
            style = "bold red" if row.name == "verdict" and not run.valid else None
            table.add_row(row.name, *map(escape, row.cells), style=style)
        else:
            whole.append(row)
    out.print(table)
    for row in whole:
        out.print(f"[bold]{row.name}[/]: {escape(row.cells[0])}", soft_wrap=True)


def made_report(folder: Path) -> Path | None:
    """The report is made from the folder; a folder without it is still whole."""
    from irqscope.report import write_report  # here: its plotting library takes a second to load

    try:
        return write_report(folder)
    except IrqscopeError as error:
        err.print(f"irqscope: no report: {error}", soft_wrap=True, markup=False)
        return None


def report(folder: Path) -> None:
    """Makes the report of a run folder and says where it is."""
    if (path := made_report(folder)) is not None:
        err.print(f"report: {path}", soft_wrap=True)


class _Shown:
    """A progress that is shown while it is entered."""

    _progress: Progress

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


class Bar(_Shown):
    """Progress on stderr: what is done now, and stimuli, or another ``unit``, so far."""

    def __init__(self, unit: str = "stimuli", **options: Any) -> None:
        self._unit = unit
        self._progress = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[text]}"),
            TimeRemainingColumn(),
            console=err,
            transient=err.is_terminal,
            **options,
        )
        self._run = self._progress.add_task("start", total=None, text="")

    def step(self, text: str) -> None:
        """Shows what is done now."""
        self._progress.update(self._run, description=text)

    def advance(self, done: int, of: int) -> None:
        """Shows how many of how many are done."""
        text = f"{done}/{of} {self._unit}"
        self._progress.update(self._run, completed=done, total=of, text=text)


class TotalBar(_Shown):
    """Progress of many runs: a bar for each under way, below them all with the time left."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[text]}"),
            TimeRemainingColumn(),
            console=err,
            transient=err.is_terminal,
            speed_estimate_period=600.0,  # runs differ: judge by many of them
        )
        self._total = self._progress.add_task("all", total=None, text="")
        self._efforts: dict[str, float] = {}
        self._runs: dict[str, RunBar] = {}
        self._over: set[str] = set()

    def plan(self, efforts: dict[str, float]) -> None:
        """What will be run; the bar's share of each is its effort in seconds."""
        self._efforts = efforts
        self._progress.update(self._total, total=sum(efforts.values()), completed=0)

    def begin(self, name: str) -> RunBar:
        """Adds a bar for a run that begins."""
        self._runs[name] = RunBar(self._progress, name, self.told)
        self.told()
        return self._runs[name]

    def finish(self, name: str) -> None:
        """Takes away the bar of a run that is over, or that will begin anew."""
        self._runs.pop(name).close()
        self._over.add(name)
        self.told()

    def say(self, text: str) -> None:
        """Prints one line above the bars."""
        self._progress.console.print(text, soft_wrap=True, markup=False)

    def step(self, text: str) -> None:
        """Shows what is done when all runs are over."""
        self._progress.update(self._total, description=text)

    def told(self) -> None:
        """Adds the shares of all runs up and shows the sum."""
        self._over -= self._runs.keys()
        done = sum(self._efforts[name] for name in self._over)
        done += sum(self._efforts[name] * bar.share for name, bar in self._runs.items())
        number = len(self._over) + len(self._runs)
        self._progress.update(
            self._total, completed=done, text=f"run {number} of {len(self._efforts)}"
        )


class RunBar:
    """The bar of one run among many. ``share``: how much of its stimuli is done."""

    def __init__(self, progress: Progress, name: str, told: Callable[[], None]) -> None:
        self.share = 0.0
        self._progress = progress
        self._told = told
        self._task = progress.add_task(name, total=None, text="")

    def step(self, text: str) -> None:
        """Shows what the run does now."""
        self._progress.update(self._task, text=text)

    def advance(self, done: int, of: int) -> None:
        """Shows how many of the run's stimuli are done."""
        self.share = done / of
        self._progress.update(self._task, completed=done, total=of, text=f"{done}/{of} stimuli")
        self._told()

    def close(self) -> None:
        """Takes the bar away, as the run is over."""
        self._progress.remove_task(self._task)
