"""A command is carried out exactly when nothing is against it, and is refused out loud."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal

from .contract import add_dut, past
from .prover import Gateware, Mutation, prove, reach, refute, registers

BINS_LOG2 = 2
CHECKS = 4  # ticks from an arm command to ``go``


class Commands(Elaboratable):
    """Arming, disarming, clearing and their refusals, each in its tick.

    ``quiet`` is low from the command to the tick after ``go``, so that no skip falls in between and
    ``ahead`` goes on by one a tick, as here.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = self.gateware.control.Control(lines=2, channels=2, bins_log2=BINS_LOG2)
        inner = registers(add_dut(m, dut))
        constants = self.gateware.constants
        now = Signal(64)
        start = Signal(64)
        m.d.sync += now.eq(now + 1)
        m.d.comb += [
            start.eq(AnyConst(64)),  # locked while armed, and written long before the command
            Assume(now < 1 << 62),
            dut.ahead.eq(now + constants.COMPARE_DELAY),
            dut.start_tick.eq(start),
            dut.arm.eq(AnySeq(1)),
            dut.disarm.eq(AnySeq(1)),
            dut.clear.eq(AnySeq(1)),
            dut.lines_refused.eq(AnySeq(2)),
            dut.channels_refused.eq(AnySeq(2)),
            dut.lines_done.eq(AnySeq(1)),
            dut.pending.eq(AnySeq(2)),
            dut.clearing_elsewhere.eq(AnySeq(1)),
        ]
        # ---- what has to happen, as the sentences of Control's docstring say it ---------------
        age = Signal(3)  # ticks since an arm command that was taken up, 0 without
        commanded = Signal(64)  # tick of that command
        armed, clearing, bin_ = Signal(), Signal(init=1), Signal(BINS_LOG2)
        idle = ~armed & ~clearing & ~dut.clearing_elsewhere & (age == 0)
        several = dut.arm + dut.disarm + dut.clear > 1
        early = start < commanded + constants.ARM_AHEAD
        refused = early | dut.lines_refused.any() | dut.channels_refused.any()
        checked = age == CHECKS - 1
        going = checked & ~refused & ~dut.disarm
        m.d.sync += [
            age.eq(Mux((age == 0) | checked, dut.arm & idle & ~several, age + 1)),
            armed.eq((armed | going) & ~dut.disarm),
        ]
        with m.If(dut.arm & idle & ~several):
            m.d.sync += commanded.eq(now)
        with m.If(dut.disarm):
            m.d.sync += age.eq(0)
        with m.If(clearing):
            m.d.sync += [bin_.eq(bin_ + 1), clearing.eq(~bin_.all())]
        with m.Elif(dut.clear & idle & ~several):
            m.d.sync += clearing.eq(1)

        done_before = Signal(constants.COUNTERS_DELAY)
        m.d.sync += done_before.eq((done_before << 1) | dut.lines_done)

        def follows(output, value, name):
            """The output is in each tick what the value was in the one before."""
            return Assert(output == past(m, value, name))

        m.d.comb += [
            Assert(dut.armed == armed),
            Assert(dut.clearing == clearing),
            Assert(inner["left"] == ~bin_),
            Assert(dut.busy == (clearing | dut.clearing_elsewhere)),
            Assert(clearing | (bin_ == 0)),
            Assert(age < CHECKS),
            follows(dut.go, going, "go"),
            follows(dut.stop, dut.disarm, "stop"),
            follows(dut.start_error, checked & early, "start"),
            follows(dut.line_errors, Mux(checked, dut.lines_refused, 0), "lines"),
            follows(dut.channel_errors, Mux(checked, dut.channels_refused, 0), "channels"),
            follows(dut.command_error, ((dut.arm | dut.clear) & ~idle) | several, "command"),
            # The counters are COUNTERS_DELAY ticks after the lines.
            Assert(inner["ended"] == done_before),
            follows(
                dut.finished,
                dut.armed & ~dut.go & dut.lines_done & done_before.all() & ~dut.pending.any(),
                "finished",
            ),
            # No skip from a command to its effect.
            Assert(~dut.quiet | ~(dut.arm | dut.disarm | dut.clear | clearing | dut.go | dut.stop)),
            Assert(~dut.quiet | ((age == 0) & ~dut.busy)),
            Cover(dut.go & (now > 20)),
            Cover(dut.start_error & (dut.line_errors == 3)),
        ]
        return m


MUTATIONS = [
    Mutation(
        "start_one_early",
        "control",
        "ARM_AHEAD - COMPARE_DELAY - 1)",
        "ARM_AHEAD - COMPARE_DELAY - 2)",
    ),
    Mutation("channels_not_asked", "control", " | self.channels_refused.any()", ""),
    Mutation(
        "arms_while_clearing",
        "control",
        "(self.armed | self.busy | check",
        "(self.armed | check",
    ),
    Mutation(
        "go_in_spite_of_disarm", "control", "self.go.eq(0), self.stop.eq(1)", "self.stop.eq(1)"
    ),
    Mutation(
        "clears_all_but_one",
        "control",
        "self.clearing.eq(left != 0)",
        "self.clearing.eq(left[1:] != 0)",
    ),
    Mutation(
        "clears_and_arms_at_once",
        "control",
        "several.eq((self.arm & self.clear) | ",
        "several.eq(",
    ),
    Mutation(
        "finishes_before_the_counters",
        "control",
        "self.lines_done & ended.all()",
        "self.lines_done",
    ),
    Mutation(
        "quiet_while_checking",
        "control",
        " | check.any())\n            & ~(self.go",
        ")\n            & ~(self.go",
    ),
]


def test_commands_are_proved(tmp_path: Path) -> None:
    prove(Commands, 5, tmp_path)


def test_commands_are_reached(tmp_path: Path) -> None:
    reach(Commands, 26, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_commands_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Commands, mutation, 14, tmp_path)
