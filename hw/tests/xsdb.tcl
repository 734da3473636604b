# What scripts/jtag uses of XSDB, for recorder.tcl, over a board that is told wrong orders apart:
# registers answer only as far as the board has been set up. Commands: UG1400, "XSDB Commands".
#
# A test with a model of the board defines board_read, board_write and board_wait, which get what is
# not for the registers known here.
#
# Settings of the test: targets (names), done (PCAP_STATUS), clock (PL0_REF_CTRL), psu_fails, halted
# (cores that a debugger caught).

set ::target {}
command connect {-url value} 0 0 { done connect; return tcfchan#0 }
command disconnect {} 0 0 { needs connect }
command targets {-set flag -nocase flag -filter value} 0 0 {
  needs connect
  if {![regexp {^name =~ "(.*)"$} [dict get $options -filter] -> name]} { error "bad filter" }
  set all {PSU {Cortex-A53 #0} {Cortex-A53 #1} {Cortex-A53 #2} {Cortex-A53 #3}}
  if {$name ni [setting targets $all]} {
    error "no targets found with \"name =~ $name\""
  }
  set ::target $name
}
proc on_target {name} {
  if {![string match $name $::target]} { error "[lindex [info level -1] 0] on target $::target" }
}
command rst {-system flag -processor flag -clear-registers flag} 0 0 {
  if {[dict exists $options -system]} {
    on_target PSU
    foreach what {psu_init fpga isolation reset_config dow} { unset -nocomplain ::done($what) }
    done system_reset
  } else {
    on_target Cortex-A53*
    needs psu_init
    done processor_reset
  }
}
command mwr {-force flag} 2 2 {
  on_target PSU
  if {[lindex $words 0] eq "0xFF5E0200"} {
    done jtag_mode
  } elseif {[lindex $words 0] ne "0xFFCA0010" && [info commands board_write] ne {}} {
    needs reset_config
    board_write {*}$words
  }
}
command mrd {-force flag -value flag} 1 1 {
  needs psu_init
  switch [lindex $words 0] {
    0xFF5E00C0 { return [setting clock [expr {0x01010600}]] }
    0xFFCA3010 { return [expr {[info exists ::done(fpga)] ? [setting done 8] : 0}] }
    0xFF5E0040 { return [setting pll 7] }
    0xFFD80100 { return [expr {0x00C0008F}] }
    default {
      if {[info commands board_read] eq {}} { error "cannot read [lindex $words 0]" }
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
command dow {} 1 1 {
  on_target {Cortex-A53 #0}
  foreach what {fpga isolation reset_config processor_reset} { needs $what }
  done dow
}
command con {} 0 0 {
  if {$::target eq {Cortex-A53 #0}} {
    needs dow
  } elseif {$::target ni [setting halted {}]} {
    error "Already running"
  }
}
# What Vivado writes into psu_init.tcl; after the board's own file, which is empty, was sourced.
command psu_init {} 0 0 {
  on_target PSU
  foreach what {jtag_mode system_reset} { needs $what }
  if {[setting psu_fails 0]} { error "timeout reached" }
  done psu_init
}
command psu_post_config {} 0 0 { needs fpga }
command psu_ps_pl_isolation_removal {} 0 0 { needs fpga; done isolation }
command psu_ps_pl_reset_config {} 0 0 { needs isolation; done reset_config }
command psu_protection {} 0 0 { needs psu_init }
# Time does not pass here, but for a model.
command after {} 1 1 {
  if {[info commands board_wait] ne {}} { board_wait [lindex $words 0] }
}
