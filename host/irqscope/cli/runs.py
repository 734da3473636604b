"""``irqscope list``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import defaults, options, show
from irqscope.errors import ExperimentError, StorageError
from irqscope.report.folders import COLUMNS, Entry, differences, entries
from irqscope.report.table import table

_FOLDER, _DIFFERS = "folder", "differs"
#: Names of columns as `--columns` takes them.
_NAMES = {name.partition(",")[0]: name for name in COLUMNS} | {
    name: name for name in (_FOLDER, _DIFFERS)
}
_USUAL = (_FOLDER, _DIFFERS, "p50, ns", "max, ns", "verdict")


@click.command(name="list")
@click.argument("folder", type=click.Path(path_type=Path), metavar="[DIR]", required=False)
@click.option(
    "--columns",
    "wanted",
    metavar="NAME,...",
    help=f"Columns to show, of {', '.join(_NAMES)}.  [default: folder,differs,p50,max,verdict]",
)
@options.JSON
def list_runs(folder: Path | None, wanted: str | None, as_json: bool) -> None:
    """List the run folders below DIR (default: runs), the latest first.

    "differs" holds name, tags and note, and of case, source and N what is not the same in all.
    With --json: the rows of `irqscope table`.
    """
    folder = folder or defaults.runs()
    columns = _USUAL if wanted is None else _chosen(wanted)
    if not folder.is_dir():
        raise StorageError(f"there is no folder {folder}; name one that holds run folders")
    if as_json:
        show.print_json(table(folder).to_pylist())
        return
    listed = entries(folder)
    differing = differences(listed)

    def cell(entry: Entry, differs: str, name: str) -> str:
        if name == _FOLDER:
            return str(entry.path.relative_to(folder))
        return differs if name == _DIFFERS else entry.cells[name]

    rows = [
        [cell(entry, differs, name) for name in columns]
        for entry, differs in zip(listed, differing, strict=True)
    ]
    show.print_table(columns, rows)


def _chosen(text: str) -> tuple[str, ...]:
    """Returns the columns that are named. Raises ExperimentError."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in _NAMES:
            raise ExperimentError(
                f"--columns: there is no column {name!r}; name some of {', '.join(_NAMES)}"
            )
    return tuple(_NAMES[name] for name in names)
