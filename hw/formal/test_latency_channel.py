"""A channel's counters agree, its decisions follow the stated order, its deadline is exact."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal, Value

from irqscope_hw.registers import encoded

from . import stand_in
from .contract import TICKS, add_dut, configure, imminent, past, skipping_timebase, still
from .prover import Gateware, Mutation, prove, reach, refute, registers

CORES = 2
START_BY_LINE = encoded("start_kind", "line")


class Environment:
    """Any events, configuration and commands that Control allows; every legal skip."""

    def __init__(self, m: Module, gateware: Gateware):
        constants = gateware.constants
        self.dut = dut = gateware.latency_channel.LatencyChannel(lines=2, cores=CORES, bins_log2=2)
        self.inner = registers(add_dut(m, dut))
        armed, clear = Signal(), Signal()
        m.d.comb += [armed.eq(AnySeq(1)), clear.eq(AnySeq(1))]
        m.d.comb += [dut.armed.eq(armed), dut.clear.eq(clear)]
        armed_was, clear_was = past(m, armed, "armed"), past(m, clear, "clear")
        self.held = held = configure(m, dut.registers, ~armed & ~armed_was)
        resting = Signal(2)  # ticks since armed was high, up to 3
        m.d.sync += resting.eq(Mux(armed, 0, resting + ~resting.all()))
        # Ticks that clear has been high.
        self.clearing = clearing = Signal(3)
        m.d.sync += clearing.eq(Mux(clear, clearing + ~clearing.all(), 0))

        events = dut.events
        presented = Signal(6)
        m.d.comb += presented.eq(AnySeq(6))
        m.d.comb += [
            events.rises.eq(presented[:2]),
            events.falls.eq(presented[2:4]),
            events.markers.eq(presented[4:]),
            Value.cast(events.codes).eq(AnySeq(3 * CORES)),
            dut.read.eq(0),
            # Control: armed no sooner than 4 ticks after it was disarmed or configured, and only
            # with settings that were not refused; cleared while disarmed and for as many ticks as
            # there are bins.
            Assume(~armed | armed_was | (~dut.refused & (held >= 4) & resting.all() & ~clear_was)),
            Assume(~clear | (~armed & ~armed_was)),
            Assume(clear | ~clear_was | clearing.all()),
        ]
        unchanged = (armed == armed_was) & ~clear & (held >= 2)
        self.untouched = ~presented.any() & unchanged
        targets = [(dut.target_valid, dut.target)]
        quiet = dut.quiet & self.untouched
        timebase = skipping_timebase(m, gateware, quiet, targets)
        self.now, self.stamp, self.skip = timebase.now, timebase.stamp, timebase.skip
        m.d.comb += [
            dut.ahead.eq(timebase.ahead),
            dut.stamp.eq(timebase.stamp),
            Assume(timebase.now + (1 << 34) < TICKS),
        ]
        near = imminent(timebase, targets, constants.COMPARE_DELAY)
        self.skippable = quiet & ~near
        # Whatever is presented.
        self.deaf = dut.quiet & unchanged & ~dut.registers.config_enable & ~near


def agreed(inner: dict[str, Signal]) -> list[Assert]:
    """The flags for a start or a stop agree with the cores' bits."""
    return [
        Assert(inner[known] == inner[whose].any())
        for known, whose in (("starting", "starts"), ("stop", "stops"))
    ]


