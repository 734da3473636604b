"""One plot of a run as a file for a document of one's own."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import ExperimentError
from irqscope.report.page import plots_of
from irqscope.results.reader import Run


def save_picture(run: Run, path: Path, plot: str) -> str:
    """Writes a plot of the report, PNG or SVG by the ending of ``path``; returns its title.

    ``plot``: how its title begins, whatever the case. Raises ExperimentError where there is none,
    StorageError.
    """
    drawings = {title: drawing for title, _, drawing in plots_of(run)}
    for title, drawing in drawings.items():
        if title.lower().startswith(plot.lower()):
            drawing.save(path)
            return title
    there = ", ".join(title.lower() for title in drawings) or "none, for it measured nothing"
    raise ExperimentError(f'{run.path} has no plot "{plot}"; there is {there}')
