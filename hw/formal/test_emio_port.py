"""One change of the request is one access, and the acknowledge comes after the data."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal

from .contract import add_dut, past, still
from .prover import Gateware, Mutation, prove, reach, refute, registers


class Handshake(Elaboratable):
    """The processor keeps its pins until the acknowledge; the register space answers any time."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = self.gateware.emio_port.EmioPort()
        inner = registers(add_dut(m, dut))
        bus = dut.bus
        pins = Cat(dut.request, dut.address, dut.write, dut.write_data)
        m.d.comb += [
            pins.eq(AnySeq(len(pins))),
            bus.done.eq(AnySeq(1)),
            bus.read_data.eq(AnySeq(len(bus.read_data))),
        ]

        # ---- the processor -----------------------------------------------------------------
        age = Signal(3)  # ticks since reset, up to 7
        m.d.sync += age.eq(age + ~age.all())
        begun = age != 0
        pins_were = past(m, pins, "pins")
        request_was = past(m, dut.request, "request")
        waiting = past(m, dut.request != dut.acknowledge, "waiting")
        toggled = begun & (dut.request != request_was)
        m.d.comb += [
            # From the request's change to the acknowledge nothing changes, ...
            Assume(~begun | ~waiting | (pins == pins_were)),
            # ... data and address were there before it, ...
            Assume(~toggled | (pins[1:] == pins_were[1:])),
            # ... and the first request comes after reset.
            Assume(~toggled | (age >= 5)),
        ]

        # ---- the register space: one answer to each access -----------------------------------
        pending = Signal()  # an access was asked for and not answered
        m.d.sync += pending.eq((pending | bus.request) & ~bus.done)
        m.d.comb += Assume(~bus.done | pending)

        # ---- each change of the request is one access ----------------------------------------
        asked = Signal()  # a request waits for its access
        answer = Signal(len(bus.read_data))
        answered = Signal()  # the access is done, the acknowledge has not changed
        m.d.sync += asked.eq((asked | toggled) & ~bus.request)
        acknowledge_was = past(m, dut.acknowledge, "acknowledge")
        acknowledged = begun & (dut.acknowledge != acknowledge_was)
        with m.If(bus.done):
            m.d.sync += [answer.eq(bus.read_data), answered.eq(1)]
        with m.Elif(acknowledged):
            m.d.sync += answered.eq(0)
        timeouts = Signal(3)
        m.d.sync += timeouts.eq(
            Mux((asked | toggled) & ~bus.request, timeouts + ~timeouts.all(), 0)
        )
        settled = age >= 5
        m.d.comb += [
            Assert(~bus.request | asked),
            Assert(~(asked & bus.request) | ~(pending | answered)),
            Assert(timeouts <= 3),  # it starts within 3 ticks
            Assert(~bus.request | (bus.address == dut.address)),
            Assert(~bus.request | (bus.write == dut.write)),
            Assert(~bus.request | (bus.write_data == dut.write_data)),
            Assert(~pending | ((Cat(bus.address, bus.write, bus.write_data)) == pins[1:])),
        ]

        # ---- the acknowledge comes after the data ---------------------------------------------
        data_was = past(m, dut.read_data, "read_data")
        m.d.comb += [
            Assert(~(acknowledged & settled) | answered),
            Assert(~(acknowledged & settled) | (dut.acknowledge == dut.request)),
            Assert(~(acknowledged & settled) | ((dut.read_data == answer) & (data_was == answer))),
            Assert(
                ~begun
                | ~past(m, ~waiting & ~toggled, "free")
                | (dut.read_data == data_was)
                | ~settled
            ),
            Cover(acknowledged & settled & (dut.read_data == 0x1234) & dut.acknowledge),
            Cover(acknowledged & settled & ~dut.acknowledge),
        ]

        # ---- what makes the above inductive --------------------------------------------------
        m.d.comb += [
            Assert(inner["settled"] == Mux(age > 1, 3, age[:2])),
            Assert(inner["busy"] == (pending | bus.request)),
            Assert(settled | ~(asked | pending | answered | bus.request)),
            Assert(
                ~settled | ((inner["seen"] != dut.request) == (toggled | (asked & ~bus.request)))
            ),
            Assert(~bus.request | asked),
            Assert(~answered | ~(asked | pending) | acknowledged),
            Assert(~answered | (dut.read_data == answer)),
            Assert(~asked | ~pending),
            Assert(
                ~settled
                | (
                    (dut.request != dut.acknowledge)
                    == (asked | toggled | pending | (answered & ~acknowledged))
                )
            ),
        ]
        still(m, dut.quiet & ~bus.done, inner)
        return m


MUTATIONS = [
    Mutation(
        "acknowledges_with_data",
        "emio_port",
        "with m.If(settled[-1] & ~busy & (second == seen)):",
        "with m.If(settled[-1] & (~busy | self.bus.done) & (second == seen)):",
    ),
    Mutation(
        "acknowledges_at_once",
        "emio_port",
        "with m.If(settled[-1] & ~busy & (second == seen)):",
        "with m.If(settled[-1] & (second == seen)):",
    ),
    Mutation(
        "takes_request_while_busy",
        "emio_port",
        "with m.Elif(~busy & (second != seen)):",
        "with m.Elif(busy | (second != seen)):",
    ),
    Mutation("forgets_that_it_saw", "emio_port", "                seen.eq(second),\n", ""),
    Mutation(
        "quiet_before_acknowledge", "emio_port", "            & (self.acknowledge == seen)\n", ""
    ),
]


def test_handshake_is_proved(tmp_path: Path) -> None:
    prove(Handshake, 8, tmp_path)


def test_handshake_is_reached(tmp_path: Path) -> None:
    reach(Handshake, 24, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_handshake_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Handshake, mutation, 20, tmp_path)
