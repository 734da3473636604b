// In the place of CV32E40P's register file: ours, with what it has to know of the pipeline around it.
module cv32e40p_register_file #(
    parameter ADDR_WIDTH = 5,
    parameter DATA_WIDTH = 32,
    parameter FPU = 0,
    parameter ZFINX = 0
) (
    input  logic                  clk,
    input  logic                  rst_n,
    input  logic                  scan_cg_en_i,
    input  logic [ADDR_WIDTH-1:0] raddr_a_i,
    output logic [DATA_WIDTH-1:0] rdata_a_o,
    input  logic [ADDR_WIDTH-1:0] raddr_b_i,
    output logic [DATA_WIDTH-1:0] rdata_b_o,
    input  logic [ADDR_WIDTH-1:0] raddr_c_i,
    output logic [DATA_WIDTH-1:0] rdata_c_o,
    input  logic [ADDR_WIDTH-1:0] waddr_a_i,
    input  logic [DATA_WIDTH-1:0] wdata_a_i,
    input  logic                  we_a_i,
    input  logic [ADDR_WIDTH-1:0] waddr_b_i,
    input  logic [DATA_WIDTH-1:0] wdata_b_i,
    input  logic                  we_b_i
);
  // For core.sv, and for cv32e40p_controller.svh.
  wire hold, save, blocked, kept;
  wire [31:0] save_address, save_data;

  // The instruction in the execution stage leaves it in this cycle, and no load or store is answered later.
  wire settled = id_stage_i.ex_ready_i && !id_stage_i.data_misaligned_i &&
      core_i.load_store_unit_i.next_cnt == 2'd0;

  irqscope_fastirq registers (
      .clk(clk), .rst(!rst_n),
      .read_address({raddr_c_i[4:0], raddr_b_i[4:0], raddr_a_i[4:0]}),
      .read_data({rdata_c_o, rdata_b_o, rdata_a_o}),
      .write({we_b_i, we_a_i}),
      .write_address({waddr_b_i[4:0], waddr_a_i[4:0]}),
      .write_data({wdata_b_i, wdata_a_i}),
      .taken(id_stage_i.irq_ack_o && !id_stage_i.controller_i.chains),
      .returns(id_stage_i.controller_i.returns), .kept(kept),
      .settled(settled),
      .saving(irqscope_core.saving[0]), .swapping(irqscope_core.saving[1]),
      .trap({irqscope_core.mepc, irqscope_core.mcause}),
      .hold(hold),
      .save(save), .save_address(save_address), .save_data(save_data),
      .access_address(core_i.data_addr_o), .blocked(blocked)
  );
endmodule
