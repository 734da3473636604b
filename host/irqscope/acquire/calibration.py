"""Results of a calibration: cost of the probe, bound of the one-way path, uncertainty of a value.

(a) loop-back inside the PL, a constant; (b) cost and spread of the probe; (c) handler with the line
already pending; (d) an upper bound of the one-way path from core to PL. Raw latency stays the
headline: what software alone took lies in raw - [0, bound].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from irqscope.machines.model import SamplingGrid
from irqscope.results.calibrated import Calibrated, Cycles, OneWay, Spread, Uncertainty
from irqscope.units import NS_PER_S, ticks_to_ns


@dataclass(frozen=True)
class Calibration:
    """All steps. ``cores``: how many stored markers in (b); ``busy``: cores at work in the case.

    ``quantum_cycles``: maximum distance between the cores of a twin, or None for a board or if
    unknown.
    """

    sampling_grid: SamplingGrid
    tick_hz: int
    cpu_hz: int
    cores: int
    busy: int
    quantum_cycles: int | None
    loopback: Spread
    probe: Spread
    pending: Spread
    store: Cycles
    echo: Cycles
    twin: bool
    key: ClassVar[str] = "calibration"

    @property
    def bound_ticks(self) -> int:
        """The one-way path is not longer: the shorter of both ways of (d), rounded up."""
        cycles = min(self.store.min_cycles, self.echo.min_cycles)
        return -(-cycles * self.tick_hz // self.cpu_hz)

    @property
    def plausible_min_ticks(self) -> int:
        """No true answer comes sooner, ticks; 0: that is not known.

        An answer from idle takes at least the way from exception entry to the handler's marker,
        which is (c) without the marker before it; the sampling grid may shorten that. Without
        a sampling grid markers are exact, and (c) includes the unmasking, which an idle core has
        already done: then no such floor exists.
        """
        if self.sampling_grid.ns == 0:
            return 0
        sampling_grid = math.ceil(self.sampling_grid.ns * self.tick_hz / NS_PER_S)
        return max(1, self.pending.min_ticks - self.probe.max_ticks - sampling_grid)

    def validity_errors(self) -> list[str]:
        """Why a run with this calibration is not valid."""
        if self.loopback.min_ticks != self.loopback.max_ticks:
            low, high = self.loopback.min_ticks, self.loopback.max_ticks
            return [f"the PL loop-back is not constant: {low} to {high} ticks"]
        return []

    def budget(self) -> list[Uncertainty]:
        """Terms of the uncertainty of one raw value."""
        tick = NS_PER_S / self.tick_hz
        spread = ticks_to_ns(self.probe.max_ticks - self.probe.min_ticks, self.tick_hz)
        probe = "spread of calibration (b)"
        if self.busy > self.cores:
            probe += f", taken with {self.cores} storing; {self.busy} are at work in the case"
        terms = [
            _term(
                "quantisation", tick, "one tick at the stop; none at the start, which is programmed"
            ),
            _term("synchroniser", tick, "0 to 1 tick; its fixed part is in the raw value"),
            _term("sampling grid of markers", self.sampling_grid.ns, self.sampling_grid.cause),
            _term("probe", spread, probe),
            _term("tick rate", None, "ppm of the crystal, scales all values alike"),
        ]
        if self.twin:
            terms.append(self._turns())
        return terms

    def _turns(self) -> Uncertainty:
        if self.busy == 1:
            text = "shared memory is exact to a quantum; one core is at work, so there are none"
            return _term("quantum between cores", 0.0, text)
        text = f"shared memory is exact to a quantum, and {self.busy} cores are at work"
        if self.quantum_cycles is None:
            return _term("quantum between cores", None, f"{text}; this twin's is not known")
        quantum = self.quantum_cycles * NS_PER_S / self.cpu_hz
        return _term("quantum between cores", quantum, text)

    def record(self) -> Calibrated:
        """The calibration as ``run.json`` keeps it."""
        return Calibrated(
            cores=self.cores,
            loopback=self.loopback,
            probe=self.probe,
            pending=self.pending,
            one_way=OneWay(
                store=self.store,
                echo=self.echo,
                bound_ticks=self.bound_ticks,
                bound_ns=ticks_to_ns(self.bound_ticks, self.tick_hz),
            ),
            plausible_min_ticks=self.plausible_min_ticks,
            uncertainty=tuple(self.budget()),
        )


def _term(source: str, ns: float | None, text: str) -> Uncertainty:
    return Uncertainty(source=source, ns=ns, text=text)
