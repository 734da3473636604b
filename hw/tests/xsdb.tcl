# What scripts/jtag uses of XSDB, for recorder.tcl, over a board that is told wrong orders apart:
# registers answer only as far as the board has been set up. Commands: UG1400, "XSDB Commands". What
# differs between machines is in xsdb_zynqmp.tcl and xsdb_zynq7000.tcl.
#
# A test with a model of the board defines board_read, board_write and board_wait, which get what is
# not for the registers known here.
#
# Settings of the test: targets (names), done (PCAP_STATUS, devcfg), clock (register of the PL
# clock's dividers), init_fails, halted (cores that a debugger caught), and what the machine's file
# names.

set ::target {}
command connect {-url value} 0 0 { done connect; return tcfchan#0 }
command disconnect {} 0 0 { needs connect }
command targets {-set flag -nocase flag -filter value} 0 0 {
  needs connect
  if {![regexp {^name =~ "(.*)"$} [dict get $options -filter] -> name]} { error "bad filter" }
  set found [lsearch -all -inline -glob [setting targets $::all_targets] $name]
  if {[llength $found] != 1} {
    error "[llength $found] targets found with \"name =~ $name\""
  }
  set ::target [lindex $found 0]
}
proc on_target {name} {
  if {![string match $name $::target]} { error "[lindex [info level -1] 0] on target $::target" }
}
# Memory as it is over JTAG: an address line that reaches no chip makes two places one. Settings:
# ddr_alias, its bit; ddr_stuck, a data bit that stays 0; ddr_dead, what an access says.
proc memory_place {address} {
  if {$address < 0x80000000} {
    if {[setting ddr_dead {}] ne {}} { error [setting ddr_dead {}] }
    if {[setting ddr_alias {}] ne {}} { return [expr {$address & ~(1 << [setting ddr_alias {}])}] }
  }
  return [expr {$address}]
}
proc is_memory {address} { return [expr {$address < 0x80000000 || $address >= 0xFFFC0000}] }
proc memory_write {address value} {
  set stuck [expr {$address < 0x80000000 ? [setting ddr_stuck 0] : 0}]
  set ::cells([memory_place $address]) [expr {$value & ~$stuck}]
}
proc memory_read {address} { return $::cells([memory_place $address]) }
proc model {} {
  return [expr {[info commands board_read] ne {}}]
}
command dow {} 1 1 {
  on_target $::first_core
  if {[string match */fsbl.elf [lindex $words 0]]} {
    foreach what {system_reset processor_reset} { needs $what }
    done fsbl
    return
  }
  foreach what [list {*}$::ready processor_reset] { needs $what }
  done dow
}
command bpadd {-addr value} 0 0 {
  needs fsbl
  if {[dict get $options -addr] ne "&XFsbl_Exit"} { error "no such symbol" }
  done breakpoint
  return 7
}
command bpremove {} 1 1 {
  if {$words ne "7"} { error "no breakpoint $words" }
}
command con {-block flag -timeout value} 0 0 {
  if {[dict exists $options -block]} {
    needs breakpoint
    if {[setting fsbl_hangs 0]} { error "timeout: target has not halted" }
    done psu_init
    done training
    unset ::settings(ddr_alias)
    return
  }
  if {$::target eq $::first_core} {
    needs dow
  } elseif {$::target ni [setting halted {}]} {
    error "Already running"
  }
}
# Time does not pass here, but for a model.
command after {} 1 1 {
  if {[model]} { board_wait [lindex $words 0] }
}
