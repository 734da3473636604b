"""The doctor takes its steps from the machine that answers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from irqscope.doctor.board import ANSWERS, clock, hello
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.examine import STEPS, WIRINGS
from irqscope.doctor.step import Notes
from irqscope.link.failures import FirmwareError
from irqscope.link.messages import CLOCKS, ECHO, HELLO, PL_STATE, ErrorCode
from irqscope.machines.generated import ZYNQMP
from irqscope.machines.known import MACHINES
from irqscope.machines.under_linux import NAME as LINUX
from irqscope.machines.under_linux import under_linux

DEFAULT = MACHINES[0].name
WITHOUT_BOARDS = [machine for machine in MACHINES if not machine.boards]


class Link:
    """Answers hello with a machine's number, or refuses it and reports registers of the PL."""

    def __init__(self, number=0, registers=None, privilege=3):
        self.number, self.registers, self.privilege = number, registers, privilege

    def hello(self):
        if self.registers is not None:
            refusal = SimpleNamespace(code=ErrorCode.NO_GATEWARE, detail0=0, detail1=0)
            raise FirmwareError(HELLO, refusal)
        return SimpleNamespace(built_for=self.number, privilege=self.privilege)

    def ask_once(self, message, **given):
        assert message is ECHO  # every byte value comes through
        return SimpleNamespace(**given)

    def request(self, message, **given):
        assert message is PL_STATE
        return SimpleNamespace(registers=self.registers)


def say_hello(link, tmp_path):
    dut = DeviceUnderTest(SimpleNamespace(link=link), "board", tmp_path, WIRINGS, lambda text: None)
    notes = Notes()
    hello(dut, notes)
    return dut, notes


def test_each_machine_with_boards_has_steps_and_words():
    with_boards = [machine.name for machine in MACHINES if machine.boards]
    assert list(STEPS) == list(WIRINGS) == [*with_boards, LINUX]
    registers = [wiring.pl_register for wiring in WIRINGS.values()]
    assert len(set(registers)) == len(registers)


@pytest.mark.parametrize("machine", STEPS)
def test_the_machine_is_the_one_that_the_firmware_names(machine, tmp_path):
    expected = (*MACHINES, under_linux(ZYNQMP.number))
    (number,) = (each.number for each in expected if each.name == machine)
    link = Link(number, privilege=0 if machine == LINUX else 3)
    dut, notes = say_hello(link, tmp_path)
    assert dut.machine.name == machine
    assert ANSWERS in dut.facts
    assert not notes.findings


@pytest.mark.parametrize("machine", STEPS)
def test_without_a_gateware_it_is_told_by_its_registers(machine, tmp_path):
    registers = {WIRINGS[machine].pl_register: 0}
    dut, notes = say_hello(Link(registers=registers), tmp_path)
    assert dut.machine.name == machine
    assert ANSWERS in dut.facts


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (99, "built for machine 99, which this irqscope does not know"),
        *((machine.number, f"no steps for {machine.name}") for machine in WITHOUT_BOARDS),
    ],
)
def test_a_machine_that_the_doctor_does_not_know_is_named(number, said, tmp_path):
    dut, notes = say_hello(Link(number), tmp_path)
    (finding,) = notes.findings
    assert said in finding.what
    assert ANSWERS not in dut.facts
    assert dut.machine.name == DEFAULT


#: The dividers after the PLL that both clocks share.
COUNTER_DIVIDER, PL_DIVIDER = 15, 6


class Clocks:
    """Answers with the ticks that a divider gives while the counter counts."""

    def __init__(self, pl_divider):
        self.pl_divider = pl_divider

    def request(self, message, *, counts, **given):
        assert message is CLOCKS
        ticks = counts * COUNTER_DIVIDER // self.pl_divider
        return SimpleNamespace(
            first_before=0, first_tick=0, first_after=50,
            last_before=counts, last_tick=ticks, last_after=counts + 50,
        )  # fmt: skip


def compare_clocks(board, pl_divider):
    counter_hz = board.tick_hz * PL_DIVIDER // COUNTER_DIVIDER
    identity = SimpleNamespace(counter_hz=counter_hz, tick_hz=board.tick_hz)
    dut = SimpleNamespace(
        session=SimpleNamespace(identity=identity),
        link=Clocks(pl_divider),
        wiring=WIRINGS[ZYNQMP.name],
    )
    notes = Notes()
    clock(dut, notes)
    return notes.findings


@pytest.mark.parametrize("board", ZYNQMP.boards, ids=lambda board: board.name)
def test_the_clocks_of_every_board_agree_whatever_its_crystal(board):
    assert compare_clocks(board, PL_DIVIDER) == []
    (finding,) = compare_clocks(board, PL_DIVIDER + 1)
    assert "the PL clock is off by -14" in finding.what
