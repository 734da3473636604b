"""``irqscope report``."""

from __future__ import annotations

from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.results import sensitivity_record


@click.command()
@options.DIR
@options.JSON
def report(folder: Path, as_json: bool) -> None:
    """Rewrite the report of a run folder, or the page of a sensitivity's folder.

    DIR/report.html (DIR/sensitivity.html) is one page that opens without network; prints its path.
    """
    # Here: their plotting library takes a second to load.
    from irqscope.report.page import write_report
    from irqscope.report.sensitivity import write_sensitivity

    if (folder / sensitivity_record.FILE).exists():
        path = write_sensitivity(folder, sensitivity_record.read(folder))
    else:
        path = write_report(folder)
    if as_json:
        show.print_json({"report": str(path)})
    else:
        show.out.print(str(path), soft_wrap=True)
