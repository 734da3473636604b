"""The values of the messages that set a batch of a plan up."""

from __future__ import annotations

import numpy as np

from irqscope.acquire.plan import Plan
from irqscope.constants import LINES, RECORD_TIMED_OUT, Marker, StartKind
from irqscope.experiment.kinds import answering
from irqscope.experiment.tables import MODES, OWN_INTERRUPT, Channel, Line
from irqscope.experiment.values import Event
from irqscope.link import messages
from irqscope.link.codec import Values
from irqscope.link.messages import (
    CacheState,
    Dispatcher,
    Idle,
    Lockdown,
    Markers,
    Memory,
    Pages,
    Placement,
    Trigger,
)
from irqscope.machines.cases import CASES
from irqscope.machines.firmware_file import DEFAULT_STACK
from irqscope.results.stimuli import Batch

PAGES = {
    "1 GB": Pages.BLOCK_1G,
    "16 MB": Pages.SECTION_16M,
    "2 MB": Pages.BLOCK_2M,
    "1 MB": Pages.SECTION_1M,
    "4 KB": Pages.PAGE_4K,
}


def case(plan: Plan, batch: Batch) -> Values:
    """Fields of the CASE message before a batch."""
    experiment = plan.experiment
    return {
        **messages.PLAIN_CASE,
        "case_id": CASES[experiment.case].wire,
        "markers": Markers[experiment.markers.upper().replace("+", "_")],
        "idle": Idle[experiment.idle.upper()],
        "trigger": Trigger.RISING_EDGE
        if answering(experiment).at_pins
        else Trigger[experiment.trigger.upper().replace(" ", "_")],
        "dispatcher": Dispatcher[experiment.dispatcher.upper()],
        "caches": int(experiment.caches == "on"),
        "priority": experiment.priority,
        "core": experiment.core,
        "interrupt": plan.interrupt.id,
        "count": batch.count if experiment.by_software else 0,
        "cores": experiment.cores,
        "placement": Placement[experiment.placement.upper()],
        "pages": PAGES[experiment.pages or plan.machine.usual_pages],
        "memory": Memory[experiment.memory.upper().replace("-", "_")],
        "state": sum(CacheState[name.upper()] for name in set(experiment.state)),
        "warm": int(experiment.warm),
        "divisor": experiment.clock_divisor,
        "warm_up": experiment.warm_up,
        "raise_period": plan.counts(experiment.period),
        **_background(plan),
        **_load(plan),
        **_timer_tick(plan),
    }


def _background(plan: Plan) -> Values:
    background = plan.experiment.background
    if background is None:
        return {}
    if background.program is not None:
        return {"background": plan.program}
    return {"background": background.interrupts, "raise_period": plan.counts(background.period)}


def _load(plan: Plan) -> Values:
    load = plan.experiment.load
    if load is None:
        return {}
    return {
        "array_kib": load.array.kib,
        "data_accesses": load.data_accesses,
        "instruction_accesses": load.instruction_accesses,
        "budget": load.budget,
        "load_seed": line_seed(plan.experiment.seed, LINES),
        "aimed": int(load.aim == "path"),
    }


def _timer_tick(plan: Plan) -> Values:
    timer_tick = plan.experiment.timer_tick
    if timer_tick is None:
        return {}
    return {"timer_tick_period": plan.counts(timer_tick.period), "timer_tick_work": timer_tick.work}


def lockdown(plan: Plan) -> int:
    """Mask of the LOCK message after a CASE; 0: nothing is locked."""
    word = plan.experiment.lockdown
    return sum(Lockdown[name.upper()] for name in word.split("+")) if word else 0


def placed(plan: Plan) -> Values:
    """The line of a placement and the marker that starts it, as in the CODE_UNDER_TEST message."""
    code = plan.experiment.code_under_test
    assert code is not None  # the case has it
    return {
        "line": plan.experiment.lines[0].index,
        "cores": plan.cores_of(code.after),
        "code": code.after.marker,
    }


def code_under_test(plan: Plan, batch: Batch) -> Values:
    """Fields of the CODE_UNDER_TEST message before a batch, except for the code."""
    code, delays = plan.experiment.code_under_test, plan.delays
    assert code is not None  # the case has it
    return {
        **placed(plan),
        "first": delays[0],
        "step": delays.step,
        "last": delays[-1],
        "count": batch.count,
        "period": plan.counts(code.period),
    }


