# The processor system of a Zynq UltraScale+ MPSoC: its settings, its nets, and what is checked of
# it.
#
# reset: the pin of the primitive's EMIO vector that the wrapper hands on as pl_resetn0. So it is in
# netlists that Vivado wrote: j-schacht/xilinx_zcu102_trustzone_demo (2023.2),
# bxinquan/zynqmp_cam_isp_demo (2022.1), project_1 and design_1_zynq_ultra_ps_e_0_0_sim_netlist.v.

set machine {
  family     {Zynq UltraScale+ MPSoC}
  core       irqscope:irqscope:irqscope:1.0
  processor  xilinx.com:ip:zynq_ultra_ps_e
  rule       xilinx.com:bd_rule:zynq_ultra_ps_e
  automation {apply_board_preset 1}
  megahertz  CONFIG.PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ
  tick_ps    4000
  cores      4
  primitive  PS8
  reset      {EMIOGPIOO[95]}
  init       psu_init.tcl
}

# Settings of the processor system beyond the board's preset.
proc processor_settings {} {
  return {
    CONFIG.PSU__FPGA_PL0_ENABLE 1
    CONFIG.PSU__CRL_APB__PL0_REF_CTRL__SRCSEL IOPLL
    CONFIG.PSU__CRL_APB__PL0_REF_CTRL__FREQMHZ 250
    CONFIG.PSU__USE__FABRIC__RST 1
    CONFIG.PSU__NUM_FABRIC_RESETS 1
    CONFIG.PSU__GPIO_EMIO__PERIPHERAL__ENABLE 1
    CONFIG.PSU__GPIO_EMIO__PERIPHERAL__IO 64
    CONFIG.PSU__USE__IRQ0 1
    CONFIG.PSU__USE__IRQ1 1
    CONFIG.PSU__USE__APU_LEGACY_INTERRUPT 1
    CONFIG.PSU__USE__STM 1
    CONFIG.PSU__USE__M_AXI_GP0 0
    CONFIG.PSU__USE__M_AXI_GP1 0
    CONFIG.PSU__USE__M_AXI_GP2 0
  }
}

# Memories that boards are sold with beside that of their preset, by board. x16: four chips of
# 8 Gbit with 16 data lines and one bit of bank group (MTA4ATF51264HZ: its SPD as Xilinx/qemu has
# it, litedram, modules.py). The last four are those of AMD's preset for four such chips on the
# module of a KV260 (XilinxBoardStore, kv260_som/1.4); all five are in a public design for such a
# module on a Genesys ZU (dweeeezil/FPGAmixer), where the preset's made two places one. Without them
# only a boot loader that reads the SPD sets it up.
proc memory_settings {} {
  return {
    zcu102 {
      x16 {
        CONFIG.PSU_DYNAMIC_DDR_CONFIG_EN 0
        CONFIG.PSU__DDRC__DRAM_WIDTH {16 Bits}
        CONFIG.PSU__DDRC__DEVICE_CAPACITY {8192 MBits}
        CONFIG.PSU__DDRC__BG_ADDR_COUNT 1
        CONFIG.PSU__DDRC__ROW_ADDR_COUNT 16
      }
    }
  }
}

# Nets, as pin of the processor system and pin of the core. Interrupt bits that no line drives are
# low inside the core; the legacy fast interrupts and the upper trace events are tied there.
proc processor_nets {} {
  return {
    pl_clk0          clk
    pl_resetn0       resetn
    emio_gpio_o      emio_gpio_o
    emio_gpio_i      emio_gpio_i
    pl_ps_irq0       pl_ps_irq0
    pl_ps_irq1       pl_ps_irq1
    pl_ps_apugic_irq pl_ps_apugic_irq
    pl_ps_apugic_fiq pl_ps_apugic_fiq
    stm_event        stm_event
  }
}

# Interrupt vectors with their highest bit, and the property that says how many inputs each has.
proc interrupt_vectors {} {
  return {
    pl_ps_irq0 7 CONFIG.PSU__NUM_F2P0__INTR__INPUTS
    pl_ps_irq1 7 CONFIG.PSU__NUM_F2P1__INTR__INPUTS
  }
}

# What the preset has to give: nothing that the settings above do not.
proc check_preset {ps board} {
  return {}
}
