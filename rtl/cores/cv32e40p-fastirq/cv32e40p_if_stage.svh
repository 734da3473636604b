  // Of a handler that follows on another's return: what was interrupted is where it was.
  assign pc_if_o = id_stage_i.controller_i.chains ? mepc_i : inner_pc_if_o;
