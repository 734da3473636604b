"""Latencies of a run, drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.compute as pc

from irqscope.analysis.stats import OPEN
from irqscope.report import plots, wording
from irqscope.report.figure import Array
from irqscope.report.telling import Plotted
from irqscope.results import curves, note, phase
from irqscope.results.reader import Run
from irqscope.results.tables import STAGES


def of_run(run: Run) -> list[Plotted]:
    """Each plot that the data allow. Raises StorageError."""
    label, bars, unit = run.run.label, _bars(run), wording.unit(run.run.tick_hz)
    found = list[Plotted]()
    if bars:
        text = f"{_counted(run)}, on a logarithmic axis."
        found.append(Plotted("Histogram", text, plots.histogram(bars, unit, label)))
    trace = _trace(run)
    if trace:
        text = f"It shows {_kept(run)}, in the order in which they came."
        drawing = plots.trace(trace, unit, label, note.read(run.path).marks)
        found.append(Plotted("Time trace", text, drawing))
    if bars and not wording.grid(run.run):
        text = (
            "Share of stimuli that took at least as long, on logarithmic axes. Below the dotted "
            "line, one stimulus of N, nothing is known."
        )
        found.append(Plotted("Tail (CCDF)", text, plots.ccdf(_ccdf(run), unit, label)))
    boxes = _boxes(run)
    if len(boxes) > 1:
        text = "Where the time went: each marker's stamp, seen from the edge."
        found.append(Plotted("Stages", text, plots.stages(boxes, unit, label)))
    found.extend(phases(run))
    return found


def _counted(run: Run) -> str:
    """Describes the histogram's contents and resolution."""
    found = run.run.capture
    if found is None:
        return "Every stimulus, counted by the gateware"
    if found.what == "histogram":
        return f"Every latency as {found.tool} counted it, in bins of {found.resolution}"
    return f"Every stimulus, each latency known to {found.resolution}, less or more"


def drawn(run: Run, ticks: Any) -> Any:
    """Ticks in the unit that the report draws, :func:`wording.unit`."""
    return np.asarray(ticks, np.float64) * wording.per_tick(run.run.tick_hz)


def _bars(run: Run) -> dict[int, tuple[Array, Array, int]]:
    found = {}
    for counters in run.run.counters:
        known = run.known(counters.channel)
        if known.n:
            edges, counts = curves.steps(known)
            longer = int(known.counts[known.upper == OPEN].sum())
            found[counters.channel] = (drawn(run, edges), counts, longer)
    return found


def _kept(run: Run) -> str:
    """Which stimuli a plot of samples shows."""
    samples, channels = run.run.experiment.samples, pc.unique(run.samples()["channel"])
    alone = len(channels) == 1 < len(run.run.counters)
    of_channel = f" of channel {channels[0]} alone" if alone else ""
    if samples.which == "first":
        return f"each of the first {samples.number} stimuli{of_channel}"
    if samples.which == "tail":
        return f"only the {samples.number} longest{of_channel}"
    return f"each stimulus{of_channel}"


def _trace(run: Run) -> dict[int, tuple[Array, Array]]:
    samples = run.samples()
    answered = pc.is_valid(samples["latency_ticks"]).to_numpy()
    if not answered.any():
        return {}
    edges = samples["edge_ticks"].to_numpy()
    time = run.timeline().elapsed(samples["batch"].to_numpy(), edges)
    served = samples.filter(answered)
    time = time[answered] / run.run.tick_hz
    latency = drawn(run, served["latency_ticks"].to_numpy())
    channels = served["channel"].to_numpy()
    return {
        int(index): (time[channels == index], latency[channels == index])
        for index in np.unique(channels)
    }


def _ccdf(run: Run) -> dict[int, tuple[Array, Array, int]]:
    """The curve of each channel; timed-out stimuli are longer than all that is drawn."""
    found = {}
    for counters in run.run.counters:
        known = run.distribution(counters.channel)
        ticks, at_least = curves.tail(known)
        if len(ticks):
            found[counters.channel] = (drawn(run, ticks), at_least, known.n)
    return found


def phases(run: Run, channel: int | None = None) -> Iterator[Plotted]:
    """Plots against the phase in the sampling grid of markers and in the software's timer tick.

    Args:
        run: The run.
        channel: Whose stimuli are drawn, or None for those of all.

    Raises:
        ExperimentError: The run has no such channel.
        StorageError: Its samples cannot be read.
    """
    hz, label = run.run.tick_hz, run.run.label
    if (grid := phase.of_sampling_grid(run, channel)) is not None:
        text = (
            f"Latency over the tick of the edge modulo {grid.parts}: after that many, ticks of the "
            "gateware and the sampling grid of markers meet again. "
            f"It shows {_kept(run)}. "
            f"{grid.coverage}"
        )
        yield Plotted("Phase of the sampling grid", text, plots.phases(grid, hz, label))
    if (timer_tick := phase.of_timer_tick(run, channel)) is not None:
        us = timer_tick.period_ticks * 1e6 / hz
        text = (
            f"Latency over the time since the software's last timer tick, period {us:g} µs. "
            f"It shows {_kept(run)}. {timer_tick.coverage}"
        )
        yield Plotted("Phase of the timer tick", text, plots.phases(timer_tick, hz, label))


def _boxes(run: Run) -> dict[str, Array]:
    """When each stage of the first channel was reached, in the unit that the report draws; shape
    (n,), ascending."""
    samples = run.samples()
    index = run.run.experiment.channels[0].index
    first = samples.filter(pc.equal(samples["channel"], index))
    found = {stage: first[f"{stage}_ticks"].drop_null().to_numpy() for stage in STAGES}
    return {stage: drawn(run, np.sort(ticks)) for stage, ticks in found.items() if len(ticks)}
