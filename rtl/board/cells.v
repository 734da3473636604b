// Cells of an ECP5 for a simulation of the system, or of its routed netlist (hw/irqscope_hw/ecp5/routed.py).
// Those that are not here are yosys's (lattice/common_sim.vh).

// The oscillator is taken for the clock that the PLL makes of it: a cycle of one is one of the other.
// It is locked from the beginning.
module EHXPLLL (
    input CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
    input PLLWAKESYNC, ENCLKOP,
    output CLKOP, LOCK
);
  parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 1, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0;
  parameter CLKOP_ENABLE = "", FEEDBK_PATH = "", PLLRST_ENA = "", INTFB_WAKE = "";
  parameter STDBY_ENABLE = "", DPHASE_SOURCE = "", OUTDIVIDER_MUXA = "";
  assign CLKOP = CLKI;
  assign LOCK = 1'b1;
endmodule

// The way of a clock into its net.
module DCCA (input CLKI, output CLKO);
  assign CLKO = CLKI;
endmodule

// Pads.
module irqscope_input (input B, output O);
  assign O = B;
endmodule

module irqscope_output (input I, output B);
  assign B = I;
endmodule

// A LUT; one that chooses with the one beside it, of five inputs; one that chooses among those.
module irqscope_lut (input A, B, C, D, input [15:0] TABLE, output F);
  assign F = TABLE[{D, C, B, A}];
endmodule

module irqscope_lut_of_5 (input A, B, C, D, M, F1, input [15:0] TABLE, output F, OFX);
  assign F = TABLE[{D, C, B, A}];
  assign OFX = M ? F1 : F;
endmodule

module irqscope_lut_of_6 (input A, B, C, D, M, FXA, FXB, input [15:0] TABLE, output F, OFX);
  assign F = TABLE[{D, C, B, A}];
  assign OFX = M ? FXB : FXA;
endmodule

