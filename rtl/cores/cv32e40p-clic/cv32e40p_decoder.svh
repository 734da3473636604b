  // The CSRs of a CLIC are decoded as registers that the package knows: those that change what comes
  // next as mstatus, which empties the pipeline, and what can be read only as mhartid.
  always_comb begin
    inner_instr_rdata_i = instr_rdata_i;
    if (instr_rdata_i[6:0] == OPCODE_SYSTEM && instr_rdata_i[14:12] != '0)
      case (instr_rdata_i[31:20])
        12'h307, 12'h345, 12'h347, 12'h351: inner_instr_rdata_i[31:20] = CSR_MSTATUS;
        12'h346: inner_instr_rdata_i[31:20] = CSR_MHARTID;
        default: ;
      endcase
  end
