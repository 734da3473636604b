// irqscope between the ports of a Zynq UltraScale+ processor system: slices of the EMIO vectors,
// reset, and LEDs. Everything else is the gateware, module irqscope.
//
// emio_gpio_*  GPIO banks 3 and 4 are bits 31:0 and 63:32 of the PS's EMIO vectors. Wider vectors
//              are accepted; bits from 64 on are ignored and read 0.
// resetn       pl_resetn0: asynchronous, its end is synchronised here. The gateware is also in reset
//              for RESET_TICKS after configuration, whatever resetn does: the PL runs before the
//              processor has its reset in hand.
// TICK_HZ      rate of clk as the tool that sets it up gives it; read by software.
// BOARD        number of the board among those of this machine; read by software, register source.
// stm_event    39:32 are lines 7 to 0. The trace macrocell looks for rising edges on 59:30, and for
//              levels below (UG1085, System Trace Macrocell).
// pmod_in      pins whose edges can be markers; asynchronous.
// led          3: finished, 2: error, 1: armed, 0: out of reset.

module irqscope_zynqmp #(
  parameter integer EMIO_WIDTH = 64,
  parameter integer RESET_TICKS = 64,
  parameter integer TICK_HZ = 249975000,
  parameter integer BOARD = 1
) (
  input  wire                  clk,
  input  wire                  resetn,
  input  wire [EMIO_WIDTH-1:0] emio_gpio_o,
  output wire [EMIO_WIDTH-1:0] emio_gpio_i,
  output wire [7:0]            pl_ps_irq0,
  output wire [7:0]            pl_ps_irq1,
  output wire [3:0]            pl_ps_apugic_irq,
  output wire [3:0]            pl_ps_apugic_fiq,
  output wire [59:0]           stm_event,
  output wire [7:0]            pmod,
  input  wire [7:0]            pmod_in,
  output wire [3:0]            led
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
  localparam [7:0] MACHINE = 8'd1;
  wire [31:0] emio_i3, emio_i4;
  wire [7:0] stm;

  irqscope core (
    .clk(clk),
    .rst(rst),
    .emio_o3(emio_gpio_o[31:0]),
    .emio_o4(emio_gpio_o[63:32]),
    .emio_i3(emio_i3),
    .emio_i4(emio_i4),
    .pl_ps_irq0(pl_ps_irq0),
    .pl_ps_irq1(pl_ps_irq1),
    .pl_ps_apugic_irq(pl_ps_apugic_irq),
    .pmod(pmod),
    .pmod_in(pmod_in),
    .stm_event(stm),
    .source_id({16'd0, BOARD[7:0], MACHINE}),
    .source_hash(32'd0),
    .tick_hz(TICK_HZ),
    // Only the twin skips.
    .skip(1'b0),
    .skip_to(64'd0)
  );

  generate
    if (EMIO_WIDTH > 64) begin : wide
      assign emio_gpio_i = {{EMIO_WIDTH - 64{1'b0}}, emio_i4, emio_i3};
    end else begin : narrow
      assign emio_gpio_i = {emio_i4, emio_i3};
    end
  endgenerate

  assign pl_ps_apugic_fiq = 4'd0;
  assign stm_event = {20'd0, stm, 32'd0};
  assign led = {emio_i3[21], emio_i3[19], emio_i3[20], ~rst};

endmodule
