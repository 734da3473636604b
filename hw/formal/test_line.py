"""A line's edges happen in the ticks of its targets, its phases have the programmed lengths."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal

from irqscope_hw.registers import encoded

from . import stand_in
from .contract import (
    TICKS,
    add_dut,
    command,
    configure,
    imminent,
    past,
    skipping_timebase,
    still,
)
from .prover import Gateware, Mutation, prove, reach, refute, registers

MODE_FREE_RUNNING = encoded("line_mode", "free_running")
MODE_SINGLE_SHOT = encoded("line_mode", "single_shot")
MODE_ACKNOWLEDGED = encoded("line_mode", "acknowledged")


class Environment:
    """Any run of a line: any configuration, markers, commands and legal skips.

    Assumes what Control and the register file promise.
    """

    def __init__(self, m: Module, gateware: Gateware):
        self.dut = dut = gateware.line.Line(cores=1)
        self.inner = registers(add_dut(m, dut))
        commands = command(m, dut)
        self.held = held = configure(m, dut.registers, dut.done & ~dut.go)
        start_tick = Signal(64)
        m.d.sync += start_tick.eq(Mux(held == 0, AnySeq(64), start_tick))
        m.d.comb += dut.start_tick.eq(start_tick)

        targets = [(dut.target_valid, dut.target)]
        quiet = dut.quiet & ~commands.any() & ~dut.markers.any() & (held >= 2)
        timebase = skipping_timebase(m, gateware, quiet, targets)
        self.now = now = timebase.now
        self.skip = timebase.skip
        self.skippable = quiet & ~imminent(timebase, targets, gateware.constants.COMPARE_DELAY)
        # A line that is done, whatever it hears.
        under_way = ("stage", "drop", "rose", "fell", "expired")
        self.deaf = (
            dut.done
            & ~Cat(self.inner[name] for name in under_way).any()
            & ~commands.any()
            & (held >= 3)
        )
        m.d.comb += [
            dut.ahead.eq(timebase.ahead),
            dut.now.eq(now),
            Assume(start_tick < TICKS),
            Assume(~dut.go | ((held >= 4) & ~dut.refused & (start_tick >= now + 10))),
            # A run is shorter than 1169 years.
            Assume(now + (1 << 34) < TICKS),
        ]
        self._digest(m, gateware.constants.SHORTEST_PHASE)

    def _digest(self, m: Module, shortest: int):
        """Asserts that the line's copy of its configuration matches the configuration."""
        dut, inner, held = self.dut, self.inner, self.held
        regs = dut.registers
        self.dither_most = dither_most = Signal(33)
        m.d.comb += dither_most.eq((1 << regs.config_dither_bits) - 1)
        refusal = Signal()
        m.d.comb += refusal.eq(
            (regs.high_ticks < Mux(regs.config_mode == MODE_ACKNOWLEDGED, 2 * shortest, 1))
            | (regs.low_ticks < shortest)
            | (regs.config_dither_bits > 24)
            | (
                (regs.count_value == 0)
                & (
                    (regs.config_mode == MODE_ACKNOWLEDGED)
                    | (regs.config_mode == encoded("line_mode", "burst"))
                )
            )
        )
        mode = regs.config_mode
        is_short = (mode != MODE_ACKNOWLEDGED) & (regs.high_ticks < shortest)
        settled = dut.done & past(m, dut.done, "done") & (held >= 2)
        m.d.comb += [
            Assert((held < 1) | (inner["acknowledged"] == (mode == MODE_ACKNOWLEDGED))),
            Assert((held < 1) | (inner["free_running"] == (mode == MODE_FREE_RUNNING))),
            Assert((held < 1) | (inner["counted"] == (mode != MODE_SINGLE_SHOT))),
            Assert((held < 2) | (inner["short"] == is_short)),
            Assert((held < 1) | (inner["dither_mask"] == dither_most[:24])),
            Assert((held < 1) | (inner["unseeded"] == (regs.seed_value == 0))),
            Assert(~settled | (inner["lfsr"] == Mux(regs.seed_value == 0, 1, regs.seed_value))),
            Assert((held < 2) | (dut.refused == refusal)),
            Assert(dut.done | (held >= 4)),
            Assert(dut.done | ~refusal),
        ]