def lines(plan: Plan, batch: Batch) -> list[Values]:
    """Fields of each LINE message of one batch."""
    return [_line(plan, place, line, batch) for place, line in enumerate(plan.experiment.lines)]


def _line(plan: Plan, place: int, line: Line, batch: Batch) -> Values:
    shared = private = 0
    if answering(plan.experiment).direct_lines or line.interrupt == OWN_INTERRUPT:
        shared = 1 << line.index
    elif line in plan.experiment.raising:
        output = plan.interrupt.output
        if output is not None:
            shared = 1 << output
        else:
            private = plan.handlers
    by_marker = plan.experiment.code_under_test is not None  # each marker starts one pulse
    return {
        "index": line.index,
        "enable": 1,
        "mode": MODES[line.mode],
        "dither_bits": line.dither,
        "ack_cores": plan.cores_of(line.acknowledge),
        "ack_code": line.acknowledge.marker,
        "shared": shared,
        "private": private,
        "pmod": sum(1 << pin for pin in set(line.pmod)),
        "stm": int(line.stm or (place == 0 and plan.experiment.second_stamp)),
        "start_delay": 0 if by_marker else line.start_delay.ticks(plan.tick_hz),
        "high": line.high.ticks(plan.tick_hz),
        "low": line.low.ticks(plan.tick_hz),
        "count": 1 if by_marker else batch.count,
        "seed": line_seed(plan.experiment.seed, line.index),
    }


def line_seed(seed: int, line: int) -> int:
    """State of a line's dither at the start of a run: 32 bits, not zero.

    NumPy promises that a SeedSequence gives the same numbers for ever.
    """
    state = np.random.SeedSequence([seed, line, 0]).generate_state(1, np.uint32)
    return int(state[0]) or 1


def channels(plan: Plan, plausible_min: int) -> list[Values]:
    """Fields of each CHANNEL message; ``plausible_min``: ticks, from the calibration."""
    return [_channel(plan, channel, plausible_min) for channel in plan.experiment.channels]


def _channel(plan: Plan, channel: Channel, plausible_min: int) -> Values:
    start = channel.start
    of_line = start.kind is StartKind.LINE
    behind_handler = channel.stop.marker in (Marker.HANDLER, Marker.DONE, Marker.TASK)
    return {
        "index": channel.index,
        "enable": 1,
        "start_kind": start.kind,
        "start_line": start.line,
        "start_cores": 0 if of_line else plan.cores_of(start),
        "start_code": 0 if of_line else start.marker,
        "stop_cores": plan.cores_of(channel.stop),
        "stop_code": channel.stop.marker,
        "hist_shift": channel.bin.ticks(plan.tick_hz).bit_length() - 1,
        "phase_line": start.line,
        "timeout": channel.timeout.ticks(plan.tick_hz),
        # Calibrated is the way to the handler's marker; shorter ways have no floor.
        "plausible_min": plausible_min
        if of_line and behind_handler and _way_is_calibrated(plan, channel.stop)
        else 0,
        "hist_origin": channel.origin.ticks(plan.tick_hz),
    }


def _way_is_calibrated(plan: Plan, stop: Event) -> bool:
    """Whether each core takes the whole way of the calibration, core 0's, at every stimulus.

    While other interrupts come, the core may already be in the vector for one of them and
    acknowledges the most urgent there. Beside another stack cores run bare metal. Without
    caches the unmasking, which the calibrated way begins with, waits for its own fetch.
    """
    experiment = plan.experiment
    cached = experiment.caches == "on" and experiment.memory == "cacheable"
    alone = not plan.raises and experiment.timer_tick is None
    comparable = experiment.stack == DEFAULT_STACK or plan.cores_of(stop) == 1
    return cached and alone and comparable


def recorder(plan: Plan, batch: Batch, threshold: int) -> Values:
    """Fields of the RECORDER message; ``threshold``: shortest latency still wanted, ticks."""
    serves = batch.recorded and plan.serves_only
    sampled = plan.experiment.channels[0].index
    return {
        "rises": plan.recorded_rises if batch.recorded else 0,
        "falls": 0,
        # Deadlines are exact, so the host knows them; in a tail they must be told.
        "timeouts": 1 << sampled if serves else 0,
        "select_markers": plan.recorded_markers if batch.recorded else 0,
        "sample_channel": sampled,
        "threshold": min(max(1, threshold), RECORD_TIMED_OUT) if serves else 0,
        "limit": 0,
    }
