"""``irqscope merge``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.campaign import merge as merging
from irqscope.cli import defaults, options, show
from irqscope.errors import ExitCode
from irqscope.results.folder import new_folder


@click.command()
@click.argument(
    "folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR DIR..."
)
@options.OUT
@options.JSON
def merge(folders: tuple[Path, ...], out: Path | None, as_json: bool) -> int:
    """Add runs of one experiment with different seeds to one run, exactly."""
    path = out or new_folder("merged", defaults.runs())
    record = merging.merge(folders, path)
    if as_json:
        show.print_json(record.model_dump(mode="json"))
    else:
        show.print_run(record)
    show.err.print(f"run folder: {path}", soft_wrap=True)
    show.report(path)
    return ExitCode.VALID if record.valid else ExitCode.INVALID
