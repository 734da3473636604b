"""Every update of a bin is counted, however close they follow each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal

from .contract import add_dut, past, peek, still
from .prover import Gateware, Mutation, prove, reach, refute, registers

BINS_LOG2 = 2


class Counts(Elaboratable):
    """A bin holds its updates since it was cleared, up to 2^31; a read gives what the RAM held."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = self.gateware.histogram.Histogram(bins_log2=BINS_LOG2)
        fragment = add_dut(m, dut)
        inner = registers(fragment)
        bin_ = AnyConst(BINS_LOG2)
        held = peek(fragment, bin_)
        busy = inner["busy"]
        m.d.comb += [
            dut.update.eq(AnySeq(1)),
            dut.bin.eq(AnySeq(BINS_LOG2)),
            dut.clear.eq(AnySeq(1)),
            dut.read.eq(AnySeq(1)),
            dut.read_bin.eq(AnySeq(BINS_LOG2)),
            Assume(~dut.clear | ~(dut.update | busy.any())),
            # read is held until it is done
            Assume(~past(m, dut.read & ~dut.read_done, "asking") | dut.read),
            Assume(
                ~past(m, dut.read & ~dut.read_done, "asking_bin")
                | (dut.read_bin == past(m, dut.read_bin, "read_bin"))
            ),
        ]

        # ---- what was counted --------------------------------------------------------------
        expected = Signal(32)
        with m.If(dut.update & (dut.bin == bin_)):
            m.d.sync += expected.eq(expected + ~expected[-1])
        with m.If(dut.clear & (inner["clear_bin"] == bin_)):
            m.d.sync += expected.eq(0)
        # What the RAM will hold once the update in front of it is written, then each after it.
        to_come = Mux(busy[3] & (inner["bin_3"] == bin_), inner["count"], held)
        for stage in (2, 1, 0):
            counted = busy[stage] & (inner[f"bin_{stage}"] == bin_)
            to_come = Mux(counted, to_come + ~to_come[-1], to_come)[:32]
        m.d.comb += [
            Assert(to_come == expected),
            Assert(~dut.quiet | (held == expected)),
            Cover(dut.quiet & (expected == 3)),
        ]

        # ---- reads -------------------------------------------------------------------------
        before = past(m, past(m, held, "held"), "held_before")
        m.d.comb += [
            Assert(
                ~dut.read_done
                | (past(m, dut.read_bin, "done_bin") != bin_)
                | (dut.read_data == before)
            ),
            Cover(dut.read_done & (dut.read_data == 2)),
        ]

        # ---- a skip has nothing to forget --------------------------------------------------
        resting = dut.quiet & ~dut.clear
        still(m, resting, {**inner, "memory": held})
        return m


MUTATIONS = [
    Mutation("forgets_last_update", "histogram", "Mux(same_as_last[1], count, Mux", "(Mux"),
    Mutation(
        "forgets_second_last_update",
        "histogram",
        "has_newer.eq(same_as_second_last | ",
        "has_newer.eq(",
    ),
    Mutation(
        "forgets_third_last_update",
        "histogram",
        " | same_as_third_last)",
        ")",
    ),
    Mutation(
        "swaps_forwarded_counts",
        "histogram",
        "Mux(same_as_second_last, count, count_before)",
        "Mux(same_as_third_last, count_before, count)",
    ),
    Mutation(
        "loses_reads_behind_updates",
        "histogram",
        "Mux(self.update, self.bin, self.read_bin)",
        "Mux(self.read, self.read_bin, self.bin)",
    ),
    Mutation(
        "quiet_before_written",
        "histogram",
        "busy.any() | self.read",
        "busy[:3].any() | self.read",
    ),
]


def test_counts_are_proved(tmp_path: Path) -> None:
    prove(Counts, 4, tmp_path)


def test_counts_are_reached(tmp_path: Path) -> None:
    reach(Counts, 10, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_counts_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Counts, mutation, 10, tmp_path)
