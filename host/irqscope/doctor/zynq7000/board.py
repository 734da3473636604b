"""The processor system's view of the PL."""

from __future__ import annotations

from collections import defaultdict

from irqscope.doctor.board import GATEWARE
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.step import Notes
from irqscope.link import messages

# Register bits: UG585.
_DONE = 1 << 2
_SHIFTERS = 0xF
_RESET0 = 1 << 0


def pl(dut: DeviceUnderTest, notes: Notes) -> None:
    """Checks the processor system's view of the PL, then whether the gateware answers."""
    state = dut.pl_state = dut.request(messages.PL_STATE)
    read = defaultdict(int, state.registers)
    notes.see(", ".join(f"{name.upper()} {word:#x}" for name, word in state.registers.items()))
    divisors = [read["fpga0_clk_ctrl"] >> shift & 0x3F for shift in (8, 20)]
    good = [
        # A hint: whether programming by JTAG sets this bit is not known.
        notes.expect(
            bool(state.acknowledged or read["devcfg_int_sts"] & _DONE),
            "the PL is not configured (INT_STS.PCFG_DONE is 0)",
            "load the bitstream of this board; is the PL powered?",
        ),
        notes.expect(
            read["lvl_shftr_en"] & _SHIFTERS == _SHIFTERS,
            "the level shifters between PS and PL are off (LVL_SHFTR_EN)",
            "ps7_post_config after the bitstream: program.tcl does it; ps7_init undoes it",
        ),
        notes.expect(
            all(divisors),
            "the PL clock has no dividers (FPGA0_CLK_CTRL)",
            "ps7_init of this design, before the bitstream",
        ),
        notes.expect(
            not read["fpga_rst_ctrl"] & _RESET0,
            "the PL is held in reset (FPGA_RST_CTRL bit 0)",
            "ps7_post_config after the bitstream: program.tcl does it",
        ),
    ]
    if state.acknowledged:
        notes.see("the gateware acknowledges")
        dut.facts.add(GATEWARE)
    elif all(good):
        notes.fail(
            "the gateware does not acknowledge, and the registers say that the PL works",
            "is this irqscope's bitstream? EMIO width 64, LED 0 on (out of reset)? the GPIO "
            "controller's clock (APER_CLK_CTRL bit 22)",
        )
    else:
        notes.see("the gateware does not acknowledge")
