"""``irqscope note``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.results import note as notes


@click.command()
@options.DIR
@click.argument("text", required=False)
@click.option("--name", metavar="TEXT", help='What to call the run; "" takes the name away.')
@options.JSON
def note(folder: Path, text: str | None, name: str | None, as_json: bool) -> None:
    """Give a run folder a name and a note, and print those that it has.

    TEXT is the note; "" takes it away. `irqscope list` shows both. run.json never changes.
    """
    if text is None and name is None:
        found = notes.read(folder)
    else:
        found = notes.change(folder, name, text)
    if as_json:
        show.print_json({"name": found.name, "note": found.note})
        return
    for said in filter(None, (found.name, found.note)):
        show.out.print(said, markup=False, soft_wrap=True)