// Half of a CCU2C: a LUT, and a bit of a carry chain. The LUT's lower quarter generates. (What
// yosys's TRELLIS_COMB makes of it, it gives to a wire within.)
module irqscope_carry (
    input A, B, C, D, FCI, CHAINED, input [15:0] TABLE, output F, FCO
);
  wire lut4 = TABLE[{D, C, B, A}], lut2 = TABLE[{2'b0, B, A}];
  assign F = lut4 ^ (CHAINED & FCI);
  assign FCO = lut4 ? FCI : CHAINED & lut2;
endmodule

// Write port of a small memory: what passes on to the memory's LUTs.
module TRELLIS_RAMW (
    input A0, B0, C0, D0, A1, B1, C1, D1,
    output WADO0, WADO1, WADO2, WADO3, WDO0, WDO1, WDO2, WDO3
);
  assign {WADO3, WADO2, WADO1, WADO0} = {A0, C0, B0, D0};
  assign {WDO3, WDO2, WDO1, WDO0} = {B1, D1, A1, C1};
endmodule

// Block RAM: 1,024 rows of 18 bits. A port of 1, 2 or 4 bits leaves every ninth bit out; of 9 bits and
// more it has them all; one of 36 bits has two rows. From 18 bits on, the lowest bits of the address
// of a write choose bytes. A port that writes reads what was there before. Without output registers.
module DP16KD #(
    parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18,
    parameter [319:0] INITVAL_00 = 0, INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0,
    INITVAL_04 = 0, INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0, INITVAL_09 = 0,
    INITVAL_0A = 0, INITVAL_0B = 0, INITVAL_0C = 0, INITVAL_0D = 0, INITVAL_0E = 0, INITVAL_0F = 0,
    INITVAL_10 = 0, INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0, INITVAL_14 = 0, INITVAL_15 = 0,
    INITVAL_16 = 0, INITVAL_17 = 0, INITVAL_18 = 0, INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0,
    INITVAL_1C = 0, INITVAL_1D = 0, INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0, INITVAL_21 = 0,
    INITVAL_22 = 0, INITVAL_23 = 0, INITVAL_24 = 0, INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0,
    INITVAL_28 = 0, INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0, INITVAL_2D = 0,
    INITVAL_2E = 0, INITVAL_2F = 0, INITVAL_30 = 0, INITVAL_31 = 0, INITVAL_32 = 0, INITVAL_33 = 0,
    INITVAL_34 = 0, INITVAL_35 = 0, INITVAL_36 = 0, INITVAL_37 = 0, INITVAL_38 = 0, INITVAL_39 = 0,
    INITVAL_3A = 0, INITVAL_3B = 0, INITVAL_3C = 0, INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0
) (
    input CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2, CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
    input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
    input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
    input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13,
    input DIA14, DIA15, DIA16, DIA17,
    input DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13,
    input DIB14, DIB15, DIB16, DIB17,
    output DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13,
    output DOA14, DOA15, DOA16, DOA17,
    output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13,
    output DOB14, DOB15, DOB16, DOB17
);
  localparam [20479:0] INITIAL = {
    INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
    INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
    INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
    INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
    INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
    INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
    INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
    INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00};
  reg [17:0] rows[0:1023];
  integer row;
  initial for (row = 0; row < 1024; row = row + 1) rows[row] = INITIAL[20*row+:18];

  wire [13:0] ada = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0};
  wire [13:0] adb = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0};
  wire [17:0] dia = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5,
                     DIA4, DIA3, DIA2, DIA1, DIA0};
  wire [17:0] dib = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5,
                     DIB4, DIB3, DIB2, DIB1, DIB0};
  reg [17:0] doa, dob;
  assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3,
          DOA2, DOA1, DOA0} = doa;
  assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3,
          DOB2, DOB1, DOB0} = dob;
  wire chosen_a = CEA & ~CSA0 & ~CSA1 & ~CSA2;
  wire chosen_b = CEB & ~CSB0 & ~CSB1 & ~CSB2;

  function automatic [4:0] first(input integer width, input [3:0] low);
    first = width <= 4 ? 9 * low[3] + low[2:0] : width == 9 ? 9 * low[3] : 0;
  endfunction
  function automatic [17:0] mask(input integer width);
    mask = width >= 18 ? 18'h3ffff : (18'd1 << width) - 1;
  endfunction
  function automatic [17:0] bytes(input [1:0] enables);
    bytes = {{9{enables[1]}}, {9{enables[0]}}};
  endfunction

  generate
    if (DATA_WIDTH_A == 36 && DATA_WIDTH_B == 36) begin : wide
      wire [9:0] even = {ada[13:5], 1'b0}, odd = {ada[13:5], 1'b1};
      always @(posedge CLKA)
        if (chosen_a & WEA) begin
          rows[even] <= rows[even] & ~bytes(ada[1:0]) | dia & bytes(ada[1:0]);
          rows[odd] <= rows[odd] & ~bytes(ada[3:2]) | dib & bytes(ada[3:2]);
        end
      always @(posedge CLKB)
        if (chosen_b) begin
          doa <= rows[{adb[13:5], 1'b0}];
          dob <= rows[{adb[13:5], 1'b1}];
        end
    end else begin : narrow
      wire [4:0] first_a = first(DATA_WIDTH_A, ada[3:0]), first_b = first(DATA_WIDTH_B, adb[3:0]);
      wire [17:0] mask_a = DATA_WIDTH_A == 18 ? bytes(ada[1:0]) : mask(DATA_WIDTH_A) << first_a;
      wire [17:0] mask_b = DATA_WIDTH_B == 18 ? bytes(adb[1:0]) : mask(DATA_WIDTH_B) << first_b;
      always @(posedge CLKA)
        if (chosen_a) begin
          doa <= rows[ada[13:4]] >> first_a & mask(DATA_WIDTH_A);
          if (WEA) rows[ada[13:4]] <= rows[ada[13:4]] & ~mask_a | dia << first_a & mask_a;
        end
      always @(posedge CLKB)
        if (chosen_b) begin
          dob <= rows[adb[13:4]] >> first_b & mask(DATA_WIDTH_B);
          if (WEB) rows[adb[13:4]] <= rows[adb[13:4]] & ~mask_b | dib << first_b & mask_b;
        end
    end
    if ((DATA_WIDTH_A == 36) != (DATA_WIDTH_B == 36)) $error("a block RAM of 36 bits on one side");
  endgenerate
endmodule
