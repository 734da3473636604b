"""``irqscope worst``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from irqscope.cli import options, show
from irqscope.results.reader import read_unchanged
from irqscope.results.record import RunRecord
from irqscope.results.samples import Samples, flags
from irqscope.units import ticks_to_ns

_COLUMNS = ("index", "time, s", "latency, ns", "channel", "core", "timer tick phase, us", "flags")


@click.command()
@options.DIR
@click.option(
    "--most",
    type=options.Whole(1),
    default=16,
    show_default=True,
    metavar="N",
    help="How many to list, at most.",
)
@options.JSON
def worst(folder: Path, most: int, as_json: bool) -> None:
    """List the stimuli of a run folder that took longest.

    Those without an answer come first. The index is what `irqscope export --around` takes.
    """
    read_unchanged(folder)
    of = Samples(folder)
    of.update()
    rows = of.worst(most).to_pylist()
    if as_json:
        show.print_json(rows)
        return
    run = of.run
    table = Table(
        title=f"{escape(run.experiment.name)} on {escape(run.label)}: "
        f"{len(rows)} of {len(of)} samples",
        title_justify="left",
    )
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*_cells(run, row))
    show.out.print(table)


def _cells(run: RunRecord, row: dict[str, Any]) -> tuple[str, ...]:
    hz = run.tick_hz
    latency, phase = row["latency_ticks"], row["timer_tick_phase_ticks"]
    return (
        "-" if row["index"] is None else str(row["index"]),
        f"{row['time_ticks'] / hz:.6f}",
        "-" if latency is None else f"{ticks_to_ns(latency, hz)}",
        str(row["channel"]),
        "-" if row["core"] is None else str(row["core"]),
        "-" if phase is None else f"{phase / hz * 1e6:.1f}",
        ", ".join(flags(run, row)),
    )
