"""Latency over the phase that a stimulus had in something that repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from irqscope.errors import ExperimentError
from irqscope.results.reader import Run

#: Parts of a period at most, and rows of latency.
PARTS, ROWS = 100, 60
_COLUMNS = ["batch", "edge_ticks", "latency_ticks", "timer_tick_phase_ticks"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Folded:
    """Samples that were served, by their phase.

    ``of``: what repeats, in words; ``period_ticks``: how often. ``phase_ticks``, ``latency_ticks``:
    shape (n,), 0 <= phase < period.
    """

    of: str
    period_ticks: float
    phase_ticks: Values
    latency_ticks: Values

    @property
    def parts(self) -> int:
        """Equal parts of the period that are told apart: ticks, where those are few."""
        return max(1, min(PARTS, int(self.period_ticks)))

    def map(self, rows: int = ROWS) -> tuple[Values, Values, Values]:
        """Counts, shape (parts, rows), and the edges of parts and rows in ticks.

        A row is a tick of latency at least.
        """
        low, high = self.latency_ticks.min(), self.latency_ticks.max() + 1
        rows = int(min(rows, high - low))
        edges = np.linspace(0, self.period_ticks, self.parts + 1), np.linspace(low, high, rows + 1)
        counts, _, _ = np.histogram2d(self.phase_ticks, self.latency_ticks, edges)
        return counts, *edges

    @property
    def met(self) -> int:
        """Parts that a stimulus fell into."""
        width = self.period_ticks / self.parts
        return len(np.unique(np.minimum(self.phase_ticks // width, self.parts - 1)))

    @property
    def coverage(self) -> str:
        """Which phases were measured, in a sentence."""
        edges = len(self.phase_ticks)
        text = f"The {edges} edges fell into {self.met} of {self.parts} equal parts of it"
        if self.met <= self.parts // 10:
            text += ": stimulus and period are locked, and other phases were never measured"
        return f"{text}."


def of_timer_tick(run: Run) -> Folded | None:
    """Latency over the phase in the timer tick; None: the run has none. Raises StorageError."""
    readback = run.run.readback
    _, phase, latency = _samples(run)
    seen = ~np.isnan(phase)
    if readback is None or not readback.timer_tick_period or not seen.any():
        return None
    identity = run.run.identified
    period = readback.timer_tick_period / identity.counter_hz * identity.tick_hz
    return Folded("the timer tick", period, phase[seen] % period, latency[seen])


def of_sampling_grid(run: Run) -> Folded | None:
    """Latency over the phase in the sampling grid of markers; None: all ticks are alike. Raises
    StorageError.
    """
    identity = run.run.identity
    if identity is None or identity.machine.sampling_grid.phases < 2:
        return None
    found = of_period(run, identity.machine.sampling_grid.phases, "the sampling grid of markers")
    return found if len(found.phase_ticks) else None


def of_period(run: Run, period_ticks: float, of: str) -> Folded:
    """Latency over the phase in a period of the user's own, in ticks of the gateware's clock.

    That clock goes on between batches. Raises ExperimentError, StorageError.
    """
    if period_ticks < 1:
        raise ExperimentError("a period is 1 tick at least; give a longer one")
    batches = run.batches()
    numbers, starts = (batches[name].to_numpy() for name in ("batch", "start_tick"))
    order = np.argsort(numbers)
    samples, _, latency = _samples(run)
    place = np.searchsorted(numbers[order], samples[0])
    edges = starts[order][place].astype(np.int64) + samples[1]
    whole = float(period_ticks).is_integer()  # then exact, however long the run
    phase = edges % int(period_ticks) if whole else edges % period_ticks
    return Folded(of, float(period_ticks), phase.astype(np.float64), latency)


def _samples(run: Run) -> tuple[npt.NDArray[np.int64], Values, Values]:
    """The served samples: batch and edge in it, shape (2, n); phase in the timer tick, nan without
    one; latency.
    """
    kept: list[tuple[npt.NDArray[np.int64], Values, Values]] = []
    for part in run.parts(_COLUMNS):
        served = part.filter(pc.is_valid(part["latency_ticks"]))
        where = np.array([served["batch"].to_numpy(), served["edge_ticks"].to_numpy()], np.int64)
        phase = served["timer_tick_phase_ticks"].to_numpy().astype(np.float64)
        kept.append((where, phase, served["latency_ticks"].to_numpy().astype(np.float64)))
    if not kept:
        return np.zeros((2, 0), np.int64), np.zeros(0), np.zeros(0)
    wheres, phases, latencies = zip(*kept, strict=True)
    return np.concatenate(wheres, axis=1), np.concatenate(phases), np.concatenate(latencies)
