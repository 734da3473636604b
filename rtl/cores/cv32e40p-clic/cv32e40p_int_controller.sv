// In the place of the package's module of this name: the core's side of a CLIC. The offer goes through
// one register, as interrupts of the package's do; the way to the end of a sleep has none, for the
// clock stands still then.
module cv32e40p_int_controller
  import cv32e40p_pkg::*, irqscope_offer::*;
#(
    parameter PULP_SECURE = 0
) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic [31:0] irq_i, // offer_t
    input  logic        irq_sec_i,
    output logic        irq_req_ctrl_o,
    output logic        irq_sec_ctrl_o,
    output logic [ 4:0] irq_id_ctrl_o,
    output logic        irq_wu_ctrl_o,
    input  logic [31:0] mie_bypass_i, // levels_t
    output logic [31:0] mip_o, // offer_t, the register
    input  logic        m_ie_i,
    input  logic        u_ie_i,
    input  PrivLvl_t    current_priv_lvl_i
);
  offer_t now, offer;
  levels_t levels;
  assign now = irq_i;
  assign levels = mie_bypass_i;

  always_ff @(posedge clk, negedge rst_n)
    if (!rst_n) offer <= '0;
    else offer <= now;

  assign mip_o = offer;
  assign irq_id_ctrl_o = offer.id;
  assign irq_req_ctrl_o = offer.valid && m_ie_i && offer.level > levels.running;
  assign irq_wu_ctrl_o = now.valid && now.level > levels.threshold;
  assign irq_sec_ctrl_o = 1'b0;
endmodule
