"""Output of results on the terminal: a run's table, JSON, and the path of a report."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from irqscope.cli.layout import columns, wrap
from irqscope.errors import IrqscopeError, one_line, printable, shortened
from irqscope.machines.program_file import demangled
from irqscope.report import lost_text, summary, wording
from irqscope.report.telling import Row
from irqscope.results.functions import Answer, Spent, found_in
from irqscope.results.lost import lost_between_lines
from irqscope.results.reader import Run
from irqscope.results.record import RunRecord

#: Most columns of a file or a pipe, such as the log of a CI service.
_WIDEST = 100
#: Longest cell in a table of channels; longer ones are text below it.
_LONGEST_CELL = 28
_TICKS = re.compile(r" \([0-9]+ ticks?\)")
#: A value, and what a longer text adds to it.
_VALUE = re.compile(
    r"((?:at least |more than |within |open: )?[0-9](?:\[[^]]*\]|[^;,:[])*)[;,:] (.*)"
)


class _Terminal(Console):
    def render_str(self, text: str, **how: Any) -> Text:
        return super().render_str(shortened(printable(text)), **how)


out = _Terminal(
    highlight=False,
    width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDEST,
)
#: Progress and errors stay out of what programs read.
err = _Terminal(stderr=True, highlight=False)


def quiet(is_quiet: bool) -> None:
    """Whether all but headlines is left out; JSON and errors are not."""
    out.quiet = err.quiet = is_quiet


def failure(error: object) -> None:
    """Prints why a command did not do all that it was asked for, also where it is quiet."""
    print(f"irqscope: {one_line(str(error))}", file=sys.stderr)


def print_json(value: Any) -> None:
    """Prints JSON without colours, for programs."""
    print(json.dumps(value, indent=2))


def width() -> int:
    """Return how many columns a line may have."""
    return out.width if out.is_terminal else min(out.width, _WIDEST)


def print_line(text: str, style: str | None = None) -> None:
    """Prints a text, wrapped between words."""
    for line in wrap(shortened(printable(text)), width()):
        out.print(line, soft_wrap=True, markup=False, style=style)


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Prints a table without boxes, wrapped by its columns."""
    if title:
        print_line(title, style="bold")
    cells = [[shortened(printable(cell)) for cell in row] for row in rows]
    head = True
    for line in columns(heads, cells, width()):
        out.print(line, soft_wrap=True, markup=False, style="bold" if head else None)
        head = not line


def print_headline(text: str) -> None:
    """Prints what tells a result in one line; where it is quiet that line alone."""
    if out.quiet:
        print(printable(text))
    else:
        print_line(text, style="bold")


def print_run(run: RunRecord) -> None:
    """Prints a run: its headline, then all of it.

    A value of the whole run is a line `key: value`. Several channels have a table with a row for
    each; longer texts follow below, once for all channels with the same text.
    """
    print_headline(summary.headline(run))
    rows = summary.table(run)
    if len(run.stats) > 1:
        each = [row for row in rows if len(row.cells) == len(run.stats)]
        rows = [row for row in rows if row not in each]
        rows[-1:-1] = _print_channels(run, each)
    for row in rows:
        style = "bold red" if row.name == "verdict" and not run.valid else None
        print_line(f"{row.name}: {row.cells[0]}", style=style)


def _print_channels(run: RunRecord, rows: Sequence[Row]) -> list[Row]:
    """Prints a row for each channel, and returns what is too long for a table."""
    heads, cells, long = ["channel", "from, to"], list[tuple[str, ...]](), list[Row]()
    names = [str(stats.channel) for stats in run.stats]
    spans = [wording.channel(run, stats.channel).partition(": ")[2] for stats in run.stats]
    cells += [tuple(names), tuple(spans)]
    for row in rows:
        short, rest = tuple(_TICKS.sub("", cell) for cell in row.cells), row.cells
        parts = [_VALUE.fullmatch(cell) for cell in short]
        if max(map(len, short)) <= _LONGEST_CELL:
            rest = ()
        elif any(parts):
            values = tuple(
                part[1] if part else cell for part, cell in zip(parts, short, strict=True)
            )
            if max(map(len, values)) <= _LONGEST_CELL:
                rest = tuple(part[2] if part else "" for part in parts)
                short = values
        if rest != row.cells:
            heads.append(row.name)
            cells.append(short)
        for text in dict.fromkeys(rest):
            of = [name for name, cell in zip(names, rest, strict=True) if cell == text]
            which = "each channel" if len(of) == len(names) else f"channel {', '.join(of)}"
            if text:
                long.append(Row(f"{row.name}, {which}", (text,)))
    print_table(heads, list(zip(*cells, strict=True)))
    return long


def print_lost(run: Run) -> None:
    """Prints when each of several lines had no answer, by the offset from another line."""
    for lost in lost_between_lines(run):
        print_line(f"lost: {lost_text.sentence(lost, run.run.tick_hz)}")


def print_functions(run: RunRecord, answers: Sequence[Answer]) -> None:
    """Prints where the longest of a program's answers spent its time, and the middle one."""
    if not answers:
        return
    longest, typical = answers[0], answers[len(answers) // 2]
    unit, scale = wording.unit(run.tick_hz), wording.per_tick(run.tick_hz)
    heads = ["function", "instructions", unit, "middle: instructions", unit, f"more {unit}"]

    def row(name: str, one: Spent, other: Spent) -> tuple[str, ...]:
        times = (one.ticks * scale, other.ticks * scale, (one.ticks - other.ticks) * scale)
        a, b, more = (f"{time:.0f}" for time in times)
        return (name, str(one.instructions), a, str(other.instructions), b, more)

    rows = [
        row(demangled(name) or name, longest.of(name), typical.of(name))
        for name in found_in(longest, typical)
    ]
    print_table(
        heads,
        [*rows, row("in all", longest.whole, typical.whole)],
        f"by function: the longest answer, to stimulus {longest.stimulus}, and the middle one, "
        f"to {typical.stimulus}",
    )


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
