// CV32E40X (OpenHW): RV32IMC, four stages; with IRQSCOPE_CLIC its side of a CLIC, and a CLIC beside it.
`define IRQSCOPE_STATE
`define IRQSCOPE_TAKEN
module irqscope_core (
`include "irqscope_ports.svh"
);
  logic wants, here, answered, sleeps;
  logic [31:0] answer;
  logic offered, by_table;
  logic [4:0] id;
  logic [7:0] level;

`ifdef IRQSCOPE_CLIC
  // Its registers are in the address space; what is not theirs goes outside.
  localparam bit HAS_CLIC = 1;
  logic settled;
  assign here = wants && address[31:16] == clic_base;
  always_ff @(posedge clk) answered <= here && ready;
  // The core has no acknowledge: an interrupt is claimed when the core tells its own registers of it.
  wire by_vector = core.ctrl_fsm.irq_ack && core.ctrl_fsm.irq_shv;
  wire picked = core.cs_registers_i.mnxti_we && core.mnxti_irq_pending;
  irqscope_clic clic (
      .clk(clk), .rst(!rst_n), .irq(irq), .valid(offered), .id(id), .level(level), .shv(by_table),
      .claim(by_vector || picked), .claim_id(core.mnxti_irq_id), .quiet(settled),
      .running(core.mintstatus.mil > core.mintthresh ? core.mintstatus.mil : core.mintthresh),
      .open(enabled),
      .bus__access(here && ready), .bus__write(write), .bus__bytes(bytes),
      .bus__address(address[14:2]), .bus__write_data(write_data), .bus__read_data(answer)
  );
  // An edge has to be seen by its clock, even while the core has none.
  assign asleep = sleeps && settled;
`else
  localparam bit HAS_CLIC = 0;
  assign {here, answered, answer, offered, id, level, by_table} = '0;
  assign enabled = core.cs_registers_i.mie_rdata;
  assign asleep = sleeps;
`endif

  assign access = wants && !here;
  if_xif extension (); // unused: X_EXT is 0
  logic flush;
  cv32e40x_core #(
      .SMCLIC(HAS_CLIC)
  ) core (
      .clk_i(clk), .rst_ni(rst_n), .scan_cg_en_i(1'b0),
      .boot_addr_i(32'h100000), .dm_exception_addr_i(32'h0), .dm_halt_addr_i(32'h0),
      .mhartid_i(32'h0), .mimpid_patch_i(4'h0), .mtvec_addr_i(32'h0),
      .instr_req_o(fetch), .instr_gnt_i(1'b1), .instr_rvalid_i(fetch_valid),
      .instr_addr_o(fetch_address), .instr_memtype_o(), .instr_prot_o(), .instr_dbg_o(),
      .instr_rdata_i(fetch_data), .instr_err_i(1'b0),
      .data_req_o(wants), .data_gnt_i(ready), .data_rvalid_i(valid || answered),
      .data_addr_o(address), .data_be_o(bytes), .data_we_o(write), .data_wdata_o(write_data),
      .data_memtype_o(), .data_prot_o(), .data_dbg_o(), .data_atop_o(),
      .data_rdata_i(answered ? answer : read_data), .data_err_i(1'b0), .data_exokay_i(1'b0),
      .mcycle_o(), .xif_compressed_if(extension), .xif_issue_if(extension),
      .xif_commit_if(extension), .xif_mem_if(extension), .xif_mem_result_if(extension),
      .xif_result_if(extension),
      .irq_i(HAS_CLIC ? '0 : irq), .wu_wfe_i(1'b0),
      .clic_irq_i(offered), .clic_irq_id_i(id), .clic_irq_level_i(level), .clic_irq_priv_i(2'b11),
      .clic_irq_shv_i(by_table),
      .fencei_flush_req_o(flush), .fencei_flush_ack_i(flush),
      .debug_req_i(1'b0), .debug_havereset_o(), .debug_running_o(), .debug_halted_o(),
      .fetch_enable_i(1'b1), .core_sleep_o(sleeps)
  );

  assign interrupts_on = core.cs_registers_i.mstatus_rdata.mie;
  assign register_value = core.register_file_wrapper_i.register_file_i.mem[register_number];

  always_ff @(posedge clk)
    taken <= core.ctrl_fsm.csr_save_cause && core.ctrl_fsm.csr_cause.irq
        && !core.ctrl_fsm.debug_csr_save;
  assign taken_cause = core.cs_registers_i.mcause_rdata.exception_code[4:0];
  assign taken_pc = core.cs_registers_i.mepc_rdata;

  // The instructions in the stages. An address from the vector table passes them too, but is none.
  wire in_decode = core.if_id_pipe.instr_valid && !core.if_id_pipe.instr_meta.clic_ptr
      && !core.ctrl_fsm.kill_id;
  wire in_execution = core.id_ex_pipe.instr_valid && !core.id_ex_pipe.instr_meta.clic_ptr
      && !core.ctrl_fsm.kill_ex;
  logic stays_in_decode, stays_in_execution;
  always_ff @(posedge clk) begin
    stays_in_decode <= in_decode && !(core.id_valid && core.ex_ready);
    stays_in_execution <= in_execution && !(core.ex_valid && core.wb_ready);
  end
  assign decode = in_decode && !stays_in_decode;
  assign decode_pc = core.if_id_pipe.pc;
  assign execute = in_execution && !stays_in_execution;
  assign execute_pc = core.id_ex_pipe.pc;
endmodule
