"""Each marker lets the line go once, from its stamp and the delay that is due, or is ignored."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal

from .contract import TICKS, add_dut, command, configure, past, skipping_timebase, still
from .prover import Gateware, Mutation, prove, reach, refute, registers


class Environment:
    """Any run of a placement: any configuration, markers, commands, line and legal skips."""

    def __init__(self, m: Module, gateware: Gateware):
        self.dut = dut = gateware.placement.Placement(cores=1)
        self.inner = registers(add_dut(m, dut))
        commands = command(m, dut)
        m.d.comb += dut.line_done.eq(AnySeq(1))
        m.d.sync += dut.armed.eq((dut.armed | dut.go) & ~dut.stop)
        held = configure(m, dut.registers, ~dut.armed & ~dut.go)
        self.skippable = dut.quiet & ~(commands.any() | dut.markers.any()) & (held >= 2)
        # Whatever is presented.
        self.deaf = dut.quiet & ~commands.any() & (held >= 2) & ~dut.registers.config_enable
        timebase = skipping_timebase(m, gateware, self.skippable, [])
        m.d.comb += [
            dut.stamp.eq(timebase.stamp),
            # Guarantees of Control: nothing goes twice, nothing refused goes, a clear arms nothing.
            Assume(~dut.go | (~dut.armed & ~dut.waiting & ~dut.stop & (held >= 2))),
            Assume(~(dut.go & dut.registers.config_enable) | ~dut.refused),
            Assume(~(dut.clear & (dut.go | dut.armed))),
            Assume(timebase.now < TICKS),
        ]


class Starts(Elaboratable):
    """Against a reference that does all of it in the tick in which a marker is decided on."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        environment = Environment(m, self.gateware)
        dut, inner = environment.dut, environment.inner
        regs = dut.registers
        ending = dut.stop | dut.clear
        shortest = self.gateware.constants.SHORTEST_PLACEMENT

        # ---- what is matched was presented in the tick before ------------------------------------
        hit = dut.markers & regs.config_cores[0] & (dut.codes[0] == regs.config_code)
        matched = past(m, hit & regs.config_enable & dut.armed, "hit")
        accepted = inner["stage"][0]  # in the tick before
        left = Signal(32)  # markers that may still let the line go
        delay = Signal(32)  # of the next one
        age = Signal(3, init=7)  # ticks since a marker was accepted
        next_delay = Signal(33)
        take = Signal()
        m.d.comb += [
            next_delay.eq(delay + regs.step_ticks),
            take.eq(matched & (left != 0) & dut.line_done & (age >= 3)),
        ]
        m.d.sync += age.eq(Mux(take, 0, age + ~age.all()))
        due = Signal(64)
        with m.If(take):
            m.d.sync += [
                left.eq(left - 1),
                due.eq(dut.stamp + delay),
                delay.eq(Mux(next_delay > regs.last_ticks, regs.first_ticks, next_delay)),
            ]
        with m.If(dut.go & regs.config_enable):
            m.d.sync += [left.eq(regs.count_value), delay.eq(regs.first_ticks)]
        with m.If(ending):
            m.d.sync += [left.eq(0), age.eq(7)]
        taken = past(m, take & ~ending, "take")
        m.d.comb += [
            Assert(dut.line_go == taken),
            Assert(~dut.counting | (dut.start_tick == due)),
            Assert(dut.counting == ((age == 1) | (age == 2))),
            Assert(~dut.line_go | past(m, dut.line_done, "line_done")),
            # As long as a marker may come, or the last one is on its way, there is no end.
            Assert(~((left != 0) | (age < 3)) | dut.waiting),
            Cover((left == 0) & past(m, left == 1, "one_left") & accepted),
        ]

        # ---- counters ----------------------------------------------------------------------------
        seen = Signal(32)
        with m.If(matched):
            m.d.sync += seen.eq(seen + 1)
        with m.If(dut.clear):
            m.d.sync += seen.eq(0)
        m.d.comb += Assert((regs.accepted_value + regs.ignored_value)[:32] == seen)
        more = past(m, regs.accepted_value, "accepted")
        cleared = past(m, dut.clear, "clear")
        counted = past(m, take, "counted")
        m.d.comb += Assert(cleared | ((regs.accepted_value - more)[:32] == counted))

        # ---- what makes the above inductive ------------------------------------------------------
        stage = inner["stage"]
        running = dut.armed & regs.config_enable
        m.d.comb += [
            Assert(inner["matched"] == matched),
            Assert(stage == Mux(age == 0, 1, Mux(age == 1, 2, Mux(age == 2, 4, 0)))),
            Assert(inner["remaining"] == left),
            Assert(~running | (regs.first_ticks >= shortest)),
            Assert((age > 0) | ((inner["base"] + inner["delay"])[:64] == due)),
            Assert((age > 2) | running),
            Assert((left == 0) | running),
            Assert((left == 0) | inner["left"]),
            Assert(~(inner["left"] & (left == 0)) | (age == 0)),
            Assert(~(age == 2) | (inner["longer"] == inner["delay"] + regs.step_ticks)),
            Assert((age < 3) | (left == 0) | (inner["delay"] == delay)),
            Assert(
                (age > 2)
                | (
                    delay
                    == Mux(
                        inner["delay"] + regs.step_ticks > regs.last_ticks,
                        regs.first_ticks,
                        (inner["delay"] + regs.step_ticks)[:32],
                    )
                )
            ),
        ]
        return m


