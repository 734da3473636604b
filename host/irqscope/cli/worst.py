"""``irqscope worst``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from irqscope.cli import options, show
from irqscope.errors import ExperimentError
from irqscope.kinds.loss.schema import Loss
from irqscope.report import summary
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
    if read_unchanged(folder).run.experiment.part(Loss) is not None:
        raise ExperimentError(
            f"{folder} is a loss map and has no latencies; `irqscope info` shows its map"
        )
    of = Samples(folder)
    of.update()
    rows = of.worst(most).to_pylist()
    run = of.run
    if as_json:
        show.print_json([row | _in_ns(run.tick_hz, row) for row in rows])
        return
    if not len(of) and run.experiment.samples.which == "none":
        show.print_headline(summary.headline(run))
        why = "a histogram counts stimuli by their latency" if run.capture else 'samples = "none"'
        show.print_line(f"no single stimuli are kept: {why}")
        return
    show.print_headline(f"{summary.headline(run)}; the longest {len(rows)} of {len(of)} samples")
    # A column without a value takes room from the others.
    cells = [_COLUMNS, *(_cells(run, row) for row in rows)]
    columns = [
        column for column in zip(*cells, strict=True) if any(t not in "-" for t in column[1:])
    ]
    heads, *lines = zip(*columns, strict=True) if columns else [()]
    show.print_table(heads, lines)


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


def _in_ns(hz: int, row: dict[str, Any]) -> dict[str, int | None]:
    """Returns the rate of the ticks, and each time of a row in ns, next to that in ticks."""
    times = {
        f"{name.removesuffix('_ticks')}_ns": None if value is None else ticks_to_ns(value, hz)
        for name, value in row.items()
        if name.endswith("_ticks")
    }
    return {"tick_hz": int(hz)} | times
