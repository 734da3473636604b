"""``irqscope tail``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from irqscope.cli import options, show
from irqscope.errors import ExperimentError
from irqscope.report import tail_text
from irqscope.report.tail import of_run
from irqscope.results.reader import read_unchanged


@click.command()
@options.DIR
@options.JSON
def tail(folder: Path, as_json: bool) -> None:
    """Compare the longest latencies of a run folder with what its first 10,000 stimuli foretold.

    It uses a fit of extreme values, with the reasons why it is refused, and order statistics.
    """
    run = read_unchanged(folder)
    prediction = of_run(run)
    if isinstance(prediction, str):
        raise ExperimentError(f"{folder}: {prediction}")
    if as_json:
        verdicts = [row.verdict for row in prediction.rows]
        show.print_json(asdict(prediction) | {"verdicts": verdicts})
        return
    hz = run.run.tick_hz
    name = f"{run.run.experiment.name} on {run.run.label}"
    rows = [tail_text.cells(row, hz) for row in prediction.rows]
    show.print_table(tail_text.header(hz), rows, f"{name}: {tail_text.title(prediction)}")
    for note in tail_text.notes(prediction, hz):
        show.print_line(note)
