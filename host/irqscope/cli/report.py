"""``irqscope report``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import options, show


@click.command()
@options.DIR
@options.JSON
def report(folder: Path, as_json: bool) -> None:
    """Write the report of a run folder anew.

    DIR/report.html is one page that opens without network; prints its path.
    """
    from irqscope.report import write_report  # here: its plotting library takes a second to load

    path = write_report(folder)
    if as_json:
        show.print_json({"report": str(path)})
    else:
        show.out.print(str(path), soft_wrap=True)
