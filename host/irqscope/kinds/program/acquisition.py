"""Calibration of a run with a foreign program: the instrument alone.

The program makes nothing for calibrations. Only the loop-back remains. On a soft core its markers
are signals of its core in the instrument's own clock; on a twin they are pins of the gateware, and
the loop-back passes their synchroniser, which is a constant of each value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from irqscope.acquire import encoding
from irqscope.acquire.calibrate import LOOPBACK_PULSES, TIMEOUT, pulses, spread, step_case
from irqscope.acquire.measurement import Measurement
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Session
from irqscope.constants import LineMode, Marker, StartKind
from irqscope.link.codec import Values, request_values
from irqscope.link.messages import LINE
from irqscope.machines.cases import CaseId
from irqscope.results.calibrated import CalibratedLoopback, Spread

_CHANNEL: Values = {
    "index": 0, "enable": 1, "start_kind": StartKind.LINE, "start_line": 0, "start_cores": 0,
    "start_code": 0, "stop_cores": 1, "stop_code": Marker.HANDLER, "hist_shift": 0,
    "phase_line": 0, "plausible_min": 0, "hist_origin": 0, "timeout": TIMEOUT,
}  # fmt: skip
#: The loop-back's marker, where a line is pin 0.
_PIN: Values = {
    "index": 0, "rise": 1, "fall": 0, "core": 0, "code": Marker.HANDLER, "filter": 0,
}  # fmt: skip


class Program(Measurement):
    """Latencies of a foreign program."""

    def calibrate(self, session: Session, step: Callable[[str], None]) -> ProgramCalibration:
        """No line reaches the program in this step."""
        case = encoding.case(self.plan, next(self.plan.batches()))
        kind = CaseId.CAL_LOOPBACK
        if self.plan.places_are_pins:
            kind = CaseId.CAL_PINS
            session.set_pins([_PIN])
        step("loop-back")
        n = LOOPBACK_PULSES
        line = pulses(request_values(LINE, enable=1), n, LineMode.BURST)
        loopback = spread(session, step_case(case, kind, n), n, [line], _CHANNEL)
        return ProgramCalibration(loopback)

    def set_up(self, session: Session) -> None:
        if self.plan.places_are_pins:
            session.set_pins(places(self.plan))


@dataclass(frozen=True)
class ProgramCalibration:
    """Ticks."""

    loopback: Spread
    key: ClassVar[str] = "loopback"

    @property
    def plausible_min_ticks(self) -> int:
        """0: a program may pass a place whatever a line does."""
        return 0

    def validity_errors(self) -> list[str]:
        """Why a run with this calibration is not valid."""
        low, high = self.loopback.min_ticks, self.loopback.max_ticks
        if low != high:
            return [f"the loop-back takes {low} to {high} ticks, and should be constant"]
        return []

    def record(self) -> CalibratedLoopback:
        """The calibration as ``run.json`` keeps it."""
        return CalibratedLoopback(loopback=self.loopback)


def places(plan: Plan) -> list[Values]:
    """Fields of the PIN message of each place, which is a pin of the gateware."""
    both = {"rise": 1, "fall": 1, "filter": 0}
    return [
        {"index": pin, "core": pin, "code": code, **both}
        for pin, (_, code) in enumerate(plan.experiment.watches)
    ]
