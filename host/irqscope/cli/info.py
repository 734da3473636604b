"""``irqscope info``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.results.reader import read


@click.command()
@options.DIR
@options.JSON
def info(folder: Path, as_json: bool) -> None:
    """Show what a run folder holds, and how the run ended."""
    run = read(folder)
    if as_json:
        run.require_unchanged()
        rows = run.samples().num_rows
        background = {"cut_short": run.cut_short, "sample_rows": rows}
        show.print_json(run.run.model_dump(mode="json") | background)
        return
    show.print_run(run.run)
    run.require_unchanged()
    show.out.print(f"samples: {run.samples().num_rows} rows", soft_wrap=True)
    show.out.print(f"ended: {run.ending}", soft_wrap=True, markup=False)
