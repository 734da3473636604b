// Hazard3, two AHB ports, one external interrupt at cause 11.
module irqscope_core (
`include "irqscope_ports.svh"
);
  logic [31:0] i_haddr, i_hrdata, d_haddr, d_hwdata, d_hrdata;
  logic [ 1:0] i_htrans, d_htrans;
  logic [ 2:0] d_hsize;
  logic i_hready, d_hwrite, d_hready;

  irqscope_ahb_fetch instructions (
      .clk, .rst(!rst_n), .fetch, .fetch_address, .fetch_valid, .fetch_data,
      .haddr(i_haddr), .htrans(i_htrans), .hready(i_hready), .hrdata(i_hrdata)
  );
  irqscope_ahb_data data (
      .clk, .rst(!rst_n),
      .access, .write, .bytes, .address, .write_data, .ready, .valid, .read_data,
      .haddr(d_haddr), .htrans(d_htrans), .hwrite(d_hwrite), .hsize(d_hsize),
      .hwdata(d_hwdata), .hready(d_hready), .hrdata(d_hrdata)
  );

  hazard3_cpu_2port #(
      .RESET_VECTOR(32'h100000), .EXTENSION_C(0), .EXTENSION_A(0), .NUM_IRQS(1)
  ) cpu (
      .clk, .clk_always_on(clk), .rst_n,
      .pwrup_req(), .pwrup_ack(1'b1), .clk_en(), .unblock_out(), .unblock_in(1'b0),
      .i_haddr, .i_hwrite(), .i_htrans, .i_hsize(), .i_hburst(), .i_hprot(), .i_hmastlock(),
      .i_hmaster(), .i_hready, .i_hresp(1'b0), .i_hwdata(), .i_hrdata,
      .d_haddr, .d_hwrite, .d_htrans, .d_hsize, .d_hburst(), .d_hprot(), .d_hmastlock(),
      .d_hmaster(), .d_hexcl(), .d_hready, .d_hresp(1'b0), .d_hexokay(1'b1), .d_hwdata, .d_hrdata,
      .dbg_req_halt(1'b0), .dbg_req_halt_on_reset(1'b0), .dbg_req_resume(1'b0),
      .dbg_halted(), .dbg_running(), .dbg_data0_rdata('0), .dbg_data0_wdata(), .dbg_data0_wen(),
      .dbg_instr_data('0), .dbg_instr_data_vld(1'b0), .dbg_instr_data_rdy(),
      .dbg_instr_caught_exception(), .dbg_instr_caught_ebreak(),
      .dbg_sbus_addr('0), .dbg_sbus_write(1'b0), .dbg_sbus_size('0), .dbg_sbus_vld(1'b0),
      .dbg_sbus_rdy(), .dbg_sbus_err(), .dbg_sbus_wdata('0), .dbg_sbus_rdata(),
      .irq(irq[11]), .soft_irq(irq[3]), .timer_irq(irq[7])
  );

  // The first cycle of an instruction in stage 2, which decodes and executes.
  logic stays;
  always_ff @(posedge clk) stays <= rst_n && cpu.core.x_stall && !cpu.core.d_starved;
  assign execute = !cpu.core.d_starved && !stays;
  assign execute_pc = cpu.core.d_pc;
  assign decode = execute;
  assign decode_pc = execute_pc;

  // wfi waits in stage 3, without a request that wakes it, and the fetch ahead has ended.
  assign asleep = cpu.core.xm_sleep_wfi && !cpu.core.m_wfi_wakeup_req
      && !cpu.core.m_sleep_stall_release && !i_htrans[1] && !cpu.dphase_active_i;
endmodule
