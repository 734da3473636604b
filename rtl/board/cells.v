// What the tools of the ECP5 have no model of, for a simulation of the system or of its netlist.

// The oscillator is taken for the clock that the PLL makes of it: a cycle of one is one of the other.
module EHXPLLL (
    input CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
    input PLLWAKESYNC, ENCLKOP,
    output CLKOP
);
  parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 1, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0;
  parameter CLKOP_ENABLE = "", FEEDBK_PATH = "", PLLRST_ENA = "", INTFB_WAKE = "";
  parameter STDBY_ENABLE = "", DPHASE_SOURCE = "", OUTDIVIDER_MUXA = "";
  assign CLKOP = CLKI;
endmodule