class Stillness(Elaboratable):
    """A skip has nothing to forget: no register changes while quiet."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        environment = Environment(m, self.gateware)
        still(m, environment.skippable | environment.deaf, environment.inner)
        dut, inner = environment.dut, environment.inner
        left, some = inner["left"], inner["remaining"] != 0
        running = dut.armed & dut.registers.config_enable
        m.d.comb += [
            # Inductive; that ``remaining`` is not 0 after ``go`` follows from what is refused.
            Assert(~some | left),
            Assert(~left | dut.waiting),
            Assert(~dut.waiting | running),
            Assert(~(left & ~some) | inner["stage"][0]),
            Assert(~inner["stage"].any() | dut.waiting),
        ]
        return m


STARTS = [
    Mutation("counts_from_now", "placement", "base.eq(self.stamp)", "base.eq(self.stamp + 1)"),
    Mutation("repeats_the_last", "placement", "longer > regs", "longer >= regs"),
    Mutation("does_not_wait_for_the_line", "placement", "left & self.line_done &", "left &"),
    Mutation("goes_on_behind_stop", "placement", "stage.eq(0), left.eq(0)", "left.eq(0)"),
    Mutation("any_code", "placement", "(self.codes[i] == regs.config_code)", "1"),
    Mutation(
        "forgets_what_is_ignored", "placement", "regs.ignored_value + 1", "regs.ignored_value"
    ),
    Mutation("ends_too_soon", "placement", "(left | stage.any())", "left"),
    Mutation(
        "begins_where_it_was",
        "placement",
        "delay.eq(regs.first_ticks),\n                remaining",
        "remaining",
    ),
]
STILLNESS = [
    Mutation("quiet_on_the_way", "placement", "~(matched | stage.any()", "~(matched | stage[0]"),
]


def name(mutation: Mutation) -> str:
    return mutation.name


def test_starts_are_proved(tmp_path: Path) -> None:
    prove(Starts, 2, tmp_path)


def test_starts_are_reached(tmp_path: Path) -> None:
    reach(Starts, 20, tmp_path)


def test_stillness_is_proved(tmp_path: Path) -> None:
    prove(Stillness, 2, tmp_path)


@pytest.mark.parametrize("mutation", STARTS, ids=name)
def test_starts_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Starts, mutation, 20, tmp_path)


@pytest.mark.parametrize("mutation", STILLNESS, ids=name)
def test_stillness_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Stillness, mutation, 20, tmp_path)
