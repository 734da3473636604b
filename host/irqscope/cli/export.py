"""``irqscope export``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.results.export import export as write
from irqscope.results.reader import read


@click.command()
@options.DIR
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option(
    "--around",
    type=click.IntRange(min=0),
    metavar="INDEX",
    help="Only this sample and its neighbours; the first one of a run has index 0.",
)
@click.option(
    "--events",
    type=click.IntRange(min=0),
    default=16,
    show_default=True,
    metavar="N",
    help="Neighbours on each side with --around.",
)
@options.JSON
def export(folder: Path, file: Path, around: int | None, events: int, as_json: bool) -> None:
    """Write the samples of a run folder into FILE, by its ending CSV, Parquet or VCD."""
    window = None if around is None else range(max(0, around - events), around + events + 1)
    rows = write(read(folder), file, window)
    if as_json:
        show.print_json({"file": str(file), "rows": rows})
    else:
        show.out.print(f"{rows} samples in {file}", soft_wrap=True, markup=False)
