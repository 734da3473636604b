"""The comparator announces its target in the tick before it, whatever is skipped."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module

from .contract import TICKS, add_dut, imminent, skipping_timebase, still
from .prover import Gateware, Mutation, prove, reach, refute, registers


class Announces(Elaboratable):
    """``hit`` is high in the tick before a valid target and never else; no target is passed."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        lead = self.gateware.constants.COMPARE_DELAY
        dut = self.gateware.comparator.Comparator()
        fragment = add_dut(m, dut)
        targets = [(dut.valid, dut.target)]
        untouched = ~dut.load & ~dut.clear
        timebase = skipping_timebase(m, self.gateware, untouched, targets)
        now = timebase.now
        m.d.comb += [
            dut.ahead.eq(timebase.ahead),
            dut.load.eq(AnySeq(1)),
            dut.value.eq(AnySeq(64)),
            dut.clear.eq(AnySeq(1)),
            Assume(~dut.load | ((dut.value >= now + lead + 1) & (dut.value < TICKS))),
            Assert(dut.hit == (dut.valid & (dut.target == now + 1))),
            Assert(~dut.valid | (dut.target > now)),
            Cover(dut.hit & (now > 1000)),
        ]
        # Nothing but the slices moves while no target is near: a skip has nothing to forget.
        kept = {path: r for path, r in registers(fragment).items() if path != "equal"}
        still(m, untouched & ~imminent(timebase, targets, lead), kept)
        return m


MUTATIONS = [
    Mutation("compares_now", "timebase", "register.eq(register + 1)", "register.eq(self.now + 1)"),
    Mutation("ignores_top_slice", "comparator", "equal.all()", "equal[:-1].all()"),
    Mutation(
        "keeps_pipeline_on_load",
        "comparator",
        "[equal.eq(0), self.hit.eq(0), self.valid",
        "[self.valid",
    ),
    Mutation("keeps_slices_on_load", "comparator", "[equal.eq(0), self.hit", "[self.hit"),
]
# Takes the solver half a minute.
DEEP = [
    Mutation(
        "stays_valid", "comparator", "m.d.sync += self.valid.eq(0)", "m.d.sync += self.valid.eq(1)"
    ),
]


def test_announcement_is_proved(tmp_path: Path) -> None:
    prove(Announces, 3, tmp_path)


def test_announcement_is_reached(tmp_path: Path) -> None:
    reach(Announces, 14, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_announcement_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Announces, mutation, 10, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("mutation", DEEP, ids=lambda mutation: mutation.name)
def test_announcement_is_refuted_deep(mutation: Mutation, tmp_path: Path) -> None:
    refute(Announces, mutation, 10, tmp_path)
