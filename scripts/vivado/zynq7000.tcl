# The processor system of a Zynq-7000: its settings, its nets, and what is checked of it.
#
# Each property and port with the public design that has it: hw/tests/ps7_properties.txt,
# ps7_ports.txt.

set machine {
  family     {Zynq-7000}
  core       irqscope:irqscope:irqscope_zynq7000:1.0
  processor  xilinx.com:ip:processing_system7
  rule       xilinx.com:bd_rule:processing_system7
  automation {make_external {FIXED_IO, DDR} apply_board_preset 1 Master Disable Slave Disable}
  megahertz  CONFIG.PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ
  tick_ps    8000
  cores      2
  primitive  PS7
  reset      {}
  init       ps7_init.tcl
}

# Settings of the processor system beyond the board's preset. EMIO is exactly 64 bits wide here, and
# no bit of it is a reset.
proc processor_settings {} {
  return {
    CONFIG.PCW_FPGA_FCLK0_ENABLE 1
    CONFIG.PCW_EN_CLK0_PORT 1
    CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 125
    CONFIG.PCW_EN_RST0_PORT 1
    CONFIG.PCW_GPIO_EMIO_GPIO_ENABLE 1
    CONFIG.PCW_GPIO_EMIO_GPIO_IO 64
    CONFIG.PCW_USE_FABRIC_INTERRUPT 1
    CONFIG.PCW_IRQ_F2P_INTR 1
    CONFIG.PCW_IRQ_F2P_MODE DIRECT
    CONFIG.PCW_CORE0_IRQ_INTR 1
    CONFIG.PCW_CORE1_IRQ_INTR 1
    CONFIG.PCW_CORE0_FIQ_INTR 1
    CONFIG.PCW_CORE1_FIQ_INTR 1
    CONFIG.PCW_USE_M_AXI_GP0 0
    CONFIG.PCW_USE_M_AXI_GP1 0
  }
}

# No board has another memory than its preset's.
proc memory_settings {} {
  return {}
}

# Nets, as pin of the processor system and pin of the core. nIRQ and nFIQ are active high here in
# spite of their names: the wrapper hands them on as they are, the inverter is behind the pin (UG585
# v1.11, page 228). nFIQ is tied low in the core.
proc processor_nets {} {
  return {
    FCLK_CLK0     clk
    FCLK_RESET0_N resetn
    GPIO_O        emio_gpio_o
    GPIO_I        emio_gpio_i
    IRQ_F2P       irq_f2p
    Core0_nIRQ    core0_nirq
    Core1_nIRQ    core1_nirq
    Core0_nFIQ    core0_nfiq
    Core1_nFIQ    core1_nfiq
  }
}

# Interrupt vectors with their highest bit, and the property that says how many inputs each has.
# With all 16 inputs bit n is IRQF2P[n] in either mode; with fewer, REVERSE puts them at the upper
# end (processing_system7_v5_5, wrapper, irq_f2p_select).
proc interrupt_vectors {} {
  return {
    IRQ_F2P 15 CONFIG.PCW_NUM_F2P_INTR_INPUTS
  }
}

# What the preset has to give. A version of Digilent's files for the ZedBoard holds a second preset,
# of a board with 50 MHz and another memory (vivado-boards, 0100dd86).
proc check_preset {ps board} {
  set failures {}
  # The firmware names its clocks by the IO PLL's rate (fw/machine/zynq7000/slcr.h); for another
  # crystal or another set of clocks Vivado may choose another one.
  foreach {property expected} [list \
    CONFIG.PCW_CRYSTAL_PERIPHERAL_FREQMHZ [dict get $board crystal] \
    CONFIG.PCW_ACT_APU_PERIPHERAL_FREQMHZ [dict get $board cpu] \
    CONFIG.PCW_IO_IO_PLL_FREQMHZ 1000] {
    set megahertz [get_property $property $ps]
    if {abs($megahertz - $expected) > 0.001 * $expected} {
      lappend failures "the board's preset gives $property $megahertz; expected $expected"
    }
  }
  set uart [dict get $board uart]
  if {![get_property CONFIG.PCW_UART${uart}_PERIPHERAL_ENABLE $ps]} {
    lappend failures "the board's preset leaves UART$uart off, which is the console"
  }
  return $failures
}
