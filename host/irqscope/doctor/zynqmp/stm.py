"""The step that checks whether the STM can also stamp: only markers with "stm" need it."""

from __future__ import annotations

from collections import defaultdict

from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes
from irqscope.link import messages
from irqscope.link.firmware_text import stm_fault
from irqscope.link.messages import StmState

_CHECKS: dict[int, str] = {
    StmState.CLOCK_STOPPED: "psu_init: CRF_APB.DBG_FPD_CTRL and DBG_TRACE_CTRL (UG1087)",
    StmState.NO_STM: "whether the debug components have power and answer a core at all",
    StmState.NO_ETF: "whether the debug components have power and answer a core at all",
    StmState.NOT_TRACED: "what the boot mode and the CSU leave enabled of secure debug (SPNIDEN)",
    StmState.NO_TIME: "psu_init: CRF_APB.DBG_TSTMP_CTRL (UG1087)",
    StmState.NO_MEMORY: "whether a debugger holds the ETF",
}


def stm(dut: DeviceUnderTest, notes: Notes) -> None:
    """Has the firmware set up clocks, timestamp generator, ETF and STM, and report its findings."""
    reply = dut.request(messages.STM)
    read = defaultdict(int, reply.registers)
    notes.see(
        f"STM part {read['stm_part']:#05x}, ETF part {read['etf_part']:#05x} with "
        f"{4 * reply.memory_words} bytes, authentication {read['auth_status']:#04x}, "
        f"hardware events {read['features']:#010x}"
    )
    check = _CHECKS.get(reply.state, "that firmware and host are of one version")
    notes.expect(reply.state == StmState.READY, f"the STM cannot stamp: {stm_fault(reply)}", check)
