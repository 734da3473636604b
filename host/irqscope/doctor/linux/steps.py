"""The steps of an agent under Linux in their order, and its words."""

from __future__ import annotations

from irqscope.doctor.board import (
    ANSWERS,
    GATEWARE,
    IDENTITY,
    PORT,
    hello,
    made_for_each_other,
    port,
)
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.latency import measured
from irqscope.doctor.linux.kernel import Facts, advice
from irqscope.doctor.markers import LOOPBACK, loopback
from irqscope.doctor.step import Notes, Step
from irqscope.doctor.wiring import Wiring
from irqscope.errors import TargetError
from irqscope.experiment.load import load
from irqscope.link import messages
from irqscope.machines.under_linux import STACK
from irqscope_papers.printed import Printed

COUNT = 40
_EXPERIMENT = "linux/uio-t2"
_OVERLAY = "is irqscope's overlay loaded, with its bitstream? (docs/linux.md)"

WIRING = Wiring(
    port=_OVERLAY,
    markers=_OVERLAY,
    shared=_OVERLAY,
    private=_OVERLAY,
    sense=_OVERLAY,
    answering=_OVERLAY,
    raw="nothing",
    enable=_OVERLAY,
    start=_OVERLAY,
    number=_OVERLAY,
    number_register="",
    rate="nothing: the link is TCP",
    clock="PL0: the overlay asks for 250 MHz",
    level="EL",
    privilege=0,
    privileged="a firmware of another machine",
    core_register="MIDR_EL1",
    core_part=0,  # a simulation may run anywhere
    chip="Zynq UltraScale+",
    t2=Printed("average", 0.0, "ns", "nothing in print"),
    pl_register="uio_lines",
)


def gateware(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects that the port acknowledges: clock, reset, bitstream and pins are then there."""
    dut.pl_state = dut.request(messages.PL_STATE)
    if notes.expect(bool(dut.pl_state.acknowledged), "the gateware does not answer", _OVERLAY):
        notes.see("the register port answers")
        dut.facts.add(GATEWARE)


def identity(dut: DeviceUnderTest, notes: Notes) -> None:
    """Expects that gateware, agent and host were made for each other."""
    belong = "load the bitstream and the agent that belong to this irqscope"
    try:
        answer = dut.begin_session()
    except TargetError as error:
        notes.fail(str(error), belong)
        return
    notes.see(
        f"{answer.label}: register map {answer.version:#x}, gateware {answer.build_hash:#010x}, "
        f"agent {answer.firmware_hash:#010x}"
    )
    made_for_each_other(answer, dut.request(messages.BUILD), notes)
    if notes.expect(
        dut.session.stack.name == STACK, f"the stack is {dut.session.stack.name}", belong
    ):
        dut.facts.add(IDENTITY)


def kernel(dut: DeviceUnderTest, notes: Notes) -> None:
    """Explains what the kernel's configuration costs; nothing of it is a fault."""
    stack = dut.session.stack
    notes.see(stack.configuration)
    for one in advice(Facts.of(stack.configuration)):
        notes.see(str(one))


def t2(dut: DeviceUnderTest, notes: Notes) -> None:
    """Measures T2; no number in print is near it."""
    run = measured(dut, notes, load(_EXPERIMENT, count=COUNT))
    if run is not None:
        served = run.stats[0].served
        notes.see(f"{served} of {COUNT} stimuli answered; no published number is near it")


STEPS = (
    Step("hello", "ask the agent who it is", (), hello),
    Step("gateware", "read and write the register port", (ANSWERS,), gateware),
    Step("port", "walk ones and zeros through the register port", (GATEWARE,), port),
    Step("identity", "compare gateware, agent and host", (PORT,), identity),
    Step("kernel", "explain what the kernel's configuration costs", (IDENTITY,), kernel),
    Step("loop-back", "have line 0 be its own marker", (IDENTITY,), loopback),
    Step("t2", "measure T2", (LOOPBACK,), t2),
)
