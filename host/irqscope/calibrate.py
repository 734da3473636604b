"""What the probe itself costs, measured in front of every run.

Before all, the software stack is tried once. (a) loop-back inside the PL, a constant; (b)
back-to-back marker pairs: cost and spread of the probe; (c) handler with the line already pending;
(d) an upper bound of the one-way path from core to PL, by the cycle counter. Raw latency stays the
headline: what software alone took lies in raw - [0, bound].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from irqscope import encoding
from irqscope.constants import LineMode, Marker, StartKind
from irqscope.errors import TargetError
from irqscope.machines.model import Comb, Machine
from irqscope.plan import Plan
from irqscope.protocol.codec import Reply, Values
from irqscope.protocol.messages import LINE, PLAIN_CASE, CaseId, Markers, Trigger
from irqscope.results.calibrated import Calibrated, Cycles, OneWay, Spread, Uncertainty
from irqscope.session import Session
from irqscope.stats import Distribution, of_histogram
from irqscope.units import NS_PER_S, ticks_to_ns
from irqscope.verdict import Books, histogram_against_books

#: Repetitions of each step: enough to see every phase of the comb of markers many times.
LOOPBACK_PULSES = 64
REPETITIONS = 256
#: Phases of a calibration pulse, ticks: 100 us each, longer than any handler without caches.
_PHASE = 25_000
TIMEOUT = _PHASE // 2
#: Rounds that are left out in front of each step that goes through caches and predictors.
LEAD_IN = 8
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


@dataclass(frozen=True)
class Calibration:
    """All steps. ``cores``: how many stored markers in (b); ``busy``: cores at work in the case.

    ``turn_cycles``: how far a twin's cores may be apart; None: a board, or not known.
    """

    comb: Comb
    tick_hz: int
    cpu_hz: int
    cores: int
    busy: int
    turn_cycles: int | None
    loopback: Spread
    probe: Spread
    pending: Spread
    store: Cycles
    echo: Cycles
    twin: bool

    @property
    def bound_ticks(self) -> int:
        """The one-way path is not longer: the shorter of both ways of (d), rounded up."""
        cycles = min(self.store.min_cycles, self.echo.min_cycles)
        return -(-cycles * self.tick_hz // self.cpu_hz)

    @property
    def plausible_min_ticks(self) -> int:
        """No true answer comes sooner, ticks; 0: that is not known.

        An answer from idle takes at least the way from exception entry to the handler's marker,
        which is (c) without the marker in front of it; the comb may shorten that. Where markers
        have no comb they are exact, and (c) has the unmasking in it, which an idle core has behind
        it: then there is no such floor.
        """
        if self.comb.ns == 0:
            return 0
        comb = math.ceil(self.comb.ns * self.tick_hz / NS_PER_S)
        return max(1, self.pending.min_ticks - self.probe.max_ticks - comb)

    def faults(self) -> list[str]:
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
            _term("comb of markers", self.comb.ns, self.comb.cause),
            _term("probe", spread, probe),
            _term("tick rate", None, "ppm of the crystal, scales all values alike"),
        ]
        if self.twin:
            terms.append(self._turns())
        return terms

    def _turns(self) -> Uncertainty:
        if self.busy == 1:
            text = "shared memory is exact to a turn; one core is at work, so there are none"
            return _term("turns between cores", 0.0, text)
        text = f"shared memory is exact to a turn, and {self.busy} cores are at work"
        if self.turn_cycles is None:
            return _term("turns between cores", None, f"{text}; this twin's is not known")
        turn = self.turn_cycles * NS_PER_S / self.cpu_hz
        return _term("turns between cores", turn, text)

    def record(self) -> Calibrated:
        """For ``run.json``."""
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


def calibrate(
    session: Session, plan: Plan, turn_cycles: int | None, step: Callable[[str], None]
) -> Calibration:
    """Carries all steps out.

    Core, caches, placement, pages, interrupt and route are those of the plan. In (b) as many cores
    store as handle the interrupt; otherwise one works alone, and nothing disturbs it. Where it
    raises one itself, a shared one takes its place, because no line can make it pending in front of
    step (c). ``turn_cycles``: of a twin, None where not known. ``step`` is told the name
    of each step. Raises TargetError, LinkError.
    """
    case, line = _setting(plan)
    identity, core = session.identity, case["core"]
    step("software stack")
    session.check_stack(step_case(case, CaseId.CAL_STACK, 0) | _shared(plan.machine))
    step("loop-back")
    loopback = _channel(0, StartKind.LINE, core=0, stop=Marker.HANDLER)
    unrouted = pulses(line, LOOPBACK_PULSES, LineMode.BURST) | {"shared": 0, "private": 0}
    a = spread(
        session,
        step_case(case, CaseId.CAL_LOOPBACK, LOOPBACK_PULSES),
        LOOPBACK_PULSES,
        [unrouted],
        loopback,
    )
    step("probe")
    pair = _channel(Marker.PROBE_FIRST, StartKind.MARKER, core=core, stop=Marker.PROBE_SECOND)
    storing = plan.experiment.cores
    b = spread(
        session,
        step_case(case | {"cores": storing}, CaseId.CAL_PROBE, REPETITIONS),
        REPETITIONS,
        [],
        pair,
    )
    step("pending")
    unmasked = _channel(Marker.START, StartKind.MARKER, core=core, stop=Marker.HANDLER)
    # A level that nobody takes back would be answered more than once.
    level = case["trigger"] == Trigger.LEVEL
    mode = LineMode.ACKNOWLEDGED if level else LineMode.BURST
    paced = [pulses(line, REPETITIONS + LEAD_IN, mode)]
    c = spread(
        session, step_case(case, CaseId.CAL_PENDING, REPETITIONS), REPETITIONS, paced, unmasked
    )
    step("one-way path")
    store = _cycles(session, case, CaseId.CAL_ONE_WAY_STORE)
    echo = _cycles(session, case, CaseId.CAL_ONE_WAY_ECHO)
    twin = identity.target == "twin"
    clocks = plan.machine.comb, identity.tick_hz, identity.cpu_hz
    return Calibration(*clocks, storing, plan.busy, turn_cycles, a, b, c, store, echo, twin)


def _setting(plan: Plan) -> tuple[Values, Values]:
    """Values of the CASE and LINE messages that the steps vary."""
    first = next(plan.batches())
    case = encoding.case(plan, first)
    kept = {name: case[name] for name in ("placement", "pages")}
    case |= PLAIN_CASE | kept
    if not plan.experiment.by_software:
        line = encoding.lines(plan, first)[0]
        return case, line | {"private": 1 << case["core"] if line["private"] else 0}
    case |= _shared(plan.machine)
    off = dict.fromkeys((field.name for field in LINE.request), 0)
    return case, off | {"enable": 1, "shared": 1}


def _shared(machine: Machine) -> Values:
    """An interrupt that software, too, can make pending on every target."""
    shared = machine.interrupt("shared")
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
    """Distribution of ``count`` intervals of a channel in a calibration's case. Raises TargetError
    if not all were seen, or if books and histogram do not agree.
    """
    lasting_s = 2 * _PHASE * count / session.identity.tick_hz
    session.prepare(case)
    outcome = session.batch(0, lines, [channel], _QUIET, lasting_s)
    books, histogram = Books(0), outcome.histograms[0]
    books.add(dict(outcome.books[0].values))
    wrong = [*books.faults(), *histogram_against_books(histogram, channel, books)]
    if books["served"] != count or books["overflow"]:
        wrong = [f"{books['served']} of {count} intervals seen, {books['overflow']} too long"]
    if wrong:
        step = CaseId(case["case_id"]).name
        raise TargetError(f"calibration {step}: {wrong[0]}; reset the target and run again")
    return _summary(of_histogram(histogram, origin=0, width=1))


def _summary(distribution: Distribution) -> Spread:
    ticks = distribution.lower.tolist()
    counts = tuple(zip(ticks, distribution.counts.tolist(), strict=True))
    return Spread(n=distribution.n, min_ticks=min(ticks), max_ticks=max(ticks), counts=counts)


def _cycles(session: Session, case: Values, step: CaseId) -> Cycles:
    session.prepare(step_case(case, step, REPETITIONS))
    reply: Reply = session.batch(0, [], [], _QUIET, 0.1).reply
    if reply.cycles_count != REPETITIONS:
        raise TargetError(
            f"calibration {step.name}: {reply.cycles_count} of {REPETITIONS} intervals timed; "
            "reset the target and run again"
        )
    return Cycles(
        n=reply.cycles_count,
        min_cycles=reply.cycles_min,
        max_cycles=reply.cycles_max,
        sum_cycles=reply.cycles_sum,
    )


def step_case(case: Values, step: CaseId, count: int) -> Values:
    """Fields of the CASE message of a step. ``count``: 0 where a line counts."""
    lead_in = LEAD_IN if step in _LED_IN else 0
    return case | {
        "case_id": step,
        "markers": Markers.PAPER,
        "count": count,
        "lead_in": lead_in,
    }


def pulses(line: Values, count: int, mode: LineMode) -> Values:
    """Line ``line`` in the calibration's own rhythm, dithered over the comb."""
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
