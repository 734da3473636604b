"""The queue gives back what was put in, in that order, and counts what it holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal

from .contract import add_dut, past, peek, still
from .prover import Gateware, Mutation, prove, reach, refute, registers

WIDTH, DEPTH_LOG2, BANK_LOG2 = 3, 2, 1
DEPTH = 1 << DEPTH_LOG2


class Order(Elaboratable):
    """Any record that the solver picks comes out unchanged, after all earlier records."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = self.gateware.record_fifo.RecordFifo(
            width=WIDTH, depth_log2=DEPTH_LOG2, bank_log2=BANK_LOG2
        )
        fragment = add_dut(m, dut)
        inner = registers(fragment)
        m.d.comb += [
            dut.push.eq(AnySeq(1)),
            dut.data.eq(AnySeq(WIDTH)),
            dut.pop.eq(AnySeq(1)),
            dut.clear.eq(AnySeq(1)),
        ]
        pushing = dut.push & (dut.level != DEPTH) & ~dut.clear
        popping = dut.pop & (dut.level != 0) & ~dut.clear

        # ---- one record, followed on its way -------------------------------------------------
        followed = Signal()  # it is in the queue
        ahead = Signal(DEPTH_LOG2 + 1)  # records in front of it
        record = Signal(WIDTH)
        pick = Signal()
        m.d.comb += [pick.eq(AnySeq(1)), Assume(~pick | (pushing & ~followed))]
        with m.If(pick):
            m.d.sync += [
                followed.eq(1),
                ahead.eq(dut.level - popping),
                record.eq(dut.data),
            ]
        with m.If(followed & popping):
            m.d.sync += [ahead.eq(ahead - 1), followed.eq(ahead != 0)]
        with m.If(dut.clear):
            m.d.sync += followed.eq(0)
        place = (inner["read_address"] + ahead)[:DEPTH_LOG2]
        level = past(m, Mux(dut.clear, 0, dut.level + pushing - popping), "level")
        still_for = Signal(3)  # ticks without push, pop or clear
        m.d.sync += still_for.eq(
            Mux(dut.push | dut.pop | dut.clear, 0, still_for + ~still_for.all())
        )
        m.d.comb += [
            Assert(dut.level == level),
            Assert(dut.level <= DEPTH),
            Assert(dut.full == (dut.level == DEPTH)),
            Assert(inner["write_address"] == (inner["read_address"] + dut.level)[:DEPTH_LOG2]),
            Assert(~followed | (ahead < dut.level)),
            Assert(~followed | (peek(fragment, place) == record)),
            # the head's register shows it 5 ticks after the last push or pop at the latest
            Assert(~(followed & (ahead == 0) & ~inner["refresh"].any()) | (dut.head == record)),
            Assert(~(still_for >= 4) | ~inner["refresh"].any()),
            Cover(followed & (ahead == 0) & dut.quiet & (record == 5) & (dut.level == DEPTH)),
        ]
        # What the RAM's read port holds at first is not known, and no record.
        begun = past(m, past(m, 1, "begun"), "fetched")
        still(m, dut.quiet & ~dut.clear & begun, inner)
        return m


MUTATIONS = [
    Mutation(
        "writes_when_full",
        "record_fifo",
        "pushing.eq(self.push & ~self.full)",
        "pushing.eq(self.push)",
    ),
    Mutation(
        "pops_when_empty",
        "record_fifo",
        "popping.eq(self.pop & (self.level != 0))",
        "popping.eq(self.pop)",
    ),
    Mutation(
        "loads_head_too_early",
        "record_fifo",
        "bank.read.eq(refresh[0])",
        "bank.read.eq(pushing | popping)",
    ),
    Mutation(
        "writes_to_every_bank",
        "record_fifo",
        "bank.write.eq(pushing & (write_address[bank_bits:] == index))",
        "bank.write.eq(pushing)",
    ),
    Mutation(
        "chooses_the_next_bank",
        "record_fifo",
        "chosen.eq(read_address[bank_bits:])",
        "chosen.eq((read_address + 1)[bank_bits:])",
    ),
    Mutation("quiet_before_the_head", "record_fifo", "refresh = Signal(3)", "refresh = Signal(2)"),
    Mutation(
        "keeps_address_on_clear",
        "record_fifo",
        "[write_address.eq(0), read_address.eq(0), self",
        "[write_address.eq(0), self",
    ),
]


def test_order_is_proved(tmp_path: Path) -> None:
    prove(Order, 6, tmp_path)


def test_order_is_reached(tmp_path: Path) -> None:
    reach(Order, 16, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_order_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Order, mutation, 14, tmp_path)