class Counters(Elaboratable):
    """starts = served + coalesced + timed_out + pending, stops = served + unmatched.

    Each counter grows by its increment and by nothing else, at full width; in every tick the
    increments of the two sides are equal. As all start from zero, the sums are equal for all time.
    For the last step the solver is shown the sums as well, modulo 2^8: re-association of 64-bit
    sums is beyond it.
    """

    LOW = 8

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        self.environment = environment = Environment(m, self.gateware)
        dut, inner, regs = environment.dut, environment.inner, environment.dut.registers
        counting, clearing = inner["counting"], environment.clearing
        happening = inner["starting"] | inner["stop"] | inner["phase"]

        def more(name):
            """Increment of the counter at the end of this tick."""
            return Mux(counting, inner[f"more_{name}"], 0)

        starts, coalesced, stops, unmatched = map(
            more, ("starts", "coalesced", "stops", "unmatched")
        )
        pending = regs.pending_value
        kept = ~past(m, dut.clear, "kept_clear")

        # ---- full width: a counter grows by its increment ------------------------------------
        counters = {
            "starts": starts,
            "coalesced": coalesced,
            "stops": stops,
            "unmatched": unmatched,
            "served": dut.served,
            "timed_out": dut.timed_out,
        }
        for name, increment in counters.items():
            value = getattr(regs, f"{name}_value")
            grown = past(m, (value + increment)[:64], name)
            m.d.comb += [
                Assert(~kept | (value == grown)),
                Assert(kept | (value == 0)),
            ]

        # ---- the increments of both sides are equal ------------------------------------------
        opened_before = past(m, pending, "pending")
        m.d.comb += [
            Assert(
                ~kept | (starts + opened_before == dut.served + coalesced + dut.timed_out + pending)
            ),
            Assert(stops == dut.served + unmatched),
            Assert(counting | ~dut.served),
            *agreed(inner),
            Assert((clearing < 1) | ~(happening | inner["listened"] | pending)),
            Assert((clearing < 2) | ~(counting | dut.served | dut.timed_out)),
        ]

        # ---- the sums, with nothing under way, as software reads them --------------------------
        def low(name):
            return getattr(regs, f"{name}_value")[: self.LOW]

        started, stopped = Signal(self.LOW), Signal(self.LOW)
        m.d.comb += [
            started.eq(low("served") + low("coalesced") + low("timed_out") + pending),
            stopped.eq(low("served") + low("unmatched")),
            Assert(
                ~kept
                | (
                    (low("starts") + starts)[: self.LOW]
                    == (started + dut.served + coalesced + dut.timed_out)[: self.LOW]
                )
            ),
            Assert(
                ~kept
                | (
                    (low("stops") + stops)[: self.LOW]
                    == (stopped + dut.served + unmatched)[: self.LOW]
                )
            ),
            Assert(~(kept & dut.quiet) | (low("starts") == started)),
            Assert(~(kept & dut.quiet) | (low("stops") == stopped)),
            Cover(
                dut.quiet
                & (regs.served_value == 1)
                & (regs.timed_out_value == 1)
                & (regs.coalesced_value == 1)
                & (regs.unmatched_value == 1)
            ),
        ]
        return m


