"""The Timebase keeps the contract that every other proof assumes."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cover, Elaboratable, Module

from .contract import past
from .prover import Gateware, Mutation, prove, reach, refute


class Steps(Elaboratable):
    """``now`` goes on by one, or to ``skip_to``; ``ahead`` and ``stamp`` keep their distance."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        constants = self.gateware.constants
        m.submodules.dut = dut = self.gateware.timebase.Timebase()
        m.d.comb += [dut.skip.eq(AnySeq(1)), dut.skip_to.eq(AnySeq(64))]
        begun = past(m, 1, "begun")
        skip, skip_to = past(m, dut.skip, "skip"), past(m, dut.skip_to, "skip_to")
        now = past(m, dut.now, "now")
        m.d.comb += [
            Assert(~begun | skip | (dut.now == (now + 1)[:64])),
            Assert(~begun | ~skip | (dut.now == skip_to)),
            Assert(dut.ahead == (dut.now + constants.LEAD)[:64]),
            Assert(dut.stamp == (dut.now - constants.DECISION_DELAY)[:64]),
            Cover(begun & skip & (dut.now > 1000)),
        ]
        return m


MUTATIONS = [
    Mutation(
        "skip_counts_on", "timebase", "self.now.eq(self.skip_to)", "self.now.eq(self.skip_to + 1)"
    ),
    Mutation(
        "ahead_forgets_lead",
        "timebase",
        "self.ahead.eq(self.skip_to + LEAD)",
        "self.ahead.eq(self.skip_to)",
    ),
    Mutation(
        "stamp_stands_still",
        "timebase",
        "self.stamp.eq(self.stamp + 1)",
        "self.stamp.eq(self.stamp)",
    ),
]


def test_steps_are_proved(tmp_path: Path) -> None:
    prove(Steps, 2, tmp_path)


def test_steps_are_reached(tmp_path: Path) -> None:
    reach(Steps, 4, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_steps_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Steps, mutation, 4, tmp_path)
