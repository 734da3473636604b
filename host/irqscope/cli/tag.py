"""``irqscope tag``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.results import note


@click.command(context_settings={"ignore_unknown_options": True})
@options.DIR
@click.argument("tags", nargs=-1, type=click.UNPROCESSED, metavar="[+TAG|-TAG]...")
def tag(folder: Path, tags: tuple[str, ...]) -> None:
    """Add tags to a run folder, take them away, and print those that it has."""
    current = note.change(folder, tags=tags) if tags else note.read(folder)
    for one in current.tags:
        show.out.print(one, markup=False)