class Decisions(Elaboratable):
    """Stop, timeout and start of one stamp act in that order; deadline and latency are exact.

    The timeout has the stamp start + timeout: the deadline's target is start + allowed with
    allowed = timeout + DECISION_DELAY + 1, the comparator announces it one tick before, and
    ``stamp`` is ``now`` - DECISION_DELAY. The target is loaded when ``stamp`` is start + 2, so at
    least 10 ticks before it, as the comparator's proof asks.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        delay = self.gateware.constants.DECISION_DELAY
        shortest = self.gateware.constants.SHORTEST_PHASE
        self.environment = environment = Environment(m, self.gateware)
        dut, inner, regs = environment.dut, environment.inner, environment.dut.registers
        now, stamp, held = environment.now, environment.stamp, environment.held

        # ---- what one stamp brings, by the configuration -------------------------------------
        def chosen(cores, code):
            return [
                dut.events.markers[i] & cores[i] & (dut.events.codes[i] == code)
                for i in range(CORES)
            ]

        listening = dut.armed & regs.config_enable
        by_line = regs.config_start_kind == START_BY_LINE
        rise = dut.events.rises.bit_select(regs.config_start_line, 1)
        start_markers = chosen(regs.config_start_cores, regs.config_start_code)
        stop_markers = chosen(regs.config_stop_cores, regs.config_stop_code)
        # The tick after they are presented is the tick of the decision.
        started = past(
            m, listening & Mux(by_line, rise, start_markers[0] | start_markers[1]), "started"
        )
        stopped = past(m, listening & (stop_markers[0] | stop_markers[1]), "stopped")
        active = past(m, listening, "active")

        # ---- the reference: one open stimulus, the oldest --------------------------------------
        open_, opened_at = Signal(), Signal(64)
        due = Signal()
        serve, expire, begin = Signal(), Signal(), Signal()
        m.d.comb += [
            due.eq(dut.target_valid & (dut.target == now + 1)),
            serve.eq(open_ & stopped),
            expire.eq(open_ & ~stopped & due & active),
            begin.eq(started & (~open_ | serve | expire)),
        ]
        m.d.sync += open_.eq(((open_ & ~serve & ~expire) | begin) & ~dut.clear)
        with m.If(begin):
            m.d.sync += opened_at.eq(stamp)

        served, expired = past(m, serve, "serve"), past(m, expire, "expire")
        latency = past(m, (stamp - opened_at)[:32], "latency")
        m.d.comb += [
            Assert(regs.pending_value == open_),
            Assert(dut.served == served),
            Assert(dut.timed_out == expired),
            Assert(~served | (dut.latency == latency)),
            Cover(expired & past(m, begin, "begun_at_expiry")),
            Cover(served & past(m, due, "due") & past(m, begin, "begun_at_service")),
        ]

        # ---- what makes it inductive: the way of a deadline to the comparator ------------------
        summing, loading, allowed = inner["summing"], inner["loading"], inner["allowed"]
        target = (opened_at + allowed)[:64]
        waiting = open_ & active
        refusal = past(m, (regs.timeout_ticks < shortest) | open_, "refusal")
        m.d.comb += [
            *agreed(inner),
            Assert(inner["listened"] == active),
            Assert((held < 2) | (allowed == regs.timeout_ticks + delay + 1)),
            Assert(~active | ((held >= 4) & (regs.timeout_ticks >= shortest))),
            Assert((held < 4) | past(m, dut.armed, "armed_before") | (dut.refused == refusal)),
            Assert(~open_ | (inner["start"] == opened_at)),
            Assert(~waiting | summing | loading | dut.target_valid),
            Assert(~dut.target_valid | open_),
            Assert(~dut.target_valid | active | past(m, active, "active_before")),
            Assert((summing + loading + dut.target_valid) <= 1),
            Assert(~summing | (opened_at == past(m, stamp, "stamp_1"))),
            Assert(~(loading & waiting) | (inner["deadline"] == target)),
            Assert(~(dut.target_valid & waiting) | (dut.target == target)),
        ]
        return m


def shortest_timeout(m: Module, environment: Environment) -> Module:
    """Adds the shortest timeout, one setting and no skip: a bug in a deadline shows sooner."""
    dut, regs, now = environment.dut, environment.dut.registers, environment.now
    m.d.comb += [
        Assume(~environment.skip & ~dut.clear),
        Assume(dut.armed == (now >= 7)),
        Assume((now < 1) | (environment.held == Mux(now > 8, 7, now - 1))),
        Assume((now < 1) | (regs.timeout_ticks == 10)),
        Assume((now < 1) | regs.config_enable),
        Assume((now < 1) | (regs.config_start_kind == START_BY_LINE)),
        Assume((now < 1) | (regs.config_start_line == 0)),
        Assume((now < 1) | (regs.config_stop_cores == 1)),
        Assume((now < 1) | (regs.config_stop_code == 2)),
    ]
    return m


class CountersInTime(Counters):
    def elaborate(self, platform):
        return shortest_timeout(super().elaborate(platform), self.environment)


class DecisionsInTime(Decisions):
    def elaborate(self, platform):
        return shortest_timeout(super().elaborate(platform), self.environment)


class Stillness(Elaboratable):
    """A skip has nothing to forget: no register changes while quiet and no timeout is near.

    Events change no register of a channel that is not enabled, either.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        environment = Environment(m, self.gateware)
        kept = {
            path: r
            for path, r in environment.inner.items()
            if not path.startswith(("comparator.", "histogram."))
        }
        still(m, environment.skippable | environment.deaf, kept)
        return m


