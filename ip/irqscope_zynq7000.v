// irqscope between the ports of a Zynq-7000 processor system: slices of the EMIO vectors, reset, and
// LEDs. Everything else is the gateware, module irqscope, whose ports have the names that they have on a
// Zynq UltraScale+: two words of pins either way, 16 shared interrupts, private ones.
//
// emio_gpio_*  GPIO banks 2 and 3 are bits 31:0 and 63:32 of the PS's EMIO vectors, which are no wider.
// resetn       FCLK_RESET0_N: asynchronous, its end is synchronised here. The gateware is also in reset
//              for RESET_TICKS after configuration, whatever resetn does: the PL runs before the
//              processor has its reset in hand.
// TICK_HZ      rate of clk as the tool that sets it up gives it; read by software.
// BOARD        number of the board among those of this machine; read by software, register source.
// irq_f2p      SPI 61 to 68 (7:0) and 84 to 91 (15:8), with PCW_IRQ_F2P_MODE DIRECT.
// coreN_nirq   PPI 31 of core N. Active high here, as all inputs of IRQF2P are: the PS inverts it.
// coreN_nfiq   PPI 28 of core N, the same; never driven.
// pmod_in      pins whose edges can be markers; asynchronous.
// led          3: finished, 2: error, 1: armed, 0: out of reset.

module irqscope_zynq7000 #(
  parameter integer RESET_TICKS = 64,
  parameter integer TICK_HZ = 125000000,
  parameter integer BOARD = 1
) (
  input  wire        clk,
  input  wire        resetn,
  input  wire [63:0] emio_gpio_o,
  output wire [63:0] emio_gpio_i,
  output wire [15:0] irq_f2p,
  output wire        core0_nirq,
  output wire        core1_nirq,
  output wire        core0_nfiq,
  output wire        core1_nfiq,
  output wire [7:0]  pmod,
  input  wire [7:0]  pmod_in,
  output wire [3:0]  led
);

  // ---- reset ---------------------------------------------------------------------------------
  (* ASYNC_REG = "TRUE" *) reg [1:0] released = 2'b00;
  reg [15:0] left = RESET_TICKS;
  reg rst = 1'b1;

  always @(posedge clk or negedge resetn)
    if (!resetn) released <= 2'b00;
    else released <= {released[0], 1'b1};

  always @(posedge clk) begin
    if (!released[1]) left <= RESET_TICKS;
    else if (left != 16'd0) left <= left - 16'd1;
    rst <= left != 16'd0;
  end

  // ---- gateware ------------------------------------------------------------------------------
  localparam [7:0] MACHINE = 8'd2;
  wire [31:0] inputs_low, inputs_high;
  wire [3:0] private_lines;  // of cores 3 and 2 there is nothing to drive

  irqscope core (
    .clk(clk),
    .rst(rst),
    .emio_o3(emio_gpio_o[31:0]),
    .emio_o4(emio_gpio_o[63:32]),
    .emio_i3(inputs_low),
    .emio_i4(inputs_high),
    .pl_ps_irq0(irq_f2p[7:0]),
    .pl_ps_irq1(irq_f2p[15:8]),
    .pl_ps_apugic_irq(private_lines),
    .pmod(pmod),
    .pmod_in(pmod_in),
    .source_id({16'd0, BOARD[7:0], MACHINE}),
    .source_hash(32'd0),
    .tick_hz(TICK_HZ),
    // Only the twin skips.
    .skip(1'b0),
    .skip_to(64'd0)
  );

  assign emio_gpio_i = {inputs_high, inputs_low};
  assign core0_nirq = private_lines[0];
  assign core1_nirq = private_lines[1];
  assign core0_nfiq = 1'b0;
  assign core1_nfiq = 1'b0;
  assign led = {inputs_low[21], inputs_low[19], inputs_low[20], ~rst};

endmodule
