"""The PLL of an ECP5 that makes the system's clock from the board's oscillator."""

from amaranth.hdl import Const, Instance, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

#: The oscillator of both boards (also stated in constraints/NAME.lpf).
OSCILLATOR_HZ = 25_000_000
#: The PLL's own oscillator has to run between 400 and 800 MHz (ECP5 data sheet FPGA-DS-02012,
#: sysCLOCK PLL timing).
VCO_HZ = 600_000_000
#: Charge pump and loop filter, which nextpnr leaves at 0 where no attribute says them. These are
#: the values that Project Trellis' ecppll writes for every ratio; Lattice's tools write the same.
LOOP_FILTER = {
    "ICP_CURRENT": "12",
    "LPF_RESISTOR": "8",
    "MFG_ENABLE_FILTEROPAMP": "1",
    "MFG_GMCREF_SEL": "2",
}


class Pll(wiring.Component):
    """Makes ``clk_hz`` from OSCILLATOR_HZ with one EHXPLLL.

    Args:
        clk_hz: Rate of ``clk``: a multiple of OSCILLATOR_HZ that divides VCO_HZ.

    Members:
        oscillator: The board's oscillator.
        clk: The clock; of any rate, or none, while ``locked`` is low.
        locked: High while ``clk`` has its rate. Asynchronous to every clock.
    """

    def __init__(self, clk_hz: int):
        self._clk_hz = clk_hz
        super().__init__({"oscillator": In(1), "clk": Out(1), "locked": Out(1)})

    def elaborate(self, platform):
        m = Module()
        unused = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PHASEDIR", "PHASESTEP")
        unused += ("PHASELOADREG", "PLLWAKESYNC", "ENCLKOP")
        m.submodules.pll = Instance(
            "EHXPLLL",
            **{f"a_{name}": value for name, value in LOOP_FILTER.items()},
            p_CLKI_DIV=1,
            p_CLKFB_DIV=self._clk_hz // OSCILLATOR_HZ,
            p_CLKOP_DIV=VCO_HZ // self._clk_hz,
            p_CLKOP_CPHASE=VCO_HZ // self._clk_hz - 1,
            p_CLKOP_FPHASE=0,
            p_CLKOP_ENABLE="ENABLED",
            p_FEEDBK_PATH="CLKOP",
            p_PLLRST_ENA="DISABLED",
            p_INTFB_WAKE="DISABLED",
            p_STDBY_ENABLE="DISABLED",
            p_DPHASE_SOURCE="DISABLED",
            p_OUTDIVIDER_MUXA="DIVA",
            i_CLKI=self.oscillator,
            i_CLKFB=self.clk,
            **{f"i_{name}": Const(0, 1) for name in unused},
            o_CLKOP=self.clk,
            o_LOCK=self.locked,
        )
        return m
