  // A return that swaps banks, with an interrupt pending that it would unmask, goes on to that
  // interrupt's handler: what was interrupted stays where it is, in the other bank and in memory.
  wire swaps = irqscope_core.saving[1] && register_file_i.kept;
  wire at_return = package_i.ctrl_fsm_cs == XRET_JUMP && mret_dec_i;
  wire chains = at_return && swaps && irq_req_ctrl_i;
  wire returns = at_return && !chains;

  assign pc_mux_o = chains ? PC_EXCEPTION : inner_pc_mux_o;
  assign exc_pc_mux_o = chains ? EXC_PC_IRQ : inner_exc_pc_mux_o;
  assign exc_cause_o = chains ? irq_id_ctrl_i : inner_exc_cause_o;
  assign trap_addr_mux_o = chains ? TRAP_MACHINE : inner_trap_addr_mux_o;
  assign irq_ack_o = chains || inner_irq_ack_o;
  assign irq_id_o = chains ? irq_id_ctrl_i : inner_irq_id_o;
  assign csr_save_cause_o = chains || inner_csr_save_cause_o;
  assign csr_cause_o = chains ? {1'b1, irq_id_ctrl_i} : inner_csr_cause_o;
  assign csr_save_if_o = chains || inner_csr_save_if_o;
