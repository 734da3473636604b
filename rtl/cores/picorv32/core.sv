// PicoRV32 (YosysHQ): RV32IM, a machine of states; with interrupts of its own.
`define IRQSCOPE_STATE
module irqscope_core (
`include "irqscope_ports.svh"
);
  // It asks a cycle ahead, so that the answer is there when it looks.
  logic ahead_read, ahead_write;
  logic [3:0] lanes;
  wire instruction = core.mem_do_prefetch || core.mem_do_rinst;
  assign fetch = ahead_read && instruction;
  assign fetch_address = address;
  assign access = ahead_write || ahead_read && !instruction;
  assign write = ahead_write;
  assign bytes = ahead_write ? lanes : '1;

  // As its README has it for speed, but without compressed instructions, and with lines that are levels.
  picorv32 #(
      .ENABLE_COUNTERS(0), .BARREL_SHIFTER(1), .ENABLE_FAST_MUL(1), .ENABLE_DIV(1),
      .ENABLE_IRQ(1), .ENABLE_IRQ_TIMER(0), .LATCHED_IRQ(32'h7),
      .PROGADDR_RESET(32'h100000), .PROGADDR_IRQ(32'h100010)
  ) core (
      .clk(clk), .resetn(rst_n), .trap(),
      .mem_valid(), .mem_instr(), .mem_addr(), .mem_wdata(), .mem_wstrb(),
      .mem_ready(fetch_valid || valid), .mem_rdata(fetch_valid ? fetch_data : read_data),
      .mem_la_read(ahead_read), .mem_la_write(ahead_write), .mem_la_addr(address),
      .mem_la_wdata(write_data), .mem_la_wstrb(lanes),
      .pcpi_valid(), .pcpi_insn(), .pcpi_rs1(), .pcpi_rs2(), .pcpi_wr(1'b0), .pcpi_rd('0),
      .pcpi_wait(1'b0), .pcpi_ready(1'b0),
      .irq({irq[31:3], 3'b0}), .eoi(), .trace_valid(), .trace_data()
  );

  // It changes no register while it waits in waitirq.
  assign asleep = core.do_waitirq && {core.irq_pending, irq[31:3]} == '0;

  assign interrupts_on = !core.irq_active;
  assign enabled = ~core.irq_mask;
  assign register_value = core.cpuregs[{1'b0, register_number}];

  assign decode = core.launch_next_insn;
  assign decode_pc = core.next_pc;
  always_ff @(posedge clk) begin
    execute <= decode;
    execute_pc <= decode_pc;
  end
endmodule
