// Ibex (lowRISC): RV32IMC, two stages.
`define IRQSCOPE_STATE
`define IRQSCOPE_TAKEN
`define IRQSCOPE_BOOT
module irqscope_core (
`include "irqscope_ports.svh"
);
  // It starts 0x80 behind its boot address.
  ibex_top core (
      .clk_i(clk), .rst_ni(rst_n), .test_en_i(1'b0), .ram_cfg_i('0), .hart_id_i('0),
      .boot_addr_i(boot_address),
      .instr_req_o(fetch), .instr_gnt_i(1'b1), .instr_rvalid_i(fetch_valid),
      .instr_addr_o(fetch_address), .instr_rdata_i(fetch_data), .instr_rdata_intg_i('0),
      .instr_err_i(1'b0),
      .data_req_o(access), .data_gnt_i(ready), .data_rvalid_i(valid), .data_we_o(write),
      .data_be_o(bytes), .data_addr_o(address), .data_wdata_o(write_data), .data_wdata_intg_o(),
      .data_rdata_i(read_data), .data_rdata_intg_i('0), .data_err_i(1'b0),
      .irq_software_i(irq[3]), .irq_timer_i(irq[7]), .irq_external_i(irq[11]),
      .irq_fast_i(irq[30:16]), .irq_nm_i(1'b0),
      .scramble_key_valid_i(1'b0), .scramble_key_i('0), .scramble_nonce_i('0), .scramble_req_o(),
      .debug_req_i(1'b0), .crash_dump_o(), .double_fault_seen_o(),
      .fetch_enable_i(ibex_pkg::IbexMuBiOn), .alert_minor_o(), .alert_major_internal_o(),
      .alert_major_bus_o(), .core_sleep_o(asleep), .scan_rst_ni(1'b1)
  );

  assign trap_vector = core.u_ibex_core.cs_registers_i.mtvec_q;
  assign interrupts_on = core.u_ibex_core.cs_registers_i.mstatus_q.mie;
  always_comb begin
    enabled = '0;
    enabled[3] = core.u_ibex_core.cs_registers_i.mie_q.irq_software;
    enabled[7] = core.u_ibex_core.cs_registers_i.mie_q.irq_timer;
    enabled[11] = core.u_ibex_core.cs_registers_i.mie_q.irq_external;
    enabled[30:16] = core.u_ibex_core.cs_registers_i.mie_q.irq_fast;
  end
  assign register_value = core.gen_regfile_ff.register_file_i.rf_reg[register_number];

  `define CSRS core.u_ibex_core.cs_registers_i
  always_ff @(posedge clk)
    taken <= `CSRS.csr_save_cause_i && `CSRS.csr_mcause_i.irq_ext && !`CSRS.debug_csr_save_i;
  assign taken_cause = `CSRS.mcause_q.lower_cause;
  assign taken_pc = `CSRS.mepc_q;

  // Decode and execution are one stage. Its first cycle may be long where the pipeline is flushed.
  assign decode = core.u_ibex_core.instr_valid_id && core.u_ibex_core.instr_new_id;
  assign decode_pc = core.u_ibex_core.pc_id;
  assign execute = decode;
  assign execute_pc = decode_pc;
endmodule
