"""``irqscope masked``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.errors import ExperimentError
from irqscope.report.wording import number, unit
from irqscope.results.reader import read_unchanged
from irqscope.units import ticks_to_ns


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
    if run.capture is not None:
        raise ExperimentError(f"{folder}: another instrument measured it, which sees no masks")
    if run.masked is None:
        raise ExperimentError(f"{folder}: its run made no masked map; write masked = true")
    if as_json:
        hz = run.tick_hz
        clock = {"tick_hz": int(hz)}
        show.print_json(
            [
                one.model_dump(mode="json")
                | clock
                | {
                    "least_ns": ticks_to_ns(one.least_ticks, hz),
                    "greatest_ns": ticks_to_ns(one.greatest_ticks, hz),
                }
                for one in run.masked
            ]
        )
        return
    rows = [
        (
            *(str(number(n, run.tick_hz)) for n in (one.least_ticks, one.greatest_ticks)),
            str(one.count),
            one.opened,
            one.caller,
            one.closed,
        )
        for one in run.masked
    ]
    heads = ("least", "greatest", "times", "first", "called from", "last")
    show.print_table(
        heads, rows, f"{run.experiment.name} on {run.label}: masked, {unit(run.tick_hz)}"
    )
