# A Zynq UltraScale+ behind XSDB's commands. Settings of its own: pll and apll (PLL_STATUS of either
# half), pgsr (PGSR0 of the DDR PHY: what its training waits for), serdes (a lane's PLL status).

set ::all_targets {PSU {Cortex-A53 #0} {Cortex-A53 #1} {Cortex-A53 #2} {Cortex-A53 #3}}
set ::first_core {Cortex-A53 #0}
set ::ready {fpga isolation reset_config}

command rst {-system flag -processor flag -clear-registers flag} 0 0 {
  if {[dict exists $options -system]} {
    on_target PSU
    foreach what {psu_init training fpga isolation reset_config dow} {
      unset -nocomplain ::done($what)
    }
    done system_reset
  } else {
    on_target Cortex-A53*
    needs system_reset
    done processor_reset
  }
}
command mwr {-force flag} 2 2 {
  on_target PSU
  if {[lindex $words 0] eq "0xFD080004"} {
    done training
    return
  }
  if {[is_memory [lindex $words 0]]} {
    needs psu_init
    if {[lindex $words 0] < 0x80000000} { needs training }
    memory_write {*}$words
    return
  }
  if {[lindex $words 0] eq "0xFF5E0200"} {
    done jtag_mode
  } elseif {[lindex $words 0] ne "0xFFCA0010" && [model]} {
    needs reset_config
    board_write {*}$words
  }
}
command mrd {-force flag -value flag} 1 1 {
  needs system_reset
  set address [format 0x%08X [lindex $words 0]]
  # As Vivado's script reads, which takes the last word of the text.
  set early [dict create 0xFD080030 [setting pgsr 0x80000FFF] 0xFD4063E4 [setting serdes 0x10] \
    0xFF5E0040 [setting pll 7] 0xFD1A0044 [setting apll 7]]
  if {[dict exists $early $address]} {
    set value [expr {[dict get $early $address]}]
    return [expr {[dict exists $options -value] ? $value : [format "%X:   %08X\n" $address $value]}]
  }
  needs psu_init
  if {[is_memory [lindex $words 0]]} { return [memory_read [lindex $words 0]] }
  switch [lindex $words 0] {
    0xFF5E00C0 { return [setting clock [expr {0x01010600}]] }
    0xFFCA3010 { return [expr {[info exists ::done(fpga)] ? [setting done 8] : 0}] }
    0xFFD80100 { return [expr {0x00C0008F}] }
    default {
      if {![model]} { error "cannot read [lindex $words 0]" }
      needs reset_config
      return [board_read $::target [lindex $words 0]]
    }
  }
}
command fpga {-file value} 0 0 {
  needs psu_init
  if {![file exists [dict get $options -file]]} { error "no bitstream" }
  done fpga
}
# What Vivado writes into psu_init.tcl; after the board's own file, which is empty, was sourced.
command psu_init {} 0 0 {
  on_target PSU
  foreach what {jtag_mode system_reset} { needs $what }
  if {[setting init_fails 0]} { error "timeout reached" }
  psu_ddr_phybringup_data
  done psu_init
}
proc psu_ddr_phybringup_data {} { done training }
command configparams {} 1 2 { return 0 }
command psu_post_config {} 0 0 { needs fpga }
command psu_ps_pl_isolation_removal {} 0 0 { needs fpga; done isolation }
command psu_ps_pl_reset_config {} 0 0 { needs isolation; done reset_config }
command psu_protection {} 0 0 { needs psu_init }
