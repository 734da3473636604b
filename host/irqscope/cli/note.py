"""``irqscope note``."""

from __future__ import annotations

import math
from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.report import wording
from irqscope.results import note as notes


@click.command()
@options.DIR
@click.argument("text", required=False)
@click.option("--name", metavar="TEXT", help='What to call the run; "" takes the name away.')
@click.option("--at", type=float, metavar="S", help="TEXT is on this time of the trace, s.")
@click.option("--until", type=float, metavar="S", help="TEXT is on all from --at to here, s.")
@options.JSON
def note(
    folder: Path,
    text: str | None,
    name: str | None,
    at: float | None,
    until: float | None,
    as_json: bool,
) -> None:
    """Give a run folder a name and notes, and print those that it has.

    TEXT is the note; "" takes it away. `irqscope list` shows both. run.json never changes.
    """
    if at is not None:
        end = at if until is None else until
        if not at <= end < math.inf:
            raise click.UsageError(f"--until {end} is not after --at {at}")
        found = notes.mark(folder, at, end, text or "")
    elif until is not None:
        raise click.UsageError("--until goes with --at")
    elif text is None and name is None:
        found = notes.read(folder)
    else:
        found = notes.change(folder, name, text)
    if as_json:
        show.print_json(found.model_dump(exclude={"format"}))
        return
    marks = (": ".join(wording.moment(mark)) for mark in found.marks)
    for said in filter(None, (found.name, found.note, *marks)):
        show.out.print(said, markup=False, soft_wrap=True)
