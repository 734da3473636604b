"""Latency over the phase that a stimulus had in something that repeats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from irqscope.errors import ExperimentError
from irqscope.results.reader import Run

#: Parts of a period at most, and rows of latency.
PARTS, ROWS = 100, 60
_COLUMNS = ["channel", "batch", "edge_ticks", "timer_tick_phase_ticks", "latency_ticks"]

Values = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Folded:
    """Counts stimuli in each part of a period, by latency.

    Attributes:
        of: What repeats, in words.
        period_ticks: How often.
        part: Part of the period of each entry, shape (n,).
        latency_ticks: Latency of the same, shape (n,).
        counts: Stimuli of the same, shape (n,). A part and a latency may have several entries.
        unanswered: Stimuli without an answer in each part, shape (parts,).
    """

    of: str
    period_ticks: float
    part: Counts
    latency_ticks: Counts
    counts: Counts
    unanswered: Counts

    @property
    def n(self) -> int:
        """Stimuli, with and without an answer."""
        return int(self.counts.sum() + self.unanswered.sum())

    @property
    def parts(self) -> int:
        """Equal parts of the period that are told apart: ticks, where those are few."""
        return len(self.unanswered)

    def map(self, rows: int = ROWS) -> tuple[Values, Values, Values]:
        """Counts, shape (parts, rows), and the edges of parts and rows in ticks.

        A row is a tick of latency at least.
        """
        low, high = 0.0, 1.0
        if len(self.latency_ticks):
            low, high = float(self.latency_ticks.min()), float(self.latency_ticks.max() + 1)
        rows = int(min(rows, high - low))
        edges = np.arange(self.parts + 1), np.linspace(low, high, rows + 1)
        counts, _, _ = np.histogram2d(self.part, self.latency_ticks, edges, weights=self.counts)
        return counts, np.linspace(0, self.period_ticks, self.parts + 1), edges[1]

    @property
    def met(self) -> int:
        """Parts that a stimulus fell into."""
        return len(np.union1d(self.part, np.flatnonzero(self.unanswered)))

    @property
    def unanswered_at(self) -> Values:
        """Middles of the parts in which a stimulus had no answer, ticks, ascending."""
        return (np.flatnonzero(self.unanswered) + 0.5) * self.period_ticks / self.parts

    @property
    def coverage(self) -> str:
        """Describes the measured phases in a sentence."""
        text = f"The {self.n} edges fell into {self.met} of {self.parts} equal parts of it"
        if self.met <= self.parts // 10:
            text += ": stimulus and period are locked, and other phases were never measured"
        if lost := int(self.unanswered.sum()):
            places = len(self.unanswered_at)
            text += f"; {lost} of them, in {places} of the parts, had no answer"
        return f"{text}."


def of_timer_tick(run: Run, channel: int | None = None) -> Folded | None:
    """Return latency over the phase in the timer tick, or None without one. Raises StorageError.

    Args:
        run: The run.
        channel: Whose stimuli are taken, or None for those of all.
    """
    _require_channel(run, channel)
    readback = run.run.readback
    if readback is None or not readback.timer_tick_period:
        return None
    identity = run.run.identified
    period = readback.timer_tick_period / identity.counter_hz * identity.tick_hz

    def phases() -> Iterator[tuple[Values, Values]]:
        for samples in _samples(run, channel):
            recorded = ~np.isnan(samples.timer_tick_phase)
            yield samples.timer_tick_phase[recorded] % period, samples.latency[recorded]

    folded = fold("the timer tick", period, phases())
    return folded if folded.n else None


def of_sampling_grid(run: Run, channel: int | None = None) -> Folded | None:
    """Returns latency over the phase in the markers' sampling grid, or None without such a grid.

    Raises StorageError. ``channel``: as of :func:`of_timer_tick`.
    """
    identity = run.run.identity
    if identity is None or identity.machine.sampling_grid.phases < 2:
        return None
    phases = identity.machine.sampling_grid.phases
    folded = of_period(run, phases, "the sampling grid of markers", channel)
    return folded if folded.n else None


def of_period(run: Run, period_ticks: float, of: str, channel: int | None = None) -> Folded:
    """Latency over the phase in a period of the user's own, in ticks of the gateware's clock.

    That clock goes on between batches. ``channel``: as of :func:`of_timer_tick`. Raises
    ExperimentError, StorageError.
    """
    if period_ticks < 1:
        raise ExperimentError("a period is 1 tick at least; give a longer one")
    _require_channel(run, channel)
    batches = run.batches()
    numbers, starts = (batches[name].to_numpy() for name in ("batch", "start_tick"))
    order = np.argsort(numbers)
    whole = float(period_ticks).is_integer()  # then exact, however long the run

    def phases() -> Iterator[tuple[Values, Values]]:
        for samples in _samples(run, channel):
            place = np.searchsorted(numbers[order], samples.batch)
            edges = starts[order][place].astype(np.int64) + samples.edge
            phase = edges % int(period_ticks) if whole else edges % period_ticks
            yield phase.astype(np.float64), samples.latency

    return fold(of, float(period_ticks), phases())


def fold(of: str, period_ticks: float, stimuli: Iterable[tuple[Values, Values]]) -> Folded:
    """Folds stimuli over a period.

    Args:
        of: What repeats, in words.
        period_ticks: How often.
        stimuli: Arrays of phases and latencies, ticks, each of shape (n,), 0 <= phase < period; a
            latency is nan without an answer.
    """
    parts = max(1, min(PARTS, int(period_ticks)))
    unanswered = np.zeros(parts, np.int64)
    cells, counts = [np.zeros((2, 0), np.int64)], [np.zeros(0, np.int64)]
    for phase, latency in stimuli:
        part = np.minimum(phase // (period_ticks / parts), parts - 1).astype(np.int64)
        served = ~np.isnan(latency)
        unanswered += np.bincount(part[~served], minlength=parts)
        cell = part[served] + parts * latency[served].astype(np.int64)
        cell, count = np.unique(cell, return_counts=True)
        cells.append(np.stack((cell % parts, cell // parts)))
        counts.append(count)
    part, ticks = np.concatenate(cells, axis=1)
    return Folded(of, period_ticks, part, ticks, np.concatenate(counts), unanswered)


class _Samples(NamedTuple):
    """Columns of the samples, shape (n,); a phase or a latency that is not known is nan."""

    batch: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int64]
    timer_tick_phase: Values
    latency: Values


def _samples(run: Run, channel: int | None) -> Iterator[_Samples]:
    """Yields the samples of a channel, or of all, part by part. Raises StorageError."""
    for part in run.parts(_COLUMNS):
        rows = part if channel is None else part.filter(pc.equal(part["channel"], channel))
        batch, edge = (rows[name].to_numpy().astype(np.int64) for name in _COLUMNS[1:3])
        phase, latency = (rows[name].to_numpy().astype(np.float64) for name in _COLUMNS[3:])
        yield _Samples(batch, edge, phase, latency)


def _require_channel(run: Run, channel: int | None) -> None:
    """Raises ExperimentError if the run has no such channel."""
    channels = [one.index for one in run.run.experiment.channels]
    if channel is not None and channel not in channels:
        listed = ", ".join(map(str, channels))
        raise ExperimentError(f"{run.path} has no channel {channel}; its channels are {listed}")
