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
@options.JSON
def export(folder: Path, file: Path, as_json: bool) -> None:
    """Write the samples of a run folder into FILE, by its ending CSV or Parquet."""
    rows = write(read(folder), file)
    if as_json:
        show.print_json({"file": str(file), "rows": rows})
    else:
        show.out.print(f"{rows} samples in {file}", soft_wrap=True, markup=False)
