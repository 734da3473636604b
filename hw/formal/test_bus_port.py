"""Each cycle of the bus is one access and has one answer, that of its access."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Signal, Value

from .contract import add_dut, past, still
from .prover import Gateware, Mutation, prove, reach, refute, registers


class Cycles(Elaboratable):
    """Any master that holds what it asks for, or gives up; a register space that answers once."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = self.gateware.bus_port.BusPort()
        inner = registers(add_dut(m, dut))
        wishbone, bus = dut.wishbone, dut.bus
        word = Cat(wishbone.we, wishbone.adr, wishbone.sel, wishbone.dat_w)
        inputs = Cat(wishbone.cyc, wishbone.stb, word)
        m.d.comb += [
            inputs.eq(AnySeq(len(inputs))),
            bus.done.eq(AnySeq(1)),
            Value.cast(bus.read_data).eq(AnySeq(len(bus.read_data))),
        ]
        # ---- the master: a request stays until the answer, or is withdrawn --------------
        asked = wishbone.cyc & wishbone.stb
        answered = wishbone.ack | wishbone.err
        waits = past(m, asked & ~answered, "waits")
        word_was = past(m, word, "word")
        m.d.comb += Assume(~(waits & asked) | (word == word_was))

        # ---- the register space: one answer to each access -----------------------------------
        pending = Signal()
        m.d.sync += pending.eq((pending | bus.request) & ~bus.done)
        m.d.comb += Assume(~bus.done | pending)

        # ---- what has to follow --------------------------------------------------------------
        under_way = pending | bus.request
        wanted = Signal()  # the master has asked without a break since the access began
        good = Signal()
        bad = Signal()
        partial = wishbone.we & ~wishbone.sel.all()
        free = asked & ~under_way & ~good & ~bad
        m.d.sync += [
            wanted.eq((wanted | bus.request) & asked & ~bus.done),
            good.eq(bus.done & (wanted | bus.request) & asked),
            bad.eq(free & partial),
        ]
        held = under_way & (wanted | bus.request) & asked & waits
        m.d.comb += [
            # each cycle begins one access, at once, unless it is refused
            Assert(bus.request == past(m, free & ~partial, "begins")),
            Assert(
                ~bus.request | (Cat(bus.write, bus.address) == Cat(word_was[0], word_was[1:15]))
            ),
            Assert(~bus.request | (bus.write_data == word_was[-32:])),
            Assert(~held | (Cat(bus.write, bus.address) == Cat(wishbone.we, wishbone.adr))),
            # each access that is still wanted has one answer, in the tick after, and no other has
            Assert(wishbone.ack == (good & asked)),
            Assert(wishbone.err == (bad & asked)),
            Assert(~wishbone.ack | (wishbone.dat_r == past(m, bus.read_data, "answer"))),
            Assert(~(wishbone.ack & wishbone.err)),
            Cover(wishbone.ack & wishbone.we & past(m, past(m, pending, "p1"), "p2")),
            Cover(wishbone.err),
            Cover(bus.done & ~wanted),
            # what makes the above inductive
            Assert(inner["busy"] == under_way),
            Assert(inner["wanted"] == (wanted | bus.request)),
            Assert(inner["acknowledge"] == good),
            Assert(inner["refuse"] == bad),
            Assert(~(good & bad)),
            Assert(~(under_way & (good | bad))),
            Assert(~wanted | pending),
        ]
        still(m, dut.quiet, inner)
        return m


START = "asked & ~busy & ~acknowledge & ~refuse"
MUTATIONS = [
    Mutation(
        "answers_who_gave_up", "bus_port", "acknowledge.eq(wanted & asked)", "acknowledge.eq(1)"
    ),
    Mutation("begins_again_with_the_answer", "bus_port", START, "asked & ~busy & ~refuse"),
    Mutation("two_at_once", "bus_port", START, "asked & ~acknowledge & ~refuse"),
    Mutation("takes_parts_of_words", "bus_port", "~wishbone.sel.all()", "~wishbone.sel.any()"),
    Mutation(
        "quiet_while_busy",
        "bus_port",
        "~(asked | busy | acknowledge | refuse)",
        "~(asked | acknowledge | refuse)",
    ),
]


def test_cycles_are_proved(tmp_path: Path) -> None:
    prove(Cycles, 4, tmp_path)


def test_cycles_are_reached(tmp_path: Path) -> None:
    reach(Cycles, 12, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_cycles_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Cycles, mutation, 14, tmp_path)
