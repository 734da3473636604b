"""The steps of a Zynq UltraScale+ in their order, and its words."""

from __future__ import annotations

from irqscope.doctor import board
from irqscope.doctor.step import Step
from irqscope.doctor.walk import walk
from irqscope.doctor.wiring import Wiring
from irqscope.doctor.zynqmp.board import pl
from irqscope.doctor.zynqmp.stm import stm
from irqscope.machines.generated import ZYNQMP
from irqscope_papers.horst2020.printed import T2

WIRING = Wiring(
    port="EMIO wiring of bank 4 in the block design; timing of the implementation",
    markers=(
        "EMIO bits {high}:{low} of bank 3, from the GPIO to the gateware; the build's check of the "
        "markers' skew"
    ),
    shared="pl_ps_irq0 and pl_ps_irq1 in the block design; is the bitstream of this design loaded?",
    private=(
        "PSU__USE__APU_LEGACY_INTERRUPT and pl_ps_apugic_irq in the block design: active high at "
        "the PL (no public design that uses it is known)"
    ),
    sense="GICD_ICFGR7 bits 19:18 (SPI 121); does other software set up this GIC?",
    answering=(
        "sensitivity (edge or level) of the interrupt; marker path; a second master of the GIC"
    ),
    raw="GICD_PPISR",
    enable="the core's own GICD_ISENABLER0 bit 31 and priority; GICC_CTLR's bypass bits",
    start=(
        "a debugger that caught it at reset (`xsdb scripts/jtag/cores.tcl`, or power-cycle); "
        "its power island"
    ),
    number="RVBAR and reset registers of the cores",
    number_register="mpidr_el1",
    rate="UART0_REF_CTRL (0x1010f00 is IOPLL / 15)",
    clock="PL0_REF_CTRL (0x1010600 is IOPLL / 6), IOPLL, reference clock in the board preset",
    level="EL",
    privilege=3,
    privileged="a boot image hands it over at EL3 (exception_level=el-3)",
    core_register="MIDR_EL1",
    core_part=0xD03,  # Arm DDI 0500
    chip="Zynq UltraScale+",
    t2=T2,
    pl_register="pcap_status",
)

STEPS = (
    *walk(ZYNQMP, pl, "system counter"),
    Step("stm", "look for the STM and its trace memory", (board.ANSWERS,), stm),
)
