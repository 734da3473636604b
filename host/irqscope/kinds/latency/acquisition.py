"""Latencies of the instrument's own software, in batches."""

from __future__ import annotations

from collections.abc import Callable

from irqscope.acquire.calibrate import calibrate
from irqscope.acquire.measurement import AnyCalibration, Measurement
from irqscope.acquire.session import Session


class Latency(Measurement):
    """Measures in batches, after what the probe costs."""

    def calibrate(self, session: Session, step: Callable[[str], None]) -> AnyCalibration:
        quantum = self._target.quantum_cycles if self.plan.busy > 1 else None
        return calibrate(session, self.plan, quantum, step, self._target.most_repetitions)
