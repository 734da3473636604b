// SCR1's own memory interface: a request stays until it is acknowledged; bytes in the lowest lanes.
`include "scr1_memif.svh"
module irqscope_core (
`include "irqscope_ports.svh"
);
  type_scr1_mem_cmd_e   command;
  type_scr1_mem_width_e width;
  logic [31:0] stored;
  logic [ 1:0] lane;

  scr1_core_top core (
      .pwrup_rst_n(rst_n), .rst_n, .cpu_rst_n(rst_n), .test_mode(1'b0), .test_rst_n(1'b1), .clk,
      .core_rst_n_o(), .core_rdc_qlfy_o(), .core_fuse_mhartid_i('0),
      .core_irq_ext_i(irq[11]), .core_irq_soft_i(1'b0), .core_irq_mtimer_i(1'b0),
      .core_mtimer_val_i('0),
      .imem2core_req_ack_i(1'b1), .core2imem_req_o(fetch), .core2imem_cmd_o(),
      .core2imem_addr_o(fetch_address), .imem2core_rdata_i(fetch_data),
      .imem2core_resp_i(fetch_valid ? SCR1_MEM_RESP_RDY_OK : SCR1_MEM_RESP_NOTRDY),
      .dmem2core_req_ack_i(ready), .core2dmem_req_o(access), .core2dmem_cmd_o(command),
      .core2dmem_width_o(width), .core2dmem_addr_o(address), .core2dmem_wdata_o(stored),
      .dmem2core_rdata_i(read_data >> 8 * lane),
      .dmem2core_resp_i(valid ? SCR1_MEM_RESP_RDY_OK : SCR1_MEM_RESP_NOTRDY)
  );

  assign write = command == SCR1_MEM_CMD_WR;
  assign write_data = stored << 8 * address[1:0];
  always_comb
    case (width)
      SCR1_MEM_WIDTH_BYTE: bytes = 4'b0001 << address[1:0];
      SCR1_MEM_WIDTH_HWORD: bytes = 4'b0011 << address[1:0];
      default: bytes = 4'b1111;
    endcase
  always_ff @(posedge clk) if (access && ready) lane <= address[1:0];

  // The first cycle of an instruction in the execution unit.
  `define EXU core.i_pipe_top.i_pipe_exu
  logic stays;
  always_ff @(posedge clk) stays <= rst_n && `EXU.exu_queue_vd && !`EXU.exu_rdy;
  assign execute = `EXU.exu_queue_vd && !stays;
  assign execute_pc = core.i_pipe_top.curr_pc;
  assign decode = execute;
  assign decode_pc = execute_pc;
  assign asleep = core.sleep_pipe && !core.wake_pipe;
endmodule
