  // A handler that follows another's return returns to the same interrupted code.
  assign pc_if_o = id_stage_i.controller_i.chains ? mepc_i : inner_pc_if_o;