class Pulses(Elaboratable):
    """Edges happen in the ticks of targets and nowhere else, phases last as programmed."""

    flat = True  # shown in half the time
    #: Looks only at steps from a line whose pulses are short, or are not; None: at all of them.
    short: bool | None = None

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        shortest = self.gateware.constants.SHORTEST_PHASE
        phases, delay = self.gateware.line.Phase, self.gateware.line.TARGET_DELAY
        self.environment = environment = Environment(m, self.gateware)
        dut, inner, now = environment.dut, environment.inner, environment.now
        regs, start_tick = dut.registers, dut.start_tick
        phase, stage, drop = inner["phase"], inner["stage"], inner["drop"]
        waiting = dut.target_valid & ~drop
        if self.short is not None:
            was_short = past(m, inner["short"], "was_short")
            m.d.comb += Assume((now < 2) | (was_short == self.short))

        # ---- the edges -------------------------------------------------------------------
        due = past(m, waiting & (dut.target == now + 1), "due")
        stopped = past(m, dut.stop | dut.clear, "stop")
        acknowledged = past(m, inner["acknowledge"] & (phase == phases.HELD), "acknowledged")
        level, phase_was = past(m, dut.level, "level"), past(m, phase, "phase")
        more = past(m, inner["more"], "more")
        short = phase == phases.SHORT
        over = past(m, short & (inner["left"] == 0), "over")
        m.d.comb += [
            Assert(dut.rose == (dut.level & ~level)),
            Assert(dut.fell == (~dut.level & level)),
            Assert(~dut.rose | (due & ~stopped)),
            Assert(~dut.fell | due | acknowledged | over | stopped),
            Assert(~(over & ~stopped) | dut.fell),
            Assert(~(due & ~stopped & (phase_was == phases.DELAY)) | dut.rose),
            Assert(~(due & ~stopped & (phase_was == phases.LOW) & more) | dut.rose),
            Assert(~(due & ~stopped & (phase_was == phases.LOW) & ~more) | dut.done),
            Assert(~(due & ~stopped & (phase_was == phases.HIGH)) | dut.fell),
            Assert(~(due & ~stopped & (phase_was == phases.HELD)) | dut.fell),
            Assert(
                ~(due & ~stopped & (phase_was == phases.MINIMUM))
                | dut.fell
                | (phase == phases.HELD)
            ),
            Assert(~stopped | (dut.done & ~dut.level)),
            Assert(dut.done | dut.target_valid | stage.any() | short),  # never stuck
        ]

        # ---- lengths of the phases -------------------------------------------------------
        holds = Signal()  # mode acknowledged
        m.d.comb += holds.eq(inner["acknowledged"])
        risen_at, fallen_at = Signal(64), Signal(64)
        rise_tick, fall_tick = Signal(64), Signal(64)
        first = Signal()  # no rise yet in this run
        dither_most = environment.dither_most
        m.d.comb += [
            rise_tick.eq(Mux(dut.rose, now, risen_at)),
            fall_tick.eq(Mux(dut.fell, now, fallen_at)),
        ]
        m.d.sync += [risen_at.eq(rise_tick), fallen_at.eq(fall_tick)]
        m.d.sync += first.eq((first & ~dut.rose) | (dut.done & dut.go))
        # The length of the phase that an edge ends stays in `length` for some ticks more.
        length = inner["length"]
        m.d.comb += [
            Assert(~(dut.rose & first) | (now == (start_tick + regs.start_delay_ticks)[:64])),
            Assert(~(dut.rose & ~first) | (now == (fallen_at + length)[:64])),
            Assert(~(dut.rose & ~first) | (length >= regs.low_ticks)),
            Assert(~(dut.rose & ~first) | (length <= regs.low_ticks + dither_most)),
            Assert(~(dut.fell & ~stopped & ~holds) | (now == (risen_at + regs.high_ticks)[:64])),
            # Mode acknowledged: at the shortest phase, at `high`, or when acknowledged in between.
            Assert(
                ~(dut.fell & ~stopped & holds & (phase_was == phases.MINIMUM))
                | (now == (risen_at + shortest)[:64])
            ),
            Assert(
                ~(dut.fell & ~stopped & holds & (phase_was == phases.HELD) & ~acknowledged)
                | (now == (risen_at + regs.high_ticks)[:64])
            ),
            Cover(dut.rose),
            Cover(dut.fell & ~stopped),
        ]

        # ---- what makes the above inductive ------------------------------------------------
        base, after = inner["base"], inner["after"]
        edge = Mux(dut.level, rise_tick, fall_tick)
        starting = phase == phases.DELAY
        from_edge = Mux(phase == phases.HELD, rise_tick, edge)
        based = stage[1:].any() | waiting
        drawn = stage[2:].any() | waiting
        owned = stage[3:].any() | waiting
        sized = stage[4:].any() | waiting
        own, dither = inner["own"], inner["dither"]
        held = phase == phases.HELD
        went = Signal(64)
        m.d.sync += went.eq(Mux(dut.done & dut.go, now, went))
        deaf_until = rise_tick + self.gateware.line.ACKNOWLEDGE_DELAY + 1
        heard = past(m, inner["early"] | (inner["acknowledge"] & (now >= deaf_until)), "heard")
        due_own = Signal(32)
        with m.Switch(phase):
            with m.Case(phases.DELAY):
                m.d.comb += due_own.eq(regs.start_delay_ticks)
            with m.Case(phases.MINIMUM):
                m.d.comb += due_own.eq(shortest)
            with m.Case(phases.HIGH, phases.HELD):
                m.d.comb += due_own.eq(regs.high_ticks)
            with m.Case(phases.LOW):
                m.d.comb += due_own.eq(regs.low_ticks)
        m.d.comb += [
            Assert(dut.done == (phase == phases.DONE)),
            Assert(
                dut.level
                == (
                    (phase == phases.HIGH)
                    | (phase == phases.MINIMUM)
                    | (phase == phases.HELD)
                    | short
                )
            ),
            Assert(phase <= phases.SHORT.value),
            Assert(~short | (~stage.any() & ~dut.target_valid & ~drop)),
            Assert(~short | (now + inner["left"] + 1 == rise_tick + regs.high_ticks)),
            Assert((stage & (stage - 1)[: delay + 1]) == 0),
            Assert(~stage.any() | ~waiting),
            Assert(~dut.done | (~stage.any() & ~waiting)),
            Assert(stage[0] == (drop & ~dut.done)),
            # Only a stop and an acknowledgement leave a stale target.
            Assert(~(drop & dut.target_valid) | dut.done | (phase == phases.LOW)),
            Assert(~((phase == phases.HIGH) | short) | ~holds),
            Assert(dut.done | ~((phase == phases.HIGH) | short) | (inner["short"] == short)),
            Assert(~((phase == phases.MINIMUM) | (phase == phases.HELD)) | holds),
            Assert(dut.done | ((first & ~dut.rose) == starting)),
            Assert(dut.done | starting | ~based | (base == from_edge)),
            Assert(~(phase == phases.HELD) | (base == rise_tick)),
            Assert(dut.done | ~starting | ~drawn | (base == start_tick)),
            Assert(~drawn | ((dither & ~dither_most) == 0)),
            Assert(~drawn | (phase == phases.LOW) | (dither == 0)),
            Assert(~owned | (own == due_own)),
            Assert(~sized | (length == due_own + dither)),
            Assert(~stage[-1] | (after == (base + length)[:64])),
            Assert(~waiting | (dut.target == (base + length)[:64])),
            # A target is loaded in time, as the comparator's proof asks: while `stage` holds a bit
            # nothing may be skipped, so the ticks since the edge, or since `go`, are known.
            Assert(~stage[-1] | (after >= now + self.gateware.constants.COMPARE_DELAY + 1)),
            *(
                Assert(
                    ~stage[i]
                    | (now == (Mux(starting, went + 1, edge) + Mux(held, shortest, 0) + i)[:64])
                )
                for i in range(delay + 1)
            ),
            Assert(dut.done | (start_tick >= went + 10)),
            Assert(~owned | starting | (own >= shortest)),
            Assert(~(owned & held) | (own >= 2 * shortest)),
            # Ignores events stamped in the tick of the rise or before.
            Assert(rise_tick <= now),
            Assert(~(waiting & (phase == phases.MINIMUM)) | (now >= deaf_until)),
            Assert((phase != phases.MINIMUM) | (inner["early"] == (heard & ~dut.rose))),
        ]

        return m


