// CV32E40P (OpenHW): RV32IMC, four stages; with IRQSCOPE_CLIC and a CLIC beside it, with IRQSCOPE_SAVES
// and registers that save themselves.
`ifndef IRQSCOPE_SAVES
`define IRQSCOPE_STATE
`define IRQSCOPE_TAKEN
`endif
`define CSRS core.core_i.cs_registers_i
module irqscope_core (
`include "irqscope_ports.svh"
);
  logic [31:0] interrupts;
  logic wants, wants_fetch, hold, blocked, here, answered, sleeps;
  logic [31:0] answer;

`ifdef IRQSCOPE_CLIC
  // Its registers are in the address space; what is not theirs goes outside.
  import irqscope_offer::*;
  logic settled;
  logic [31:0] open;
  assign here = wants && address[31:16] == clic_base;
  always_ff @(posedge clk) answered <= here && ready;
  offer_t offer;
  irqscope_clic clic (
      .clk(clk), .rst(!rst_n), .irq(irq), .valid(offer.valid), .id(offer.id), .level(offer.level),
      .shv(offer.shv), .claim(`CSRS.claim),
      .claim_id(`CSRS.claim_id), .quiet(settled), .running(`CSRS.levels.running), .open(open),
      .bus__access(here && ready), .bus__write(write), .bus__bytes(bytes),
      .bus__address(address[14:2]), .bus__write_data(write_data), .bus__read_data(answer)
  );
  assign offer.unused = '0;
  assign interrupts = offer;
  // An edge has to be seen by its clock, even while the core has none.
  assign asleep = sleeps && settled;
`else
  assign {here, answered, answer} = '0;
  assign interrupts = irq;
  assign asleep = sleeps;
`endif

`ifdef IRQSCOPE_SAVES
  // A load or store of what is yet to be saved is not taken; an instruction that has to wait for the
  // registers is kept. One is under way at most: while they wait, no other is fetched.
  `define REGISTERS core.core_i.id_stage_i.register_file_i
  assign blocked = `REGISTERS.blocked;
  assign hold = `REGISTERS.hold;
  logic kept;
  logic [31:0] kept_data;
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) kept <= 1'b0;
    else if (!hold) kept <= 1'b0;
    else if (fetch_valid) begin
      kept <= 1'b1;
      kept_data <= fetch_data;
    end
  wire fetched = (fetch_valid || kept) && !hold;
  wire [31:0] instruction = kept ? kept_data : fetch_data;
  assign save = `REGISTERS.save;
  assign save_address = `REGISTERS.save_address;
  assign save_data = `REGISTERS.save_data;
`ifdef IRQSCOPE_CLIC
  wire [31:0] mcause = {
    `CSRS.interrupt_q, 1'b0, 2'b11, `CSRS.package_i.mstatus_q.mpie, 3'h0, `CSRS.previous_q, 11'h0,
    `CSRS.code_q
  };
  wire [31:0] mepc = `CSRS.package_i.mepc_q;
`else
  wire [31:0] mcause = {`CSRS.mcause_q[5], 26'b0, `CSRS.mcause_q[4:0]};
  wire [31:0] mepc = `CSRS.mepc_q;
`endif
`else
  assign {hold, blocked} = '0;
  wire fetched = fetch_valid;
  wire [31:0] instruction = fetch_data;
`endif

  assign fetch = wants_fetch && !hold;
  assign access = wants && !here && !blocked;
  cv32e40p_top core (
      .clk_i(clk), .rst_ni(rst_n), .pulp_clock_en_i(1'b0), .scan_cg_en_i(1'b0),
      .boot_addr_i(32'h100000), .mtvec_addr_i(32'h0), .dm_halt_addr_i(32'h0), .hart_id_i(32'h0),
      .dm_exception_addr_i(32'h0),
      .instr_req_o(wants_fetch), .instr_gnt_i(!hold), .instr_rvalid_i(fetched),
      .instr_addr_o(fetch_address), .instr_rdata_i(instruction),
      .data_req_o(wants), .data_gnt_i(ready && !blocked), .data_rvalid_i(valid || answered),
      .data_we_o(write), .data_be_o(bytes), .data_addr_o(address), .data_wdata_o(write_data),
      .data_rdata_i(answered ? answer : read_data),
      .irq_i(interrupts), .irq_ack_o(), .irq_id_o(), .debug_req_i(1'b0), .debug_havereset_o(),
      .debug_running_o(), .debug_halted_o(), .fetch_enable_i(1'b1), .core_sleep_o(sleeps)
  );

`ifdef IRQSCOPE_STATE
`ifdef IRQSCOPE_CLIC
  assign interrupts_on = `CSRS.package_i.mstatus_q.mie;
  assign enabled = open;
  assign taken_cause = `CSRS.code_q;
  assign taken_pc = `CSRS.package_i.mepc_q;
`else
  assign interrupts_on = `CSRS.mstatus_q.mie;
  assign enabled = `CSRS.mie_q;
  assign taken_cause = `CSRS.mcause_q[4:0];
  assign taken_pc = `CSRS.mepc_q;
`endif
  assign register_value = core.core_i.id_stage_i.register_file_i.mem[register_number];

  always_ff @(posedge clk)
    taken <= `CSRS.csr_save_cause_i && `CSRS.csr_cause_i[5] && !`CSRS.debug_csr_save_i;
`endif

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
