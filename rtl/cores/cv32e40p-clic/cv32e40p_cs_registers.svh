  // The registers of a CLIC around those of the package, by the draft of 2021-07-20, and jalmnxti, which
  // no draft has. There is machine mode only, and no basic mode: mtvec ends with 3, mie and mip are 0.
  import irqscope_offer::*;

  localparam MTVT = 12'h307, MNXTI = 12'h345, MINTSTATUS = 12'h346, MINTTHRESH = 12'h347;
  localparam JALMNXTI = 12'h351; // as the paper's core has it

  logic [31:8] table_q; // mtvt: an instruction for each ID
  logic [7:0] threshold_q; // mintthresh
  logic [7:0] level_q; // mintstatus.mil: at which the core runs
  logic [7:0] previous_q; // mcause.mpil
  logic [4:0] code_q; // mcause.exccode
  logic interrupt_q; // mcause, bit 31
  logic claimed_q; // the instruction in the execution stage has had its claim

  offer_t offer;
  levels_t levels;
  assign offer = mip_i;
  assign levels = '{
      unused: '0,
      running: level_q > threshold_q ? level_q : threshold_q,
      threshold: threshold_q
  };
  assign mie_bypass_o = levels;
  assign inner_mip_i = '0;

  // ---- traps -----------------------------------------------------------------------------------
  // Where a trap goes is the package's business: to the base, or to the entry of the ID.
  wire trap = csr_save_cause_i && !debug_csr_save_i;
  wire taken = trap && csr_cause_i[5];
  wire by_table = taken && offer.shv;
  assign mtvec_o = by_table ? table_q : inner_mtvec_o;
  assign mtvec_mode_o = {1'b0, by_table};

  // ---- the next interrupt ----------------------------------------------------------------------
  // An instruction may stay in the execution stage; what it claims it claims in its first cycle.
  wire next = csr_addr_i == MNXTI || csr_addr_i == JALMNXTI;
  wire [7:0] beyond = previous_q > threshold_q ? previous_q : threshold_q;
  wire found = offer.valid && !offer.shv && offer.level > beyond;
  wire picks = next && found && !claimed_q && csr_op_i != CSR_OP_READ;
  wire [31:0] entry = {table_q, 1'b0, offer.id, 2'b00};
  wire jumps = picks && csr_addr_i == JALMNXTI;
  // To the CLIC: what came by an edge is served.
  wire claim = by_table || picks;
  wire [4:0] claim_id = offer.id;

  // ---- reading ---------------------------------------------------------------------------------
  always_comb
    case (csr_addr_i)
      MTVT: csr_rdata_o = {table_q, 8'h0};
      MNXTI: csr_rdata_o = found ? entry : '0;
      JALMNXTI: csr_rdata_o = found ? pc_id_i : '0; // to be called again when the handler returns
      MINTSTATUS: csr_rdata_o = {level_q, 24'h0};
      MINTTHRESH: csr_rdata_o = {24'h0, threshold_q};
      CSR_MCAUSE:
      csr_rdata_o = {
        interrupt_q, 1'b0, PRIV_LVL_M, package_i.mstatus_q.mpie, 3'h0, previous_q, 11'h0, code_q
      };
      CSR_MTVEC: csr_rdata_o = inner_csr_rdata_o | 32'h3;
      CSR_MIE, CSR_MIP: csr_rdata_o = '0;
      default: csr_rdata_o = inner_csr_rdata_o;
    endcase

  // ---- writing ---------------------------------------------------------------------------------
  logic [31:0] written;
  always_comb
    case (csr_op_i)
      CSR_OP_SET: written = csr_rdata_o | csr_wdata_i;
      CSR_OP_CLEAR: written = csr_rdata_o & ~csr_wdata_i;
      default: written = csr_wdata_i;
    endcase

  // The package sees those bits of mcause that mirror mstatus, and what a write to mnxti writes there.
  always_comb begin
    inner_csr_addr_i = csr_addr_i;
    inner_csr_op_i = csr_op_i;
    inner_csr_wdata_i = csr_wdata_i;
    case (csr_addr_i)
      MNXTI, JALMNXTI: inner_csr_addr_i = CSR_MSTATUS;
      CSR_MCAUSE: begin
        inner_csr_addr_i = CSR_MSTATUS;
        inner_csr_op_i = csr_op_i == CSR_OP_READ ? CSR_OP_READ : CSR_OP_WRITE;
        inner_csr_wdata_i = {
          19'h0, PRIV_LVL_M, 3'h0, written[27], 3'h0, package_i.mstatus_q.mie, 3'h0
        };
      end
      CSR_MIE: inner_csr_op_i = CSR_OP_READ;
      default: ;
    endcase
  end

  always_ff @(posedge clk, negedge rst_n)
    if (!rst_n) begin
      table_q <= '0;
      threshold_q <= '0;
      level_q <= '0;
      previous_q <= '0;
      code_q <= '0;
      interrupt_q <= 1'b0;
      claimed_q <= 1'b0;
    end else begin
      claimed_q <= next && csr_op_i != CSR_OP_READ;
      if (csr_op_i != CSR_OP_READ)
        case (csr_addr_i)
          MTVT: table_q <= written[31:8];
          MINTTHRESH: threshold_q <= written[7:0];
          CSR_MCAUSE: {interrupt_q, previous_q, code_q} <= {written[31], written[23:16], written[4:0]};
          default: ;
        endcase
      if (picks) begin
        level_q <= offer.level;
        code_q <= offer.id;
      end
      if (trap) begin
        previous_q <= level_q;
        {interrupt_q, code_q} <= csr_cause_i;
        if (taken) level_q <= offer.level;
      end else if (csr_restore_mret_i) level_q <= previous_q;
    end