class LongPulses(Pulses):
    """The steps from a line whose pulses end at a target."""

    short = False


class ShortPulses(Pulses):
    """The steps from a line whose pulses a counter ends; the rest of all steps."""

    short = True


class OnePulse(Pulses):
    """The same for one pulse with the shortest phases and no skip: a bug shows sooner there."""

    mode = "single_shot"
    high = 0  # ticks; 0: the shortest that ends at a target

    def elaborate(self, platform):
        m = super().elaborate(platform)
        environment, shortest = self.environment, self.gateware.constants.SHORTEST_PHASE
        dut, regs = environment.dut, environment.dut.registers
        acknowledged = self.mode == "acknowledged"
        m.d.comb += [
            Assume(~environment.skip & ~dut.clear & (acknowledged | ~dut.markers.any())),
            Assume(dut.go == (environment.now == 6)),
            Assume((environment.held < 1) | (dut.start_tick == 16)),
            Assume(
                (environment.now < 1)
                | (environment.held == Mux(environment.now > 8, 7, environment.now - 1))
            ),
            Assume((environment.now < 1) | (regs.config_mode == encoded("line_mode", self.mode))),
            Assume(
                (environment.now < 1)
                | (regs.high_ticks == (self.high or shortest * (1 + acknowledged)))
            ),
            Assume((environment.now < 1) | (regs.low_ticks == shortest)),
            Assume((environment.now < 1) | (regs.start_delay_ticks == 0)),
            Assume((environment.now < 1) | (regs.config_dither_bits == 0)),
            Assume((environment.now < 1) | regs.config_enable),
        ]
        return m


