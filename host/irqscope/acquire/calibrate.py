"""Calibration: measures the cost of the probe before every run.

Before all, the software stack is tried once. (a) loop-back inside the PL; (b) back-to-back marker
pairs; (c) handler with the line already pending; (d) the one-way path from core to PL, by the cycle
counter.
"""

from __future__ import annotations

from collections.abc import Callable

from irqscope.acquire import encoding
from irqscope.acquire.calibration import Calibration
from irqscope.acquire.counters import Counters, histogram_against_counters
from irqscope.acquire.plan import Plan
from irqscope.acquire.session import Session
from irqscope.analysis.stats import Distribution, of_histogram
from irqscope.constants import LineMode, Marker, StartKind
from irqscope.errors import TargetError
from irqscope.link.codec import Reply, Values, request_values
from irqscope.link.messages import LINE, PLAIN_CASE, Markers, Trigger
from irqscope.machines.cases import CaseId
from irqscope.machines.interrupts import interrupt_of
from irqscope.machines.model import Machine
from irqscope.results.calibrated import Cycles, Spread

#: Repetitions of each step: enough to see every phase of the sampling grid of markers many times.
LOOPBACK_PULSES = 64
REPETITIONS = 256
#: Phases of a calibration pulse, ticks: 100 us each, longer than any handler without caches.
_PHASE = 25_000
TIMEOUT = _PHASE // 2
#: Rounds that are left out in front of each step that goes through caches and predictors.
WARM_UP = 8
#: A thread under Linux may lose its CPU at any time: its pulses and timeouts are so many times
#: longer, its bins have so many bits of ticks, and its steps have fewer repetitions.
_UNDER_LINUX = 400
_LINUX_BITS = 12
_LINUX_REPETITIONS = 16
_LED_IN = (
    CaseId.CAL_PROBE,
    CaseId.CAL_PENDING,
    CaseId.CAL_ONE_WAY_STORE,
    CaseId.CAL_ONE_WAY_ECHO,
)
_QUIET: Values = {
    "rises": 0,
    "falls": 0,
    "timeouts": 0,
    "select_markers": 0,
    "sample_channel": 0,
    "threshold": 0,
    "limit": 0,
}


def calibrate(
    session: Session,
    plan: Plan,
    quantum_cycles: int | None,
    step: Callable[[str], None],
    limit: int | None = None,
) -> Calibration:
    """Carries all steps out.

    Core, caches, placement, pages, interrupt and route are those of the plan. In (b) as many cores
    store as handle the interrupt; otherwise one works alone, and nothing disturbs it. Where the
    core raises one itself, a shared one replaces it, because no line can make it pending before
    step (c). ``quantum_cycles``: of a twin, None where not known. ``step`` receives the name of
    each step. ``limit``: repetitions of a step, where the target is slow. Raises TargetError,
    LinkError.
    """
    case, line = _setting(plan)
    identity, core = session.identity, case["core"]
    linux = identity.is_linux
    if linux:
        limit = fewer(_LINUX_REPETITIONS, limit)
    looped, repeated = (fewer(count, limit) for count in (LOOPBACK_PULSES, REPETITIONS))
    if not linux:  # whose thread cannot make an interrupt pending itself
        step("software stack")
        session.check_stack(step_case(case, CaseId.CAL_STACK, 0) | _shared(plan.machine))
    step("loop-back")
    loopback = _channel(0, StartKind.LINE, core=0, stop=Marker.HANDLER)
    unrouted = pulses(line, looped, LineMode.BURST) | {"shared": 0, "private": 0}
    a = spread(
        session,
        step_case(case, CaseId.CAL_LOOPBACK, looped),
        looped,
        [unrouted],
        loopback,
    )
    step("probe")
    pair = _channel(Marker.PROBE_FIRST, StartKind.MARKER, core=core, stop=Marker.PROBE_SECOND)
    pair = _patient(pair) if linux else pair
    storing = plan.experiment.cores
    b = spread(
        session,
        step_case(case | {"cores": storing}, CaseId.CAL_PROBE, repeated, leads_in=not linux),
        repeated,
        [],
        pair,
    )
    step("pending")
    unmasked = _channel(Marker.START, StartKind.MARKER, core=core, stop=Marker.HANDLER)
    # A level that nobody takes back would be answered more than once.
    level = case["trigger"] == Trigger.LEVEL
    mode = LineMode.ACKNOWLEDGED if level else LineMode.BURST
    paced = pulses(line, repeated + WARM_UP, mode)
    if linux:
        unmasked = _patient(unmasked)
        longer = _PHASE * _UNDER_LINUX
        paced |= {"count": repeated, "start_delay": longer, "high": longer, "low": longer}
    pending = step_case(case, CaseId.CAL_PENDING, repeated, leads_in=not linux)
    c = spread(session, pending, repeated, [paced], unmasked)
    step("one-way path")
    ways = CaseId.CAL_ONE_WAY_STORE, CaseId.CAL_ONE_WAY_ECHO
    store, echo = (
        _cycles(session, step_case(case, way, repeated, leads_in=not linux)) for way in ways
    )
    twin = identity.target == "twin"
    clocks = plan.machine.sampling_grid, identity.tick_hz, identity.cpu_hz
    return Calibration(*clocks, storing, plan.busy, quantum_cycles, a, b, c, store, echo, twin)


