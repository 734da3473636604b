"""``irqscope masked``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from irqscope.cli import options, show
from irqscope.errors import ExperimentError
from irqscope.report.wording import number, unit
from irqscope.results.reader import read_unchanged


@click.command()
@options.DIR
@options.JSON
def masked(folder: Path, as_json: bool) -> None:
    """List the intervals in which line 0's interrupt could not have been taken.

    Of a run of a program with `masked = true`. First is the instruction that is executed first in
    an interval: in the function that masks, or the entry of a trap. Last is the one that unmasks.
    Lengths are those in which the core was awake: cycles, or on a twin ns.
    """
    run = read_unchanged(folder).run
    if run.masked is None:
        raise ExperimentError(f"{folder}: its run made no masked map; write masked = true")
    if as_json:
        show.print_json([one.model_dump(mode="json") for one in run.masked])
        return
    table = Table(
        title=f"{escape(run.experiment.name)} on {escape(run.label)}: masked, {unit(run.tick_hz)}",
        title_justify="left",
    )
    for name in ("least", "greatest", "times"):
        table.add_column(name, justify="right")
    table.add_column("first")
    table.add_column("called from")
    table.add_column("last")
    for one in run.masked:
        least, greatest = (number(n, run.tick_hz) for n in (one.least_ticks, one.greatest_ticks))
        row = (least, greatest, one.count)
        table.add_row(*map(str, row), escape(one.opened), escape(one.caller), escape(one.closed))
    show.out.print(table)
