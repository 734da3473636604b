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
        current = notes.mark(folder, at, end, text or "")
    elif until is not None:
        raise click.UsageError("--until goes with --at")
    elif text is None and name is None:
        current = notes.read(folder)
    else:
        current = notes.change(folder, name, text)
    if as_json:
        show.print_json(current.model_dump(exclude={"format"}))
        return
    marks = (": ".join(wording.moment(mark)) for mark in current.marks)
    for text_line in filter(None, (current.name, current.note, *marks)):
        show.out.print(text_line, markup=False, soft_wrap=True)
