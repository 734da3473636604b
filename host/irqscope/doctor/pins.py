"""The steps for an external device: the way to the pins, and each of the device's wires."""

from __future__ import annotations

from irqscope.acquire import encoding
from irqscope.acquire.plan import Plan
from irqscope.constants import (
    RECORD_CORES,
    RECORD_RISES,
    LineMode,
    Marker,
)
from irqscope.doctor import board
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes, Step
from irqscope.doctor.wires import Seen, diagnose
from irqscope.experiment.load import check
from irqscope.experiment.model import Experiment
from irqscope.experiment.tables import Pin
from irqscope.kinds.external.acquisition import calibrate_pins
from irqscope.link import messages
from irqscope.link.codec import Values, request_values
from irqscope.report import calibration_text
from irqscope.units import ticks_to_ns

#: Each wire is looked at for at least this long: seven periods of 50 Hz.
_LOOK_S = 0.14
#: Stimuli at most: their edges, and those of a wire that bounces, fit the FIFO.
_STIMULI = 200
_PINS = "pins"


def steps(experiment: Experiment) -> tuple[Step, ...]:
    """Steps for the device that an experiment describes; they follow those of the board."""

    def way(dut: DeviceUnderTest, notes: Notes) -> None:
        plan = _plan(dut, experiment)
        calibration = calibrate_pins(dut.session, plan, dut.step, dut.target.most_repetitions)
        notes.see(calibration_text.sentence(calibration.record(), plan.tick_hz))
        for validity_error in calibration.validity_errors():
            notes.fail(validity_error, "the bitstream, and its timing report")
        if not notes.findings:
            dut.facts.add(_PINS)

    def device(dut: DeviceUnderTest, notes: Notes) -> None:
        plan = _plan(dut, experiment)
        for pin in experiment.pins:
            dut.step(f"pin {pin.pin}, {pin.name}")
            _look(dut, notes, plan, pin)

    return (
        Step("pins", "loop back through pin 0, and through the wire", (board.IDENTITY,), way),
        Step("device", "stimulate the device and look at each of its wires", (_PINS,), device),
    )


def _plan(dut: DeviceUnderTest, experiment: Experiment) -> Plan:
    """The experiment's plan on this target. Raises ExperimentError if the target cannot run it."""
    identity = dut.session.identity
    check(experiment, identity.machine, identity.tick_hz)
    return Plan(experiment, identity.machine, identity.tick_hz)


def _look(dut: DeviceUnderTest, notes: Notes, plan: Plan, pin: Pin) -> None:
    observation, latency_ticks = _stimulate(dut, plan, pin)
    name = f"pin {pin.pin}, {pin.name}"
    used = {e.pin for c in plan.experiment.channels for e in (c.start, c.stop)}
    if not observation.edges and pin.name not in used:
        notes.see(f"{name}: no edge, and no channel waits for one")
        return
    if diagnosis := diagnose(observation):
        notes.fail(f"{name}: {diagnosis.what}", diagnosis.check)
        return
    text = f"{name}: {len(observation.edges)} edges of {len(observation.stimuli)} stimuli"
    if latency_ticks is not None:
        text += f", the first {ticks_to_ns(latency_ticks, plan.tick_hz)} ns after its stimulus"
    notes.see(text)


def _stimulate(dut: DeviceUnderTest, plan: Plan, pin: Pin) -> tuple[Seen, int | None]:
    """Both edges of one pin, with only the experiment's filter, over some stimuli."""
    tick_hz, session = plan.tick_hz, dut.session
    batch = next(plan.batches())
    lines = [_lasting(line, tick_hz) for line in encoding.lines(plan, batch)]
    session.prepare(encoding.case(plan, batch))
    both = {"index": pin.pin, "rise": 1, "fall": 1, "core": 0, "code": Marker.HANDLER}
    levels = session.set_pins([both | {"filter": pin.filter.ticks(tick_hz)}])
    recorder = request_values(
        messages.RECORDER, rises=1 << lines[0]["index"], select_markers=1 << 2
    )
    lasting_s = sum(line["count"] * (line["high"] + line["low"]) for line in lines) / tick_hz + 1
    outcome = session.batch(0, lines, [], recorder, lasting_s)
    stimuli, edges = [], []
    for stamp, events in zip(
        outcome.records["stamp"].tolist(), outcome.records["events"].tolist(), strict=True
    ):
        if RECORD_RISES.of(events) >> lines[0]["index"] & 1:
            stimuli.append(stamp)
        if RECORD_CORES.of(events) & 1:
            edges.append(stamp)
    rise, fall = pin.edge != "fall", pin.edge != "rise"
    at_rest = bool(levels >> pin.pin & 1)
    observation = Seen(at_rest, edges, stimuli, tick_hz, rise, fall)
    after = [edge for edge in edges if stimuli and edge > stimuli[0]]
    return observation, after[0] - stimuli[0] if after else None


def _lasting(line: Values, tick_hz: int) -> Values:
    """The line in a burst of at most _STIMULI pulses, that lasts _LOOK_S at least."""
    period = line["high"] + line["low"]
    duration_ticks = int(_LOOK_S * tick_hz)
    count = min(_STIMULI, max(8, duration_ticks // period + 1))
    low = max(line["low"], duration_ticks // count + 1 - line["high"])
    return line | {"mode": LineMode.BURST, "count": count, "low": low}
