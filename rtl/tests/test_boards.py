"""Boards whose FPGA is simulated whole: the RTL of the bitstream, by the bits of its UART."""

import subprocess

import pytest

from irqscope.doctor.by_hand import acknowledged, line
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.examine import WIRINGS
from irqscope.link.messages import Trigger
from irqscope.machines.cases import CaseId
from irqscope.machines.generated import ECP5
from irqscope.targets import open_target
from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

BOARD = "ulx3s"
PULSES = 4
#: Longer than the handler takes, ticks.
PHASE = 1500


@pytest.fixture(scope="session")
def simulated():
    """Firmware and simulation; what was made before is not made again."""
    command = ["make", "-s", "-C", str(ROOT / "fw"), f"MACHINE={ECP5.name}"]
    subprocess.run(command, check=True, capture_output=True)
    return build.build([BOARD], report=lambda text: None)


@pytest.mark.soak
def test_its_core_answers_interrupts_and_it_says_that_it_is_simulated(simulated, tmp_path):
    with open_target(f"rtl:{BOARD}") as opened:
        dut = DeviceUnderTest(opened, BOARD, tmp_path, WIRINGS, lambda text: None)
        assert dut.recognise(opened.link.hello().built_for) == ""
        identity = dut.begin_session()
        dut.session.raise_baud()
        pulses = line(count=PULSES, shared=1, high=PHASE, low=PHASE, **acknowledged())
        case = dut.case(CaseId.T1, ECP5.interrupts.shared.ids[0], Trigger.LEVEL)
        outcome = dut.answer(case, pulses)
    assert (identity.machine, identity.board, identity.tick_hz) == (ECP5, BOARD, 100_000_000)
    assert identity.is_rtl and identity.label == f"RTL simulation of {BOARD}"
    assert outcome.reply.handled_0 == PULSES
    counters = outcome.counters[0]
    assert (counters.served, counters.unmatched, counters.coalesced) == (PULSES, 0, 0)
    assert 0 < counters.min_ticks <= counters.max_ticks < PHASE
