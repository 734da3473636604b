# The block design: processor system and core, nothing else.

# Settings of the processor system beyond the board's preset. The preset has to be applied first: it
# would overwrite them.
proc irqscope_processor_settings {} {
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

# Nets, as pin of the processor system and pin of the core. Interrupt bits that no line drives are
# low inside the core; the legacy fast interrupts and the upper trace events are tied there.
proc irqscope_nets {} {
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

# Makes the design in the open project and returns its name; number says which board it is for, leds
# whether it has any.
proc create_irqscope_design {number leds} {
  set design irqscope_system
  create_bd_design $design

  set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:zynq_ultra_ps_e ps]
  apply_bd_automation -rule xilinx.com:bd_rule:zynq_ultra_ps_e -config {apply_board_preset 1} $ps
  set_property -dict [irqscope_processor_settings] $ps

  set core [create_bd_cell -type ip -vlnv irqscope:irqscope:irqscope:1.0 irqscope]
  # The rate that the tool gives PL0, not the one asked for: the presets' references differ.
  set megahertz [get_property CONFIG.PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ $ps]
  set_property -dict [list \
    CONFIG.EMIO_WIDTH 64 \
    CONFIG.BOARD $number \
    CONFIG.TICK_HZ [expr {round(1e6 * $megahertz)}]] $core
  foreach {processor_pin core_pin} [irqscope_nets] {
    connect_bd_net [get_bd_pins ps/$processor_pin] [get_bd_pins irqscope/$core_pin]
  }

  set ports {pmod 7}
  if {$leds} {
    lappend ports led 3
  }
  foreach {port left} $ports {
    create_bd_port -dir O -from $left -to 0 $port
    connect_bd_net [get_bd_pins irqscope/$port] [get_bd_ports $port]
  }
  return $design
}

# What the validated design is, if not what it has to be, in sentences. The processor system sizes
# its interrupt vectors by what drives them; a vector that stayed one bit wide would lose seven
# lines without a word.
proc check_irqscope_design {} {
  set failures {}
  foreach {pin property} {
    pl_ps_irq0 CONFIG.PSU__NUM_F2P0__INTR__INPUTS
    pl_ps_irq1 CONFIG.PSU__NUM_F2P1__INTR__INPUTS
  } {
    set left [get_property LEFT [get_bd_pins ps/$pin]]
    set inputs [get_property $property [get_bd_cells ps]]
    if {$left ne "7" || $inputs ne "8"} {
      lappend failures "$pin: highest bit '$left', inputs '$inputs'; expected 7 and 8"
    }
  }
  set megahertz [expr {[get_property CONFIG.TICK_HZ [get_bd_cells irqscope]] / 1e6}]
  if {abs($megahertz - 250) > 0.25} {
    lappend failures "PL0 is $megahertz MHz; expected 250"
  }
  return $failures
}
