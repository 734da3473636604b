// In place of SCR1's file of this name: RV32IM, two stages, start at 0x100000, one external line.
`ifndef SCR1_ARCH_DESCRIPTION_SVH
`define SCR1_ARCH_DESCRIPTION_SVH
`define SCR1_MIMPID 32'h22011200
`define SCR1_MVENDORID 32'h00000000
`define SCR1_XLEN 32
`define SCR1_IMEM_AWIDTH 32
`define SCR1_IMEM_DWIDTH 32
`define SCR1_DMEM_AWIDTH 32
`define SCR1_DMEM_DWIDTH 32
`define SCR1_RVI_EXT
`define SCR1_RVM_EXT
`define SCR1_MTVEC_MODE_EN
`define SCR1_NO_DEC_STAGE
`define SCR1_FAST_MUL
`define SCR1_CLKCTRL_EN
`define SCR1_MPRF_RST_EN
`define SCR1_ARCH_BUILD_ID `SCR1_MIMPID
parameter int unsigned SCR1_MTVEC_BASE_WR_BITS = 26;
parameter bit [31:0] SCR1_ARCH_RST_VECTOR = 32'h100000;
parameter bit [31:0] SCR1_ARCH_MTVEC_BASE = 32'h100000;
parameter bit [31:0] SCR1_TCM_ADDR_MASK = 32'hFFFF0000;
parameter bit [31:0] SCR1_TCM_ADDR_PATTERN = 32'h00480000;
parameter bit [31:0] SCR1_TIMER_ADDR_MASK = 32'hFFFFFFE0;
parameter bit [31:0] SCR1_TIMER_ADDR_PATTERN = 32'h00490000;
`endif
