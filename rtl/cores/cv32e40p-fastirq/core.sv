// CV32E40P (OpenHW) whose registers save themselves: register_file.sv. The ports are described in
// docs/cores.md.
`define REGISTERS core.core_i.id_stage_i.register_file_i

module irqscope_core (
    input  logic        clk,
    input  logic        rst_n,
    input  logic [31:0] irq,
    output logic        fetch,
    output logic [31:0] fetch_address,
    input  logic        fetch_valid,
    input  logic [31:0] fetch_data,
    output logic        access,
    output logic        write,
    output logic [ 3:0] bytes,
    output logic [31:0] address,
    output logic [31:0] write_data,
    input  logic        ready,
    input  logic        valid,
    input  logic [31:0] read_data,
    output logic        decode,
    output logic [31:0] decode_pc,
    output logic        execute,
    output logic [31:0] execute_pc,
    output logic        asleep,
    input  logic [ 1:0] saving,
    output logic        save,
    output logic [31:0] save_address,
    output logic [31:0] save_data
);
  // A load or store of what is yet to be saved is not taken; an instruction that has to wait for the
  // registers is kept. One is under way at most: while they wait, no other is fetched.
  wire blocked = `REGISTERS.blocked;
  wire hold = `REGISTERS.hold;
  wire wants_fetch, wants_access;
  logic kept_valid;
  logic [31:0] kept_data;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) kept_valid <= 1'b0;
    else if (!hold) kept_valid <= 1'b0;
    else if (fetch_valid) begin
      kept_valid <= 1'b1;
      kept_data <= fetch_data;
    end
  assign fetch = wants_fetch && !hold;
  assign access = wants_access && !blocked;
  wire [5:0] cause = core.core_i.cs_registers_i.mcause_q;
  wire [31:0] mcause = {cause[5], 26'b0, cause[4:0]};
  wire [31:0] mepc = core.core_i.cs_registers_i.mepc_q;
  assign save = `REGISTERS.save;
  assign save_address = `REGISTERS.save_address;
  assign save_data = `REGISTERS.save_data;

  cv32e40p_top core (
      .clk_i(clk), .rst_ni(rst_n), .pulp_clock_en_i(1'b0), .scan_cg_en_i(1'b0),
      .boot_addr_i(32'h100000), .mtvec_addr_i(32'h0), .dm_halt_addr_i(32'h0), .hart_id_i(32'h0),
      .dm_exception_addr_i(32'h0),
      .instr_req_o(wants_fetch), .instr_gnt_i(!hold),
      .instr_rvalid_i((fetch_valid || kept_valid) && !hold),
      .instr_addr_o(fetch_address), .instr_rdata_i(kept_valid ? kept_data : fetch_data),
      .data_req_o(wants_access), .data_gnt_i(ready && !blocked), .data_rvalid_i(valid),
      .data_we_o(write), .data_be_o(bytes), .data_addr_o(address),
      .data_wdata_o(write_data), .data_rdata_i(read_data),
      .irq_i(irq), .irq_ack_o(), .irq_id_o(), .debug_req_i(1'b0), .debug_havereset_o(),
      .debug_running_o(), .debug_halted_o(), .fetch_enable_i(1'b1), .core_sleep_o(asleep)
  );

  // An instruction that leaves the decode stage is in the execution stage in the next cycle.
  wire in_decode = core.core_i.is_decoding && core.core_i.instr_valid_id;
  wire leaves = core.core_i.is_decoding && core.core_i.id_valid;
  logic stays;
  always_ff @(posedge clk) begin
    stays <= in_decode && !leaves;
    execute <= leaves;
    execute_pc <= core.core_i.pc_id;
  end
  assign decode = in_decode && !stays;
  assign decode_pc = core.core_i.pc_id;
endmodule
