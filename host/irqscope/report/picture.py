"""One plot of a run as a file for a document of one's own."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import ExperimentError
from irqscope.report import kinds
from irqscope.report.plots import phases
from irqscope.results.phase import of_period
from irqscope.results.reader import Run
from irqscope.units import Duration


def save_picture(run: Run, path: Path, plot: str) -> str:
    """Writes a plot of the report, PNG or SVG by the ending of ``path``; returns its title.

    ``plot``: how its title begins, whatever the case. Raises ExperimentError where there is none,
    StorageError.
    """
    drawings = {title: drawing for title, _, drawing in kinds.of_run(run.run).plots(run)}
    for title, drawing in drawings.items():
        if title.lower().startswith(plot.lower()):
            drawing.save(path)
            return title
    there = ", ".join(title.lower() for title in drawings) or "none, for it measured nothing"
    raise ExperimentError(f'{run.path} has no plot "{plot}"; there is {there}')


def save_phases(run: Run, path: Path, period: Duration) -> str:
    """Writes the plot of latency over the phase in a period of one's own; returns its title.

    Raises ExperimentError, StorageError.
    """
    if not run.run.has_clock:
        raise ExperimentError(f"{run.path} measured nothing; measure again")
    hz = run.run.tick_hz
    folded = of_period(run, float(period.of(hz)), f"{period}")
    if not len(folded.phase_ticks):
        raise ExperimentError(f'{run.path} has no samples; measure with samples = "all"')
    phases(folded, hz, run.run.label).save(path)
    return f"Phase of {period}"
