  import cv32e40p_pkg::*;

  // An instruction that reads jalmnxti jumps from the execution stage.
  wire jumps = cs_registers_i.jumps;
  assign inner_pc_set_i = pc_set_i || jumps;
  assign inner_pc_mux_i = jumps ? PC_JUMP : pc_mux_i;
  assign inner_jump_target_id_i = jumps ? cs_registers_i.entry : jump_target_id_i;

  // A handler that follows another's return returns to the same interrupted code.
  assign pc_if_o = id_stage_i.controller_i.chains ? mepc_i : inner_pc_if_o;
