// The CPU of NEORV32, converted from VHDL: a request is a strobe of one cycle.
module irqscope_core (
`include "irqscope_ports.svh"
);
  logic strobe, waits, fetches, sleep;
  neorv32_flat core (
      .clk, .rst_n, .sleep, .software(irq[3]), .external(irq[11]), .timer(irq[7]),
      .fast(irq[31:16]),
      .i_strobe(fetch), .i_address(fetch_address), .i_ack(fetch_valid), .i_data(fetch_data),
      .d_strobe(strobe), .d_write(write), .d_address(address), .d_store(write_data),
      .d_bytes(bytes), .d_ack(valid), .d_data(read_data)
  );
  // Its address and data stay, so a request waits for `ready` here.
  assign access = strobe || waits;
  always_ff @(posedge clk) begin
    waits <= rst_n && access && !ready;
    fetches <= rst_n && (fetch || fetches && !fetch_valid);
  end
  // It sleeps with its next instruction under way.
  assign asleep = sleep && !fetch && !fetches;

  // Its control unit spends one cycle of each instruction in the state EXECUTE, where it is decoded.
  assign execute = core.cpu.neorv32_cpu_control_inst_ctrl_o_cpu_exec;
  assign execute_pc = core.cpu.neorv32_cpu_control_inst_ctrl_o_pc_cur;
  assign decode = execute;
  assign decode_pc = execute_pc;
endmodule
