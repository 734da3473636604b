# What the scripts of this folder share: words to the user, targets, and a board set up so far that
# the PL works and a core can be given a program.
#
# NOT VERIFIED: no board has seen this file.

set root [file dirname [file dirname [file dirname [file normalize [info script]]]]]

proc fail {message} {
  puts stderr "irqscope: $message"
  exit 1
}

proc step {message} {
  puts "irqscope: $message"
}

# Makes the one target whose name matches the current one.
proc use_target {name} {
  if {[catch {targets -set -nocase -filter "name =~ \"$name\""} message]} {
    fail "no target $name: is the board on, and its JTAG cable in? ($message)"
  }
}

proc read_word {address} {
  return [mrd -force -value $address]
}

proc need {file maker} {
  if {![file exists $file]} {
    fail "there is no $file; $maker makes it"
  }
  return $file
}

# Of a board's build, in what scripts/vivado/build.tcl leaves.
proc built {board name} {
  return [need $::root/build/vivado/$board/$name vivado/build.tcl]
}

# From a hw_server (none named: one of this machine) to a PL that runs, whatever the boot switches
# say. The current target is then the processor system.
proc set_up {board url} {
  set bitstream [built $board irqscope.bit]
  set psu_init [built $board psu_init.tcl]

  step "connecting"
  if {[catch {expr {$url eq {} ? [connect] : [connect -url $url]}} message]} {
    fail "no hw_server: $message"
  }
  # System reset, into JTAG boot.
  use_target "PSU"
  mwr -force 0xFFCA0010 0x0      ;# CSU multiboot offset
  mwr -force 0xFF5E0200 0x0100   ;# BOOT_MODE_USER: take the mode from here, JTAG
  rst -system
  after 3000

  step "setting up clocks, pins and DDR (psu_init)"
  use_target "PSU"
  uplevel #0 [list source $psu_init]
  if {[catch {psu_init} message]} {
    fail "psu_init stopped: $message"
  }
  set divisors [format 0x%08X [read_word 0xFF5E00C0]]
  if {$divisors ne "0x01010600"} {
    step "PL0_REF_CTRL reads $divisors; 250 MHz from IOPLL is 0x01010600"
  }
  step "programming the PL"
  fpga -file $bitstream
  if {!([read_word 0xFFCA3010] & 0x8)} {
    fail "the PL does not report DONE (PCAP_STATUS bit 3): is the bitstream for this board?"
  }
  psu_post_config
  # psu_init does neither of these; without them EMIO stays dead and no interrupt arrives.
  psu_ps_pl_isolation_removal
  after 1000
  psu_ps_pl_reset_config
  catch {psu_protection}
}
