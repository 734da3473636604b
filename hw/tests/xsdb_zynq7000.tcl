# A Zynq-7000 behind XSDB's commands: the registers that ps7_init and ps7_post_config change are
# there. Settings of its own: mode (BOOT_MODE), pll (PLL_STATUS), fdiv (of the IO PLL), shifters
# (LVL_SHFTR_EN after ps7_post_config), reset (FPGA_RST_CTRL then), gates (APER_CLK_CTRL).

set ::all_targets {APU {ARM Cortex-A9 MPCore #0} {ARM Cortex-A9 MPCore #1} xc7z020}
set ::first_core {ARM Cortex-A9 MPCore #0}
set ::ready {fpga post_config}

command rst {-system flag -processor flag -clear-registers flag} 0 0 {
  if {[dict exists $options -system]} {
    on_target APU
    foreach what {ps7_init fpga post_config dow} { unset -nocomplain ::done($what) }
    done system_reset
  } else {
    on_target *Cortex-A9*
    needs ps7_init
    done processor_reset
  }
}
# The cores' own registers, of the interrupt controller among them, are reached through a core
# alone.
proc reach {address} {
  if {$address >= 0xF8F00000 && $address < 0xF8F02000} {
    on_target *Cortex-A9*
    needs processor_reset
  } else {
    on_target APU
  }
}
command mwr {-force flag} 2 2 {
  reach [lindex $words 0]
  if {[is_memory [lindex $words 0]]} {
    needs ps7_init
    if {[lindex $words 0] < 0x100000} { error "the first MB is no DDR" }
    memory_write {*}$words
    return
  }
  if {[model]} {
    needs post_config
    board_write {*}$words
  }
}
command mrd {-force flag -value flag} 1 1 {
  reach [lindex $words 0]
  needs system_reset
  # While ps7_init runs, too; as its own waits read, which take the last word of the text.
  if {[lindex $words 0] == 0xF800010C} {
    set locks [expr {[setting pll 0x3F]}]
    return [expr {[dict exists $options -value] ? $locks : [format "F800010C:   %08X\n" $locks]}]
  }
  if {[lindex $words 0] eq "0xF800025C"} { return [setting mode 0] }
  needs ps7_init
  if {[is_memory [lindex $words 0]]} { return [memory_read [lindex $words 0]] }
  set configured [info exists ::done(post_config)]
  switch [lindex $words 0] {
    0xF8000108 { return [expr {[setting fdiv 30] << 12 | 8}] }
    0xF8000170 { return [setting clock [expr {0x00100800}]] }
    0xF800012C { return [setting gates [expr {0x01EC044D}]] }
    0xF8000530 { return [expr {0x23727093}] }
    0xF8000900 { return [expr {$configured ? [setting shifters 15] : 10}] }
    0xF8000240 { return [expr {$configured ? [setting reset 0] : 15}] }
    default {
      if {![model]} { error "cannot read [lindex $words 0]" }
      needs post_config
      return [board_read $::target [lindex $words 0]]
    }
  }
}
command fpga {-file value} 0 0 {
  on_target xc7z*
  needs ps7_init
  if {![file exists [dict get $options -file]]} { error "no bitstream" }
  done fpga
}
# What Vivado writes into ps7_init.tcl; after the board's own file, which is empty, was sourced.
command ps7_init {} 0 0 {
  on_target APU
  needs system_reset
  if {[setting init_fails 0]} { error "timeout reached" }
  done ps7_init
}
# Before the PL is programmed it would be of no use: the shifters are for a PL that drives its pins.
command ps7_post_config {} 0 0 {
  on_target APU
  needs fpga
  done post_config
}
command configparams {} 1 2 { return 0 }
