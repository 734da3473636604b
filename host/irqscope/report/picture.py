"""One plot of a run as a file for a document of one's own."""

from __future__ import annotations

from pathlib import Path

from irqscope.errors import ExperimentError
from irqscope.report import kinds
from irqscope.report.latency_plots import phases
from irqscope.report.plots import phases as draw
from irqscope.results.phase import of_period
from irqscope.results.reader import Run
from irqscope.units import Duration


def save_picture(run: Run, path: Path, plot: str, channel: int | None = None) -> str:
    """Write a plot of the report, PNG or SVG by the ending of the path.

    Args:
        run: The run.
        path: The file to write.
        plot: How the title of the plot begins, in either case.
        channel: Whose stimuli a plot over a phase shows, or None for those of all channels.

    Returns:
        The plot's title.

    Raises:
        ExperimentError: The run has no such plot or channel.
        StorageError: The run cannot be read, or the file not be written.
    """
    plots = kinds.of_run(run.run).plots(run) if channel is None else list(phases(run, channel))
    drawings = {title: drawing for title, _, drawing in plots}
    for title, drawing in drawings.items():
        if title.lower().startswith(plot.lower()):
            drawing.save(path)
            return title + _of(channel)
    listed = ", ".join(title.lower() for title in drawings)
    if channel is not None:
        raise ExperimentError(
            f'{run.path} has no plot "{plot}" of one channel; those over a phase have: '
            f"{listed or 'this run has none'}"
        )
    raise ExperimentError(
        f'{run.path} has no plot "{plot}"; there is {listed or "none, for it measured nothing"}'
    )


def save_phases(run: Run, path: Path, period: Duration, channel: int | None = None) -> str:
    """Write the plot of latency over the phase in a period of the user's own.

    Args:
        run: The run.
        path: The file to write.
        period: The period.
        channel: Whose stimuli are drawn, or None for those of all channels.

    Returns:
        The plot's title.

    Raises:
        ExperimentError: The run has no samples or no such channel.
        StorageError: The run cannot be read, or the file not be written.
    """
    if not run.run.has_clock:
        raise ExperimentError(f"{run.path} measured nothing; measure again")
    hz = run.run.tick_hz
    folded = of_period(run, float(period.of(hz)), f"{period}", channel)
    if not folded.n:
        raise ExperimentError(f'{run.path} has no samples; measure with samples = "all"')
    draw(folded, hz, run.run.label).save(path)
    return f"Phase of {period}{_of(channel)}"


def _of(channel: int | None) -> str:
    return "" if channel is None else f", channel {channel}"