COUNTERS = [
    Mutation(
        "coalesces_what_begins",
        "latency_channel",
        "more_coalesced.eq(number(starts, opening))",
        "more_coalesced.eq(number(starts, 0))",
    ),
    Mutation(
        "drops_unmatched",
        "latency_channel",
        "more_unmatched.eq(number(stops, serve))",
        "more_unmatched.eq(0)",
    ),
    Mutation(
        "serves_twice",
        "latency_channel",
        "keep.eq(open_ & ~serve & ~expire)",
        "keep.eq(open_ & ~expire)",
    ),
]
DECISIONS = [
    Mutation(
        "newest_stays",
        "latency_channel",
        "with m.If(opening):\n            m.d.sync += start.eq(self.stamp)",
        "with m.If(starting):\n            m.d.sync += start.eq(self.stamp)",
    ),
    Mutation(
        "start_before_stop",
        "latency_channel",
        "serve.eq(open_ & stop)",
        "serve.eq((open_ | starting) & stop)",
    ),
    Mutation(
        "deadline_one_late",
        "latency_channel",
        "regs.timeout_ticks + DECISION_DELAY + 1",
        "regs.timeout_ticks + DECISION_DELAY + 2",
    ),
]
TIMED_COUNTERS = [
    Mutation(
        "forgets_timeout",
        "latency_channel",
        "regs.timed_out_value.eq(regs.timed_out_value + 1)",
        "regs.timed_out_value.eq(regs.timed_out_value)",
    ),
]
TIMED_DECISIONS = [
    Mutation(
        "keeps_old_deadline",
        "latency_channel",
        "forget.eq(serve | expire | ~listened | self.clear)",
        "forget.eq(expire | ~listened | self.clear)",
    ),
    Mutation(
        "timeout_before_stop",
        "latency_channel",
        "expire.eq(open_ & ~stop & comparator.hit & listened)",
        "expire.eq(open_ & comparator.hit & listened)",
    ),
]
DEEP_STILLNESS = [
    Mutation("quiet_while_counting", "latency_channel", "                    | counting\n", ""),
    Mutation(
        "hears_though_disabled",
        "latency_channel",
        "listening = self.armed & regs.config_enable",
        "listening = self.armed",
    ),
]
STILLNESS = [
    Mutation("quiet_while_loading", "latency_channel", "                    | loading\n", ""),
]


def name(mutation: Mutation) -> str:
    return mutation.name


def test_counters_are_proved(tmp_path: Path) -> None:
    prove(Counters, 1, tmp_path, comparator=stand_in, histogram=stand_in)


def test_decisions_are_proved(tmp_path: Path) -> None:
    prove(Decisions, 3, tmp_path, comparator=stand_in, histogram=stand_in)


def test_stillness_is_proved(tmp_path: Path) -> None:
    prove(Stillness, 3, tmp_path, comparator=stand_in, histogram=stand_in)


@pytest.mark.parametrize("mutation", COUNTERS, ids=name)
def test_counters_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Counters, mutation, 14, tmp_path, comparator=stand_in, histogram=stand_in)


@pytest.mark.parametrize("mutation", DECISIONS, ids=name)
def test_decisions_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Decisions, mutation, 16, tmp_path, comparator=stand_in, histogram=stand_in)


@pytest.mark.parametrize("mutation", STILLNESS, ids=name)
def test_stillness_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Stillness, mutation, 14, tmp_path, comparator=stand_in, histogram=stand_in)


@pytest.mark.parametrize("mutation", TIMED_COUNTERS, ids=name)
def test_counters_in_time_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(CountersInTime, mutation, 30, tmp_path, comparator=stand_in, histogram=stand_in)


@pytest.mark.parametrize("mutation", TIMED_DECISIONS, ids=name)
def test_decisions_in_time_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(DecisionsInTime, mutation, 30, tmp_path, comparator=stand_in, histogram=stand_in)


def test_decisions_are_reached(tmp_path: Path) -> None:
    reach(DecisionsInTime, 34, tmp_path, comparator=stand_in, histogram=stand_in)


@pytest.mark.soak
@pytest.mark.parametrize("mutation", DEEP_STILLNESS, ids=name)
def test_stillness_is_refuted_deep(mutation: Mutation, tmp_path: Path) -> None:
    refute(Stillness, mutation, 14, tmp_path, comparator=stand_in, histogram=stand_in)
