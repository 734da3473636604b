"""Measures the cost of the way to and from an external device, before every run with one.

(a) Loop-back inside the PL through pin 0 and its filter: a constant, and the value of the pin front
end's formula. (b) A wire from an output to an input, if the experiment names one: that, and
both pads. Nothing is known of the device's own wires: raw latency is the headline, and it holds
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from irqscope.acquire import encoding
from irqscope.acquire.calibrate import (
    LOOPBACK_PULSES,
    REPETITIONS,
    TIMEOUT,
    fewer,
    pulses,
    spread,
    step_case,
)
from irqscope.acquire.measurement import Measurement
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Session
from irqscope.constants import LineMode, Marker, StartKind
from irqscope.experiment.model import pin_marker
from irqscope.link.codec import Values, request_values
from irqscope.link.messages import LINE
from irqscope.machines.cases import CaseId
from irqscope.results.calibrated import CalibratedPins, Spread, Uncertainty
from irqscope.units import NS_PER_S, ticks_to_ns

#: From an edge of the level in front of the synchroniser to its marker's stamp, filter 0: a tick to
#: the first flip-flop, and PIN_DELAY (hw/irqscope_hw/pin_front_end.py).
LOOPBACK_TICKS = 2
_CORE = 0
_CODE = Marker.HANDLER
_CHANNEL: Values = {
    "index": 0, "enable": 1, "start_kind": StartKind.LINE, "start_line": 0, "start_cores": 0,
    "start_code": 0, "stop_cores": 1 << _CORE, "stop_code": _CODE, "hist_shift": 0,
    "phase_line": 0, "plausible_min": 0, "hist_origin": 0,
    "timeout": TIMEOUT,
}  # fmt: skip


class External(Measurement):
    """Latencies of a device at the pins."""

    def calibrate(self, session: Session, step: Callable[[str], None]) -> PinCalibration:
        return calibrate_pins(session, self.plan, step, self._target.most_repetitions)

    def set_up(self, session: Session) -> None:
        session.set_pins(pins(self.plan))


@dataclass(frozen=True)
class PinCalibration:
    """Ticks of ``tick_hz``; ``filter_ticks``: of the loop-back. ``wire``: None without one."""

    tick_hz: int
    filter_ticks: int
    loopback: Spread
    wire: Spread | None
    key: ClassVar[str] = "pins"

    @property
    def plausible_min_ticks(self) -> int:
        """No edge can be an answer sooner: the way within the PL alone."""
        return LOOPBACK_TICKS

    def validity_errors(self) -> list[str]:
        """Why a run with this calibration is not valid."""
        low, high = self.loopback.min_ticks, self.loopback.max_ticks
        expected = LOOPBACK_TICKS + self.filter_ticks
        if (low, high) != (expected, expected):
            text = f"the loop-back through pin 0 takes {low} to {high} ticks, not {expected}"
            return [f"{text}; load the bitstream that belongs to this irqscope"]
        return []

    def budget(self) -> list[Uncertainty]:
        """Terms of the uncertainty of one raw value."""
        tick = NS_PER_S / self.tick_hz
        wire = "pads and cable of the device's own wires are in the raw value"
        way_ns = None
        if self.wire is not None:
            way_ns = ticks_to_ns(self.wire.max_ticks - self.loopback.max_ticks, self.tick_hz)
            wire += "; those of the calibration's wire took as much"
        terms = (
            ("quantisation", tick, "one tick at the stop; none at the start"),
            ("synchroniser", tick, "0 to 1 tick; its fixed part is in the raw value"),
            ("wires", way_ns, wire),
            ("tick rate", None, "ppm of the crystal, scales all values alike"),
        )
        return [Uncertainty(source=name, ns=ns, text=text) for name, ns, text in terms]

    def record(self) -> CalibratedPins:
        """The calibration as ``run.json`` keeps it."""
        return CalibratedPins(
            filter_ticks=self.filter_ticks,
            loopback=self.loopback,
            wire=self.wire,
            uncertainty=tuple(self.budget()),
        )


def calibrate_pins(
    session: Session, plan: Plan, step: Callable[[str], None], limit: int | None = None
) -> PinCalibration:
    """Carries the steps out, with the longest filter of the experiment's pins.

    ``step`` receives the name of each. ``limit``: repetitions, where the target is slow. Raises
    TargetError, LinkError.
    """
    case = encoding.case(plan, next(plan.batches()))
    filter_ticks = max(pin["filter"] for pin in pins(plan))
    line = request_values(LINE, enable=1)
    step("loop-back through pin 0")
    marker = {"rise": 1, "fall": 0, "core": _CORE, "code": _CODE, "filter": filter_ticks}
    session.set_pins([{"index": 0, **marker}])
    n, repeated = (fewer(count, limit) for count in (LOOPBACK_PULSES, REPETITIONS))
    a = spread(session, step_case(case, CaseId.CAL_PINS, n), n, [_line(line, n)], _CHANNEL)
    wire = plan.experiment.wire
    if wire is None:
        return PinCalibration(session.identity.tick_hz, filter_ticks, a, None)
    step(f"wire from output {wire.output} to input {wire.input}")
    session.set_pins([{"index": wire.input, **marker}])
    through = _line(line | {"pmod": 1 << wire.output}, repeated)
    b = spread(session, case, repeated, [through], _CHANNEL)
    return PinCalibration(session.identity.tick_hz, filter_ticks, a, b)


def _line(line: Values, count: int) -> Values:
    return pulses(line, count, LineMode.BURST)


def pins(plan: Plan) -> list[Values]:
    """Fields of the PIN message of each pin."""
    rows = []
    for place, pin in enumerate(plan.experiment.pins):
        core, code = pin_marker(place)
        rows.append(
            {
                "index": pin.pin,
                "rise": int(pin.edge != "fall"),
                "fall": int(pin.edge != "rise"),
                "core": core,
                "code": code,
                "filter": pin.filter.ticks(plan.tick_hz),
            }
        )
    return rows
