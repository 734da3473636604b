"""The steps of a Zynq-7000 in their order, and its words."""

from __future__ import annotations

from irqscope.doctor.walk import walk
from irqscope.doctor.wiring import Wiring
from irqscope.doctor.zynq7000.board import pl
from irqscope.machines.generated import ZYNQ7000
from irqscope_papers.a9.printed import A9, A9_SOURCE
from irqscope_papers.printed import Printed

#: The article's cycles with warm caches.
_CYCLES = A9[()]["ddr", "cacheable"][2]

WIRING = Wiring(
    port="EMIO wiring of bank 3 in the block design; timing of the implementation",
    markers=(
        "EMIO bits {high}:{low} of bank 2, from the GPIO to the gateware; the build's check of the "
        "markers' skew"
    ),
    shared=(
        "IRQ_F2P in the block design: all 16 bits, in the order of PCW_IRQ_F2P_MODE DIRECT; is the "
        "bitstream of this design loaded?"
    ),
    private=(
        "PCW_CORE0_IRQ_INTR, PCW_CORE1_IRQ_INTR, and the nets of Core0_nIRQ and Core1_nIRQ in the "
        "block design: active high at the PL"
    ),
    sense="ICDICFR3 bits 27:26 (SPI 61); does other software set up this GIC?",
    answering=(
        "sensitivity (edge or level) of the interrupt; marker path; a second master of the GIC"
    ),
    raw="ICDPPIS",
    enable="the core's own ICDISER0 bit 31 and priority; the bypass while ICCICR is off",
    start=(
        "a debugger that caught it (`xsdb scripts/jtag/cores.tcl zynq7000`, or power-cycle); what "
        "ran before: the boot ROM leaves it waiting for 0xFFFFFFF0, and nobody else may have "
        "fetched it; a chip with one core"
    ),
    number="what fetched the core from the boot ROM's wait",
    number_register="mpidr",
    rate="UART_CLK_CTRL (bits 13:8 divide the IO PLL)",
    clock="FPGA0_CLK_CTRL (0x100800 is IO PLL / 8), IO PLL, crystal in the board preset",
    level="PL",
    privilege=1,
    privileged="the firmware was entered in user mode: by what?",
    core_register="MIDR",
    core_part=0xC09,  # Arm DDI 0388
    chip="Zynq-7000",
    # No T2 of this chip is in print; this comes nearest.
    t2=Printed("average", _CYCLES / 0.667, "ns", f"{A9_SOURCE}, {_CYCLES} cycles"),
    pl_register="lvl_shftr_en",
)

STEPS = walk(ZYNQ7000, pl, "global timer")
