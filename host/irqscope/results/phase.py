"""Latency over the phase that a stimulus had in something that repeats."""

from __future__ import annotations

from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Folded:
    """Stimuli by their phase.

    Attributes:
        of: What repeats, in words.
        period_ticks: How often.
        phase_ticks: Of those that were served, shape (n,), 0 <= phase < period.
        latency_ticks: Of the same, shape (n,).
        unanswered_ticks: Phases of those without an answer, shape (m,).
    """

    of: str
    period_ticks: float
    phase_ticks: Values
    latency_ticks: Values
    unanswered_ticks: Values = field(default_factory=lambda: np.zeros(0))

    @property
    def n(self) -> int:
        """Stimuli, with and without an answer."""
        return len(self.phase_ticks) + len(self.unanswered_ticks)

    @property
    def parts(self) -> int:
        """Equal parts of the period that are told apart: ticks, where those are few."""
        return max(1, min(PARTS, int(self.period_ticks)))

    def map(self, rows: int = ROWS) -> tuple[Values, Values, Values]:
        """Counts, shape (parts, rows), and the edges of parts and rows in ticks.

        A row is a tick of latency at least.
        """
        low, high = 0.0, 1.0
        if len(self.latency_ticks):
            low, high = self.latency_ticks.min(), self.latency_ticks.max() + 1
        rows = int(min(rows, high - low))
        edges = np.linspace(0, self.period_ticks, self.parts + 1), np.linspace(low, high, rows + 1)
        counts, _, _ = np.histogram2d(self.phase_ticks, self.latency_ticks, edges)
        return counts, *edges

    @property
    def met(self) -> int:
        """Parts that a stimulus fell into."""
        return len(self._parts_of(self.phase_ticks, self.unanswered_ticks))

    @property
    def unanswered_at(self) -> Values:
        """Middles of the parts in which a stimulus had no answer, ticks, ascending."""
        return (self._parts_of(self.unanswered_ticks) + 0.5) * self.period_ticks / self.parts

    def _parts_of(self, *phases: Values) -> Values:
        """Parts that these phases are in, ascending, each once."""
        parts = np.concatenate(phases) // (self.period_ticks / self.parts)
        return np.unique(np.minimum(parts, self.parts - 1))

    @property
    def coverage(self) -> str:
        """Which phases were measured, in a sentence."""
        text = f"The {self.n} edges fell into {self.met} of {self.parts} equal parts of it"
        if self.met <= self.parts // 10:
            text += ": stimulus and period are locked, and other phases were never measured"
        if lost := len(self.unanswered_ticks):
            places = len(self.unanswered_at)
            text += f"; {lost} of them, in {places} of the parts, had no answer"
        return f"{text}."


def of_timer_tick(run: Run, channel: int | None = None) -> Folded | None:
    """Latency over the phase in the timer tick; None: the run has none. Raises StorageError.

    Args:
        run: The run.
        channel: Whose stimuli are taken, or None for those of all.
    """
    readback = run.run.readback
    samples = _samples(run, channel)
    seen = ~np.isnan(samples.timer_tick_phase)
    if readback is None or not readback.timer_tick_period or not seen.any():
        return None
    identity = run.run.identified
    period = readback.timer_tick_period / identity.counter_hz * identity.tick_hz
    phase = samples.timer_tick_phase[seen] % period
    return _folded("the timer tick", period, phase, samples.latency[seen])


def of_sampling_grid(run: Run, channel: int | None = None) -> Folded | None:
    """Latency over the phase in the sampling grid of markers; None: all ticks are alike. Raises
    StorageError. ``channel``: as of :func:`of_timer_tick`.
    """
    identity = run.run.identity
    if identity is None or identity.machine.sampling_grid.phases < 2:
        return None
    phases = identity.machine.sampling_grid.phases
    found = of_period(run, phases, "the sampling grid of markers", channel)
    return found if found.n else None


def of_period(run: Run, period_ticks: float, of: str, channel: int | None = None) -> Folded:
    """Latency over the phase in a period of the user's own, in ticks of the gateware's clock.

    That clock goes on between batches. ``channel``: as of :func:`of_timer_tick`. Raises
    ExperimentError, StorageError.
    """
    if period_ticks < 1:
        raise ExperimentError("a period is 1 tick at least; give a longer one")
    batches = run.batches()
    numbers, starts = (batches[name].to_numpy() for name in ("batch", "start_tick"))
    order = np.argsort(numbers)
    samples = _samples(run, channel)
    place = np.searchsorted(numbers[order], samples.batch)
    edges = starts[order][place].astype(np.int64) + samples.edge
    whole = float(period_ticks).is_integer()  # then exact, however long the run
    phase = edges % int(period_ticks) if whole else edges % period_ticks
    return _folded(of, float(period_ticks), phase.astype(np.float64), samples.latency)


def _folded(of: str, period: float, phase: Values, latency: Values) -> Folded:
    """Stimuli by phase and latency, which is nan without an answer."""
    served = ~np.isnan(latency)
    return Folded(of, period, phase[served], latency[served], phase[~served])


class _Samples(NamedTuple):
    """Columns of the samples, shape (n,); a phase or a latency that is not known is nan."""

    batch: npt.NDArray[np.int64]
    edge: npt.NDArray[np.int64]
    timer_tick_phase: Values
    latency: Values


def _samples(run: Run, channel: int | None) -> _Samples:
    """The samples of a channel, or of all. Raises ExperimentError, StorageError."""
    channels = [one.index for one in run.run.experiment.channels]
    if channel is not None and channel not in channels:
        listed = ", ".join(map(str, channels))
        raise ExperimentError(f"{run.path} has no channel {channel}; its channels are {listed}")
    empty = np.zeros(0, np.int64)
    kept = [_Samples(empty, empty, np.zeros(0), np.zeros(0))]
    for part in run.parts(_COLUMNS):
        rows = part if channel is None else part.filter(pc.equal(part["channel"], channel))
        batch, edge = (rows[name].to_numpy().astype(np.int64) for name in _COLUMNS[1:3])
        phase, latency = (rows[name].to_numpy().astype(np.float64) for name in _COLUMNS[3:])
        kept.append(_Samples(batch, edge, phase, latency))
    return _Samples(*map(np.concatenate, zip(*kept, strict=True)))
