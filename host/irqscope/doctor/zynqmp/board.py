"""The processor system's view of the PL."""

from __future__ import annotations

from collections import defaultdict

from irqscope.doctor.board import GATEWARE
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes
from irqscope.link import messages

# Register bits: UG1087.
_PL_DONE = 1 << 3
_PL_POWERED = 1 << 23
_CLOCK_ACTIVE = 1 << 24
_PL_RESETN0 = 1 << 31

_ISOLATION = "psu_ps_pl_isolation_removal after the bitstream: program.tcl does it"


def pl(dut: DeviceUnderTest, notes: Notes) -> None:
    """Checks the processor system's view of the PL, then whether the gateware answers."""
    state = dut.pl_state = dut.request(messages.PL_STATE)
    read = defaultdict(int, state.registers)
    notes.see(", ".join(f"{name.upper()} {word:#x}" for name, word in state.registers.items()))
    good = [
        notes.expect(
            bool(read["pcap_status"] & _PL_DONE),
            "the PL is not configured (PL_DONE is 0)",
            "load the bitstream of this board; is the PL powered?",
        ),
        # Only a hint: sources disagree on this bit's meaning for an isolated PL.
        notes.expect(
            bool(state.acknowledged or read["pwr_state"] & _PL_POWERED),
            "the PL is isolated (PWR_STATE says that its domain is down)",
            _ISOLATION,
        ),
        notes.expect(
            bool(read["pl0_ref_ctrl"] & _CLOCK_ACTIVE),
            "the PL clock is off (PL0_REF_CTRL.CLKACT is 0)",
            "psu_init of this design's XSA, before the bitstream",
        ),
        notes.expect(
            bool(read["data_5"] & read["dirm_5"] & read["oen_5"] & _PL_RESETN0),
            "the PL is held in reset (EMIO 95, pl_resetn0, is not driven high)",
            "psu_ps_pl_reset_config after the isolation: program.tcl does it; nothing else may "
            "write bank 5 of the GPIO",
        ),
    ]
    if state.acknowledged:
        notes.see("the gateware acknowledges")
        dut.facts.add(GATEWARE)
    elif all(good):
        notes.fail(
            "the gateware does not acknowledge, and the registers say that the PL works",
            f"the PL may still be isolated ({_ISOLATION}); is this irqscope's bitstream? EMIO "
            "width 64, LED 0 on (out of reset)?",
        )
    else:
        notes.see("the gateware does not acknowledge")
