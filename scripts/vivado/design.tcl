# The block design: processor system and core, nothing else. What differs between processor systems
# is in zynqmp.tcl and zynq7000.tcl.

# Makes the design in the open project and returns its name. memory: settings of another memory than
# the preset's.
proc create_irqscope_design {machine board memory} {
  set design irqscope_system
  create_bd_design $design

  # The preset has to be applied first: it would overwrite the settings.
  set ps [create_bd_cell -type ip -vlnv [dict get $machine processor] ps]
  apply_bd_automation -rule [dict get $machine rule] -config [dict get $machine automation] $ps
  set own [expr {[dict exists $board settings] ? [dict get $board settings] : {}}]
  set_property -dict [concat [processor_settings] $own $memory] $ps

  set core [create_bd_cell -type ip -vlnv [dict get $machine core] irqscope]
  # The rate that the tool gives the PL, not the one asked for: the presets' references differ.
  set megahertz [get_property [dict get $machine megahertz] $ps]
  set_property -dict [list \
    CONFIG.BOARD [dict get $board number] \
    CONFIG.TICK_HZ [expr {round(1e6 * $megahertz)}]] $core
  foreach {processor_pin core_pin} [processor_nets] {
    connect_bd_net [get_bd_pins ps/$processor_pin] [get_bd_pins irqscope/$core_pin]
  }

  # Of a port that is narrower than the core's pin, Vivado connects the lower bits and warns (BD
  # 41-2384); an input's upper bits are then 0.
  set ports [list pmod O [dict get $board outputs] pmod_in I [dict get $board inputs]]
  if {[dict get $board leds]} {
    lappend ports led O 4
  }
  foreach {port direction width} $ports {
    set left [expr {$width - 1}]
    create_bd_port -dir $direction -from $left -to 0 $port
    connect_bd_net [get_bd_pins irqscope/$port] [get_bd_ports $port]
  }
  return $design
}

# Whether the processor system's EMIO outputs, read back from the validated design, are as many as
# the core takes.
proc emio_width_serves {} {
  foreach {processor_pin core_pin} [processor_nets] {
    if {$core_pin eq "emio_gpio_o"} {
      return [expr {[get_property LEFT [get_bd_pins ps/$processor_pin]] >= 63}]
    }
  }
  return 0
}

# What the validated design is, if not what it has to be, in sentences. The processor system sizes
# its interrupt vectors by what drives them; a vector that stayed one bit wide would lose all other
# lines without a word.
proc check_irqscope_design {machine board} {
  set failures {}
  foreach {pin highest property} [interrupt_vectors] {
    set left [get_property LEFT [get_bd_pins ps/$pin]]
    set inputs [get_property $property [get_bd_cells ps]]
    set wanted [expr {$highest + 1}]
    if {$left ne $highest || $inputs ne $wanted} {
      set expected "expected $highest and $wanted"
      lappend failures "$pin: highest bit '$left', inputs '$inputs'; $expected"
    }
  }
  set megahertz [expr {[get_property CONFIG.TICK_HZ [get_bd_cells irqscope]] / 1e6}]
  set expected [expr {1e6 / [dict get $machine tick_ps]}]
  if {abs($megahertz / $expected - 1) > 0.001} {
    lappend failures "the PL clock is $megahertz MHz; expected [format %g $expected]"
  }
  return [concat $failures [check_preset [get_bd_cells ps] $board]]
}
