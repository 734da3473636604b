"""What the terminal shows of results: a run's table, JSON, and where a report is."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from irqscope.errors import IrqscopeError, one_line, printable, shortened
from irqscope.machines.program_file import demangled
from irqscope.report import summary, wording
from irqscope.report.telling import Row
from irqscope.results.functions import Answer, Spent, found_in
from irqscope.results.record import RunRecord

#: Columns of what is no terminal: nothing is cut or broken that a program reads.
_UNCUT = 4096


class _Terminal(Console):
    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(shortened(printable(text)), **how)


out = _Terminal(
    highlight=False,
    width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _UNCUT,
)
#: Progress and errors stay out of what programs read.
err = _Terminal(stderr=True, highlight=False)


def quiet(wanted: bool) -> None:
    """Whether tables and progress are left out; JSON and errors are not."""
    out.quiet = err.quiet = wanted


def failure(error: object) -> None:
    """Prints why a command did not do all that it was asked for, also where it is quiet."""
    print(f"irqscope: {one_line(str(error))}", file=sys.stderr)


def print_json(value: Any) -> None:
    """Prints JSON without colours, for programs."""
    print(json.dumps(value, indent=2))


def print_run(run: RunRecord) -> None:
    """Prints the one table of a run."""
    channels = [wording.channel(run, stats.channel) for stats in run.stats]
    table = Table(
        title=escape(f"{run.experiment.name} on {run.label}"),
        title_justify="left",
        show_header=len(channels) > 1,
    )
    table.add_column("", no_wrap=True)
    for name in channels if len(channels) > 1 else [""]:
        table.add_column(escape(name), overflow="fold")
    width = max(1, len(channels))
    whole: list[Row] = []
    for row in summary.table(run):
        if len(row.cells) == width:
            style = "bold red" if row.name == "verdict" and not run.valid else None
            table.add_row(row.name, *map(escape, row.cells), style=style)
        else:
            whole.append(row)
    out.print(table)
    for row in whole:
        out.print(f"[bold]{row.name}[/]: {escape(row.cells[0])}", soft_wrap=True)


def print_functions(run: RunRecord, found: Sequence[Answer]) -> None:
    """Prints where the longest of a program's answers spent its time, and the middle one."""
    if not found:
        return
    longest, typical = found[0], found[len(found) // 2]
    table = Table(
        title=f"by function: the longest answer, to stimulus {longest.stimulus}, and the middle "
        f"one, to {typical.stimulus}",
        title_justify="left",
    )
    unit, scale = wording.unit(run.tick_hz), wording.per_tick(run.tick_hz)
    table.add_column("function")
    for name in ("instructions", unit, "instructions", unit, f"more {unit}"):
        table.add_column(name, justify="right")

    def row(name: str, one: Spent, other: Spent) -> tuple[str, ...]:
        times = (one.ticks * scale, other.ticks * scale, (one.ticks - other.ticks) * scale)
        a, b, more = (f"{time:.0f}" for time in times)
        return (
            escape(demangled(name) or name),
            str(one.instructions),
            a,
            str(other.instructions),
            b,
            more,
        )

    for name in found_in(longest, typical):
        table.add_row(*row(name, longest.of(name), typical.of(name)))
    table.add_section()
    table.add_row(*row("in all", longest.whole, typical.whole))
    out.print(table)


def made_report(folder: Path) -> Path | None:
    """The report is made from the folder; a folder without it is still whole."""
    from irqscope.report.page import (
        write_report,  # here: its plotting library takes a second to load
    )

    try:
        return write_report(folder)
    except IrqscopeError as error:
        err.print(f"irqscope: no report: {error}", soft_wrap=True, markup=False)
        return None


def report(folder: Path) -> None:
    """Makes the report of a run folder and says where it is."""
    if (path := made_report(folder)) is not None:
        err.print(f"report: {path}", soft_wrap=True)
