// VexRiscv as LiteX has it: two Wishbone buses of words, caches. Its external interrupts have a mask
// of LiteX's own (CSR 0xBC0), so the timer's input, at cause 7, takes the lines.
module irqscope_core (
`include "irqscope_ports.svh"
);
  logic i_cyc, i_stb, i_ack, d_cyc, d_stb, d_ack, d_we;
  logic [29:0] i_adr, d_adr;
  logic [31:0] i_dat, d_dat, d_stored;
  logic [ 3:0] d_sel;

  irqscope_wishbone_fetch instructions (
      .clk, .rst(!rst_n), .fetch, .fetch_address, .fetch_valid, .fetch_data,
      .cyc(i_cyc), .stb(i_stb), .adr({i_adr, 2'b00}), .ack(i_ack), .dat_r(i_dat)
  );
  irqscope_wishbone_data data (
      .clk, .rst(!rst_n),
      .access, .write, .bytes, .address, .write_data, .ready, .valid, .read_data,
      .cyc(d_cyc), .stb(d_stb), .we(d_we), .sel(d_sel), .adr({d_adr, 2'b00}),
      .dat_w(d_stored), .ack(d_ack), .dat_r(d_dat)
  );

  VexRiscv core (
      .externalResetVector(32'h100000), .timerInterrupt(irq[7]), .softwareInterrupt(1'b0),
      .externalInterruptArray('0), .clk, .reset(!rst_n),
      .iBusWishbone_CYC(i_cyc), .iBusWishbone_STB(i_stb), .iBusWishbone_ACK(i_ack),
      .iBusWishbone_WE(), .iBusWishbone_ADR(i_adr), .iBusWishbone_DAT_MISO(i_dat),
      .iBusWishbone_DAT_MOSI(), .iBusWishbone_SEL(), .iBusWishbone_ERR(1'b0),
      .iBusWishbone_CTI(), .iBusWishbone_BTE(),
      .dBusWishbone_CYC(d_cyc), .dBusWishbone_STB(d_stb), .dBusWishbone_ACK(d_ack),
      .dBusWishbone_WE(d_we), .dBusWishbone_ADR(d_adr), .dBusWishbone_DAT_MISO(d_dat),
      .dBusWishbone_DAT_MOSI(d_stored), .dBusWishbone_SEL(d_sel), .dBusWishbone_ERR(1'b0),
      .dBusWishbone_CTI(), .dBusWishbone_BTE()
  );

  logic executes, decodes;
  always_ff @(posedge clk) begin
    executes <= rst_n && core.execute_arbitration_isValid && core.execute_arbitration_isStuck;
    decodes <= rst_n && core.decode_arbitration_isValid && core.decode_arbitration_isStuck;
  end
  assign execute = core.execute_arbitration_isValid && !executes;
  assign execute_pc = core.execute_PC;
  assign decode = core.decode_arbitration_isValid && !decodes;
  assign decode_pc = core.decode_PC;
  // wfi waits in execution; older instructions have ended, and no line of a cache is being loaded.
  assign asleep = core.CsrPlugin_inWfi && !core.execute_CsrPlugin_wfiWake && !irq[7]
      && !core.memory_arbitration_isValid && !core.writeBack_arbitration_isValid
      && !i_cyc && !d_cyc;
endmodule
