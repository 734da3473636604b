"""``irqscope list``."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from irqscope.cli import defaults, options, show
from irqscope.errors import StorageError
from irqscope.report.folders import COLUMNS, entries
from irqscope.report.table import table

_RARE = ("tags", "note")


@click.command(name="list")
@click.argument("folder", type=click.Path(path_type=Path), metavar="[DIR]", required=False)
@options.JSON
def list_runs(folder: Path | None, as_json: bool) -> None:
    """List the run folders below DIR, the latest first.  [default: runs]

    With --json: the rows of `irqscope table`.
    """
    folder = folder or defaults.runs()
    if not folder.is_dir():
        raise StorageError(f"there is no folder {folder}; name one that holds run folders")
    if as_json:
        show.print_json(table(folder).to_pylist())
        return
    found = entries(folder)
    # Few runs have tags and notes; a column that says nothing takes room from the others.
    columns = [name for name in COLUMNS if any(e.cells[name] for e in found) or name not in _RARE]
    shown = Table(*columns, "folder")
    for entry in found:
        cells = [*(entry.cells[name] for name in columns), str(entry.path.relative_to(folder))]
        shown.add_row(*(escape(cell) for cell in cells))
    show.out.print(shown)
