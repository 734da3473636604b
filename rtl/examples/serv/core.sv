// SERV, bit-serial, two Wishbone buses; its timer is its only interrupt.
module irqscope_core (
`include "irqscope_ports.svh"
);
  logic i_cyc, i_ack, d_cyc, d_ack, d_we;
  logic [31:0] i_adr, i_dat, d_adr, d_dat, d_stored;
  logic [ 3:0] d_sel;

  irqscope_wishbone_fetch instructions (
      .clk, .rst(!rst_n), .fetch, .fetch_address, .fetch_valid, .fetch_data,
      .cyc(i_cyc), .stb(i_cyc), .adr(i_adr), .ack(i_ack), .dat_r(i_dat)
  );
  irqscope_wishbone_data data (
      .clk, .rst(!rst_n),
      .access, .write, .bytes, .address, .write_data, .ready, .valid, .read_data,
      .cyc(d_cyc), .stb(d_cyc), .we(d_we), .sel(d_sel), .adr(d_adr),
      .dat_w(d_stored), .ack(d_ack), .dat_r(d_dat)
  );
  serv_rf_top #(.RESET_PC(32'h100000)) core (
      .clk, .i_rst(!rst_n), .i_timer_irq(irq[7]),
      .o_ibus_adr(i_adr), .o_ibus_cyc(i_cyc), .i_ibus_rdt(i_dat), .i_ibus_ack(i_ack),
      .o_dbus_adr(d_adr), .o_dbus_dat(d_stored), .o_dbus_sel(d_sel), .o_dbus_we(d_we),
      .o_dbus_cyc(d_cyc), .i_dbus_rdt(d_dat), .i_dbus_ack(d_ack),
      .o_ext_rs1(), .o_ext_rs2(), .o_ext_funct3(), .i_ext_rd('0), .i_ext_ready(1'b0),
      .o_mdu_valid()
  );

  // An instruction is decoded and executed from the cycle after its word has come.
  always_ff @(posedge clk) execute <= rst_n && i_ack;
  assign execute_pc = i_adr;
  assign decode = execute;
  assign decode_pc = execute_pc;
  assign asleep = 1'b0;
endmodule
