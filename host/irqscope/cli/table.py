"""``irqscope table``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from irqscope.cli import show
from irqscope.errors import ExperimentError, StorageError
from irqscope.files import replace, require_replaceable
from irqscope.report import table as tables


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="SUITE|DIR")
@click.option(
    "--format",
    "how",
    type=click.Choice(tables.FORMATS),
    help="How it is written.  [default: by the ending of --out, else md]",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="File to write.")
def table(folder: Path, how: str | None, out: Path | None) -> None:
    """Print the runs of a suite's folder, or all below DIR, as one table.

    One row for each channel of each run: values of the suite's matrix, N, minimum, quantiles with
    their intervals, maximum, verdict, independence. docs/run-folder.md says what each column is.
    """
    if not folder.is_dir():
        raise StorageError(f"there is no folder {folder}; name one that holds run folders")
    ending = "" if out is None else out.suffix.removeprefix(".")
    how = how or (ending if ending in tables.FORMATS else "md")
    if out is not None:
        require_replaceable(out, tables.KINDS[how])
    found = tables.table(folder)
    text = tables.written(found, how)
    if out is not None:
        replace(out, lambda file: file.write(text))
        show.err.print(f"{found.num_rows} rows in {out}", soft_wrap=True, markup=False)
        return
    if how == "parquet" and sys.stdout.isatty():
        raise ExperimentError("--format parquet: a terminal cannot show it; give --out FILE")
    click.echo(text, nl=False)
