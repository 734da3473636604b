"""``irqscope table``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

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
    help="How it is written.  [default: by the ending of --out, else md; without --out as text]",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="File to write.")
def table(folder: Path, how: str | None, out: Path | None) -> None:
    """Print the runs of a suite's folder, or all below DIR, as one table.

    As text, a value that all rows share is printed once, and a column without values is left out.

    One row for each channel of each run: values of the suite's matrix, N, minimum, quantiles with
    their intervals, maximum, verdict, independence. docs/run-folder.md says what each column is.
    """
    if not folder.is_dir():
        raise StorageError(f"there is no folder {folder}; name one that holds run folders")
    ending = "" if out is None else out.suffix.removeprefix(".")
    as_text = out is None and how is None
    how = how or (ending if ending in tables.FORMATS else "md")
    if out is not None:
        require_replaceable(out, tables.KINDS[how])
    content = tables.table(folder)
    if as_text:
        _print(content)
        return
    text = tables.written(content, how)
    if out is not None:
        replace(out, lambda file: file.write(text))
        show.err.print(f"{content.num_rows} rows in {out}", soft_wrap=True, markup=False)
        return
    if how == "parquet" and sys.stdout.isatty():
        raise ExperimentError("--format parquet: a terminal cannot show it; give --out FILE")
    click.echo(text, nl=False)


def _print(content: Any) -> None:
    """Prints a table for a reader: what all rows share once, then what they do not."""
    rows = content.to_pylist()
    show.print_line(f"{len(rows)} rows", style="bold")
    shared = {
        name
        for name in content.column_names[1:]
        if len(rows) > 1 and len({row[name] for row in rows}) == 1
    }
    for name in content.column_names:
        if name in shared and rows[0][name] not in (None, ""):
            show.print_line(f"{name}: {rows[0][name]}")
    heads = [
        name
        for name in content.column_names
        if name not in shared and any(row[name] not in (None, "") for row in rows)
    ]
    cells = [["" if row[name] is None else str(row[name]) for name in heads] for row in rows]
    show.print_table(heads, cells)
