"""The steps of an ECP5 in their order, and its words."""

from __future__ import annotations

from irqscope.doctor.board import ANSWERS, GATEWARE, IDENTITY, PORT, hello, identity, port
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.interrupts import FINISH, finish, inputs, routes, shared_level
from irqscope.doctor.markers import LOOPBACK, loopback
from irqscope.doctor.pattern import known_answers
from irqscope.doctor.step import Notes, Step
from irqscope.doctor.uart import uart
from irqscope.doctor.wiring import Wiring
from irqscope.link import messages
from irqscope_papers.printed import Printed

_BITSTREAM = "report.txt beside the bitstream: is the clock met? Was this bitstream loaded?"

WIRING = Wiring(
    port=_BITSTREAM,
    markers=_BITSTREAM,
    shared=_BITSTREAM,
    private=_BITSTREAM,
    sense=_BITSTREAM,
    answering=_BITSTREAM,
    raw="nothing",
    enable=_BITSTREAM,
    start=_BITSTREAM,
    number=_BITSTREAM,
    number_register="",
    rate="the oscillator of the board: 25 MHz by constraints/*.lpf",
    clock="the oscillator of the board and its PLL",
    level="mode ",
    privilege=3,
    privileged="a firmware of another machine",
    core_register="core_id",
    core_part=0,  # the core tells none
    chip="PicoRV32",
    t2=Printed("average", 0.0, "ns", "nothing in print"),
    pl_register="",
)


def gateware(dut: DeviceUnderTest, notes: Notes) -> None:
    """Checks a core that shares a bitstream with the instrument.

    A running program reaches it, or the board does nothing.
    """
    dut.pl_state = dut.request(messages.PL_STATE)
    notes.see("core and instrument are one bitstream")
    dut.facts.add(GATEWARE)


STEPS = (
    Step("hello", "ask the firmware who it is", (), hello),
    Step("gateware", "read and write the register port", (ANSWERS,), gateware),
    Step("port", "walk ones and zeros through the register port", (GATEWARE,), port),
    Step("identity", "compare gateware, firmware and host", (PORT,), identity),
    Step("loop-back", "have line 0 be its own marker", (IDENTITY,), loopback),
    Step("pattern", "measure what is known", (LOOPBACK,), known_answers),
    Step("inputs", "look at the interrupt inputs at rest", (IDENTITY,), inputs),
    Step("finish", "see the interrupt that ends a batch", (IDENTITY,), finish),
    Step("level", "answer the first interrupt by level", (FINISH,), shared_level),
    Step("routes", "drive every interrupt by every line", (IDENTITY,), routes),
    Step("uart", "echo blocks at every baud rate", (ANSWERS,), uart),
)