class HeldPulse(OnePulse):
    """The same for a pulse that waits for a marker, which may come at any time."""

    mode = "acknowledged"


class ShortPulse(OnePulse):
    """The same for a pulse that a counter ends, in which nothing may be skipped."""

    high = 3

    def elaborate(self, platform):
        m = super().elaborate(platform)
        inner, short = self.environment.inner, self.gateware.line.Phase.SHORT
        m.d.comb += Assert(~self.environment.dut.quiet | (inner["phase"] != short))
        return m


class TwoPulses(OnePulse):
    """The same for the low phase between two pulses."""

    mode = "free_running"


class Stillness(Elaboratable):
    """A skip has nothing to forget: no register changes while quiet and no target is near.

    Markers change nothing in a line that is done, except whether one acknowledges.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        environment = Environment(m, self.gateware)
        dut, inner = environment.dut, environment.inner
        # Looked at while the line runs only; after a stop they settle a tick or two later.
        running = ("more", "remaining", "lfsr")
        kept = {
            path: r
            for path, r in inner.items()
            if path not in running and not path.startswith("comparator.")
        }
        still(m, environment.skippable, kept)
        still(m, environment.skippable & ~dut.done, {path: inner[path] for path in running})
        deaf = {path: r for path, r in kept.items() if path != "acknowledge"}
        still(m, environment.deaf, deaf)
        m.d.comb += [
            Assert(dut.done == (inner["phase"] == self.gateware.line.Phase.DONE)),
            Assert(
                ~dut.rose | inner["stage"][0] | (inner["phase"] == self.gateware.line.Phase.SHORT)
            ),
        ]
        return m


PULSES = [
    Mutation(
        "start_tick_ignored",
        "line",
        "base.eq(self.start_tick)",
        "base.eq(self.now)",
    ),
    Mutation("computes_no_target", "line", "stage.eq(Cat(schedule, ", "stage.eq(Cat(0, "),
    Mutation("seed_of_0_stays_0", "line", "regs.seed_value | unseeded", "regs.seed_value"),
    Mutation(
        "accepts_short_lows",
        "line",
        "                    | (regs.low_ticks < SHORTEST_PHASE)\n",
        "",
    ),
]
ONE_PULSE = [
    Mutation(
        "start_delay_one_long",
        "line",
        "own.eq(regs.start_delay_ticks)",
        "own.eq(regs.start_delay_ticks + 1)",
    ),
    Mutation(
        "stop_keeps_target",
        "line",
        "drop.eq(schedule | ending)",
        "drop.eq(schedule)",
    ),
    Mutation(
        "rose_despite_stop",
        "line",
        "self.rose.eq(level_next & ~self.level)",
        "self.rose.eq(rise)",
    ),
    Mutation("high_one_too_long", "line", "own.eq(regs.high_ticks)", "own.eq(regs.high_ticks + 1)"),
]
SHORT_PULSE = [
    Mutation(
        "short_one_too_long", "line", "left.eq(regs.high_ticks - 1)", "left.eq(regs.high_ticks)"
    ),
    Mutation("short_has_a_target", "line", "schedule.eq(~short)", "schedule.eq(1)"),
    Mutation("quiet_while_short", "line", "                | (phase == Phase.SHORT)\n", ""),
]
HELD_PULSE = [
    Mutation(
        "hears_what_came_before",
        "line",
        "m.If(acknowledge & comparator.valid)",
        "m.If(acknowledge)",
    ),
    Mutation(
        "acts_on_what_it_dropped",
        "line",
        "hit.eq(comparator.hit & ~drop)",
        "hit.eq(comparator.hit)",
    ),
]
TWO_PULSES = [
    Mutation(
        "low_one_too_short",
        "line",
        "own.eq(regs.low_ticks)",
        "own.eq(regs.low_ticks - 1)",
    ),
    Mutation("dither_out_of_range", "line", "dither.eq(lfsr & dither_mask)", "dither.eq(lfsr)"),
]
#: Where the solver needs long: the first tick looked at, in which or soon after which a bug shows.
FIRST = {
    "start_tick_ignored": 8,
    "acts_on_what_it_dropped": 37,
    "low_one_too_short": 28,
    "dither_out_of_range": 29,
}
DEEP_STILLNESS = [
    Mutation(
        "quiet_while_summing",
        "line",
        "(stage.any() | drop",
        "(stage[:3].any() | drop",
    ),
]
STILLNESS = [
    Mutation("quiet_while_acknowledged", "line", "| expired | acknowledge)", "| expired)"),
]


def name(mutation: Mutation) -> str:
    return mutation.name


@pytest.mark.parametrize("steps", [LongPulses, ShortPulses])
def test_pulses_are_proved(steps: type[Pulses], tmp_path: Path) -> None:
    prove(steps, 1, tmp_path, comparator=stand_in)


def test_pulses_are_reached(tmp_path: Path) -> None:
    reach(OnePulse, 30, tmp_path, comparator=stand_in)


def test_short_pulses_are_reached(tmp_path: Path) -> None:
    reach(ShortPulse, 30, tmp_path, comparator=stand_in)


def test_stillness_is_proved(tmp_path: Path) -> None:
    prove(Stillness, 2, tmp_path, comparator=stand_in)


@pytest.mark.parametrize("mutation", PULSES, ids=name)
def test_pulses_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    first = FIRST.get(mutation.name, 0)
    refute(Pulses, mutation, 15, tmp_path, first=first, comparator=stand_in)


@pytest.mark.parametrize("mutation", ONE_PULSE, ids=name)
def test_one_pulse_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(OnePulse, mutation, 30, tmp_path, comparator=stand_in)


@pytest.mark.parametrize("mutation", SHORT_PULSE, ids=name)
def test_short_pulse_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(ShortPulse, mutation, 30, tmp_path, comparator=stand_in)


@pytest.mark.parametrize("mutation", HELD_PULSE, ids=name)
def test_held_pulse_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    first = FIRST.get(mutation.name, 0)
    refute(HeldPulse, mutation, 38, tmp_path, first=first, comparator=stand_in)


@pytest.mark.parametrize("mutation", TWO_PULSES, ids=name)
def test_two_pulses_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    first = FIRST.get(mutation.name, 0)
    refute(TwoPulses, mutation, 40, tmp_path, first=first, comparator=stand_in)


@pytest.mark.parametrize("mutation", STILLNESS, ids=name)
def test_stillness_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Stillness, mutation, 20, tmp_path, comparator=stand_in)


@pytest.mark.soak
@pytest.mark.parametrize("mutation", DEEP_STILLNESS, ids=name)
def test_stillness_is_refuted_deep(mutation: Mutation, tmp_path: Path) -> None:
    refute(Stillness, mutation, 20, tmp_path, comparator=stand_in)