def fewer(count: int, limit: int | None) -> int:
    """``count``, or ``limit`` if that is less."""
    return count if limit is None else min(count, limit)


def _setting(plan: Plan) -> tuple[Values, Values]:
    """Values of the CASE and LINE messages that the steps vary."""
    first = next(plan.batches())
    case = encoding.case(plan, first)
    unchanged = {name: case[name] for name in ("placement", "pages")}
    case |= PLAIN_CASE | unchanged
    if not plan.experiment.by_software:
        line = encoding.lines(plan, first)[0]
        return case, line | {"private": 1 << case["core"] if line["private"] else 0}
    case |= _shared(plan.machine)
    return case, request_values(LINE, enable=1, shared=1)


def _shared(machine: Machine) -> Values:
    """An interrupt that software can also make pending on every target."""
    shared = interrupt_of(machine, "shared")
    by_edge = "rising edge" in shared.senses
    return {
        "interrupt": shared.id,
        "trigger": Trigger.RISING_EDGE if by_edge else Trigger.LEVEL,
    }


def spread(
    session: Session,
    case: Values,
    count: int,
    lines: list[Values],
    channel: Values,
) -> Spread:
    """Distribution of ``count`` intervals of a channel in a calibration's case.

    Raises TargetError if not all were seen, or if counters and histogram do not agree.
    """
    longest = max([_PHASE, *(line["high"] for line in lines)])
    lasting_s = 2 * longest * count / session.identity.tick_hz
    session.prepare(case)
    outcome = session.batch(0, lines, [channel], _QUIET, lasting_s)
    counters, histogram = Counters(0), outcome.histograms[0]
    counters.add(dict(outcome.counters[0].values))
    errors = [
        *counters.validity_errors(),
        *histogram_against_counters(histogram, channel, counters),
    ]
    if counters["served"] != count or counters["overflow"]:
        errors = [
            f"{counters['served']} of {count} intervals seen, {counters['overflow']} too long"
        ]
    if errors:
        step = CaseId(case["case_id"]).name
        raise TargetError(f"calibration {step}: {errors[0]}; reset the target and run again")
    statistics = of_histogram(histogram, origin=0, width=1 << channel["hist_shift"])
    assert counters.min_ticks is not None and counters.max_ticks is not None  # it served some
    return _summary(statistics, counters.min_ticks, counters.max_ticks)


def _summary(distribution: Distribution, shortest: int, longest: int) -> Spread:
    """``shortest``, ``longest``: exact, also where bins are wider than a tick."""
    ticks = [max(shortest, tick) for tick in distribution.lower.tolist()]
    counts = tuple(zip(ticks, distribution.counts.tolist(), strict=True))
    return Spread(n=distribution.n, min_ticks=shortest, max_ticks=longest, counts=counts)


def _patient(channel: Values) -> Values:
    """The channel for answers of a thread under Linux."""
    return channel | {"timeout": TIMEOUT * _UNDER_LINUX, "hist_shift": _LINUX_BITS}


def _cycles(session: Session, case: Values) -> Cycles:
    count, step = case["count"], CaseId(case["case_id"])
    session.prepare(case)
    reply: Reply = session.batch(0, [], [], _QUIET, 0.1).reply
    if reply.cycles_count != count:
        raise TargetError(
            f"calibration {step.name}: {reply.cycles_count} of {count} intervals timed; "
            "reset the target and run again"
        )
    return Cycles(
        n=reply.cycles_count,
        min_cycles=reply.cycles_min,
        max_cycles=reply.cycles_max,
        sum_cycles=reply.cycles_sum,
    )


def step_case(case: Values, step: CaseId, count: int, *, leads_in: bool = True) -> Values:
    """Fields of the CASE message of a step.

    Args:
        case: Fields of the case that is calibrated.
        step: The step.
        count: Repetitions, 0 where a line counts.
        leads_in: Whether the target can go through rounds that are left out.
    """
    warm_up = WARM_UP if step in _LED_IN and leads_in else 0
    return case | {
        "case_id": step,
        "markers": Markers.PAPER,
        "count": count,
        "warm_up": warm_up,
    }


def pulses(line: Values, count: int, mode: LineMode) -> Values:
    """Line ``line`` in the calibration's own rhythm, dithered over the sampling grid."""
    rhythm = {"mode": mode, "high": _PHASE, "low": _PHASE, "dither_bits": 3}
    return line | rhythm | {"index": 0, "count": count, "seed": 1}


def _channel(start: int, kind: StartKind, *, core: int, stop: Marker) -> Values:
    of_line = kind is StartKind.LINE
    return {
        "index": 0,
        "enable": 1,
        "start_kind": kind,
        "start_line": start if of_line else 0,
        "start_cores": 0 if of_line else 1 << core,
        "start_code": 0 if of_line else start,
        "stop_cores": 1 << core,
        "stop_code": stop,
        "hist_shift": 0,
        "phase_line": 0,
        "timeout": TIMEOUT,
        "plausible_min": 0,
        "hist_origin": 0,
    }
