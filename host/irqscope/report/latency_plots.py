"""Latencies of a run, drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.compute as pc

from irqscope.analysis.stats import OPEN, Distribution
from irqscope.report import plots, wording
from irqscope.report.figure import Array
from irqscope.report.plots import MOST_POINTS
from irqscope.report.telling import Plotted
from irqscope.results import curves, drift, note, phase, stages
from irqscope.results.reader import Run, read_part
from irqscope.results.tables import STAGES

#: Cells of a trace across and up, at most: each is less than a pixel of the report's plot.
_ACROSS, _UP = 2400, 800
#: Points of each line of a drift.
_GROUPS = 400


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
        marks = note.read(run.path).marks
        drawing = plots.trace(trace, unit, label, marks, timed=_timed(run))
        found.append(Plotted("Time trace", text, drawing))
    found.extend(_drifts(run))
    if bars and not wording.grid(run.run):
        text = (
            "Share of stimuli that took at least as long, on logarithmic axes. Below the dotted "
            "line, one stimulus of N, nothing is known."
        )
        found.append(Plotted("Tail (CCDF)", text, plots.ccdf(_ccdf(run), unit, label)))
    boxes = _boxes(run)
    if len(boxes) > 1:
        text = "Where the time went: each marker's stamp, seen from the edge."
        found.append(Plotted("Stages", text, plots.stages(boxes, run.run.tick_hz, label)))
    found.extend(phases(run))
    return found


def _drifts(run: Run) -> Iterator[Plotted]:
    """Yields a plot of each channel's figures batch by batch, of a run without all samples."""
    several = len(run.run.counters) > 1
    for one in drift.drifts(run):
        begins, figures, size = one.grouped(_GROUPS)
        if not len(begins):
            continue
        each, pieces = drift.piece(run.run, several=False), drift.piece(run.run)
        of_each = f"Least, median, p99 and greatest latency of each {each}"
        if size > 1:
            of_each = (
                f"{size} {pieces} a point: the least latency, medians of their medians and p99, "
                "and the greatest latency"
            )
        text = f"{of_each}, of all stimuli that were answered."
        if one.unanswered:
            text += f" {one.unanswered} {pieces} have stimuli without an answer."
        drawing = plots.drift(
            begins / run.run.tick_hz,
            {name: drawn(run, ticks) for name, ticks in figures.items()},
            wording.unit(run.run.tick_hz),
            run.run.label,
        )
        yield Plotted(f"Drift, channel {one.channel}" if several else "Drift", text, drawing)


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
    """Names the stimuli that a plot of samples shows."""
    samples = run.run.experiment.samples
    channels = {index for part in run.parts(["channel"]) for index in _different(part["channel"])}
    alone = len(channels) == 1 < len(run.run.counters)
    of_channel = f" of channel {channels.pop()} alone" if alone else ""
    if samples.which == "first":
        return f"each of the first {samples.number} stimuli{of_channel}"
    if samples.which == "tail":
        return f"only the {samples.number} longest{of_channel}"
    return f"each stimulus{of_channel}"


def _different(column: Any) -> list[int]:
    """The values of a column, each once."""
    return list(pc.unique(column).to_pylist())


def _trace(run: Run) -> dict[int, tuple[Array, Array]]:
    """Time (s; of stimuli without times their number) and latency of each channel's points; of
    many, one in each cell of less than a pixel.
    """
    if not (paths := run.part_paths()):
        return {}
    timeline, cell = run.timeline(), (1, 1)
    per_s = run.run.tick_hz if _timed(run) else 1
    if run.sample_rows() > MOST_POINTS:
        last = read_part(paths[-1], ["batch", "edge_ticks"])
        ends = timeline.elapsed(last["batch"].to_numpy(), last["edge_ticks"].to_numpy())
        cell = max(1, int(ends.max()) // _ACROSS), max(1, _range_ticks(run) // _UP)
    found: dict[int, list[tuple[Array, Array]]] = {}
    for rows in _blocks(run, ["channel", "batch", "edge_ticks", "latency_ticks"]):
        served = rows.filter(pc.is_valid(rows["latency_ticks"]))
        time = timeline.elapsed(served["batch"].to_numpy(), served["edge_ticks"].to_numpy())
        ticks = served["latency_ticks"].to_numpy().astype(np.int64)
        channels = served["channel"].to_numpy()
        for channel in np.unique(channels):
            at, of_it = time[channels == channel], ticks[channels == channel]
            if cell != (1, 1):
                _, first = np.unique((at // cell[0] << 32) + of_it // cell[1], return_index=True)
                first.sort()
                at, of_it = at[first], of_it[first]
            points = at / per_s, drawn(run, of_it)
            found.setdefault(int(channel), []).append(points)
    return {
        channel: (np.concatenate([at for at, _ in points]), np.concatenate([y for _, y in points]))
        for channel, points in sorted(found.items())
    }


def _blocks(run: Run, columns: list[str]) -> Iterator[Any]:
    """Yields the rows of the samples, some columns of them, a block at a time: little memory."""
    for part in run.parts(columns):
        yield from part.to_batches(1 << 18)


def _timed(run: Run) -> bool:
    """Whether the times of stimuli are known; a list of latencies, placed a tick apart, has none.

    A run of one stimulus has no rate, and nothing that a wrong axis could say.
    """
    return any(stats.rate_hz is not None for stats in run.run.stats)


def _range_ticks(run: Run) -> int:
    """Range of the latencies of all channels, as far as the histogram shows it."""
    known = [run.known(counters.channel) for counters in run.run.counters]
    lower = np.concatenate([one.lower for one in known])
    return int(lower.max() - lower.min()) if len(lower) else 0


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


def _boxes(run: Run) -> dict[str, Distribution]:
    """Time of each stage of the first channel, ticks since the edge."""
    index = run.run.experiment.channels[0].index
    names = {stage: f"{stage}_ticks" for stage in STAGES}
    found: dict[str, list[tuple[Any, Any]]] = {stage: [] for stage in STAGES}
    for rows in _blocks(run, ["channel", *names.values()]):
        first = rows.filter(pc.equal(rows["channel"], index))
        for stage, name in names.items():
            ticks = first[name].drop_null().to_numpy(zero_copy_only=False)
            found[stage].append(np.unique(ticks, return_counts=True))
    boxes = {}
    for stage, counted in found.items():
        ticks = np.concatenate([np.empty(0, np.int64), *(ticks for ticks, _ in counted)])
        if len(ticks):
            counts = np.concatenate([counts for _, counts in counted])
            boxes[stages.title(run.run, stage)] = Distribution(ticks, ticks, counts)
    return boxes
