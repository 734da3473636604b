"""The Timebase keeps the contract that every other proof assumes."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cover, Elaboratable, Module

from .contract import past
from .prover import Gateware, Mutation, prove, reach, refute


class Steps(Elaboratable):
    """``now`` goes on by one, or to ``skip_to``, or to 0; the others keep their distance to it."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        constants = self.gateware.constants
        m.submodules.dut = dut = self.gateware.timebase.Timebase()
        m.d.comb += [
            dut.reset.eq(AnySeq(1)),
            dut.skip.eq(AnySeq(1)),
            dut.skip_to.eq(AnySeq(64)),
        ]
        begun = past(m, 1, "begun")
        skip, skip_to = past(m, dut.skip, "skip"), past(m, dut.skip_to, "skip_to")
        reset = past(m, dut.reset, "reset")
        now = past(m, dut.now, "now")
        m.d.comb += [
            Assert(~begun | skip | reset | (dut.now == (now + 1)[:64])),
            Assert(~begun | ~skip | reset | (dut.now == skip_to)),
            Assert(~reset | (dut.now == 0)),
            Assert(dut.ahead == (dut.now + constants.COMPARE_DELAY)[:64]),
            Assert(dut.line_now == (dut.now + constants.OUTPUT_DELAY)[:64]),
            Assert(dut.line_ahead == (dut.line_now + constants.COMPARE_DELAY)[:64]),
            Assert(dut.stamp == (dut.now - constants.DECISION_DELAY)[:64]),
            Cover(begun & skip & (dut.now > 1000)),
        ]
        return m


MUTATIONS = [
    Mutation(
        "skip_counts_on",
        "timebase",
        "register.eq(self.skip_to + distance)",
        "register.eq(self.skip_to + distance + 1)",
    ),
    Mutation(
        "lines_forget_their_delay",
        "timebase",
        '"line_ahead": LEAD,',
        '"line_ahead": COMPARE_DELAY,',
    ),
    Mutation(
        "stands_still",
        "timebase",
        "register.eq(register + 1)",
        "register.eq(register)",
    ),
]


def test_steps_are_proved(tmp_path: Path) -> None:
    prove(Steps, 2, tmp_path)


def test_steps_are_reached(tmp_path: Path) -> None:
    reach(Steps, 4, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_steps_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Steps, mutation, 4, tmp_path)
