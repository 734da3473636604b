# Bounds the waits of the init script that Vivado writes (psu_init.tcl, ps7_init.tcl).
#
# As Vivado writes them, `poll` (DDR training) and the `mask_poll` of a Zynq-7000 read a register
# 10^8 times before they print anything: a day over JTAG. The `mask_poll` of a ZynqMP prints after
# 1,000 reads, and goes on as if the wait had succeeded. The procedures here replace both after the
# init script was sourced. What XSDB's own init_ps waits for is not in reach of a script.
#
# NOT VERIFIED: no board has seen this file.

# Reads of one wait. A JTAG read takes about a millisecond; a PLL or a DDR PHY less than that.
set reads_at_most 1000
# Seconds for all of an init script. Vivado's own take about two over USB.
set init_seconds 60

# Replaces the waits of an init script that was sourced. optional: patterns of addresses whose wait
# may fail, for hardware that the board may lack; a failure is printed, and the script goes on.
proc bound_waits {optional} {
  set ::optional_waits $optional
  proc ::poll {address mask wanted} {
    wait_for $address $mask $wanted
  }
  # init_ps lists may name the value, as a third word.
  proc ::mask_poll {address mask {wanted nonzero}} {
    wait_for $address $mask $wanted
  }
}

# Reads until the masked bits have the wanted value, or are not all zero.
proc wait_for {address mask wanted} {
  global reads_at_most optional_waits
  for {set reads 0} {$reads < $reads_at_most} {incr reads} {
    set value [read_word $address]
    set bits [expr {$value & $mask}]
    if {$wanted eq "nonzero" ? $bits != 0 : $bits == $wanted} {
      return
    }
  }
  set message "$address reads [hex $value] after $reads_at_most reads, mask $mask"
  if {$wanted ne "nonzero"} {
    append message ", wanted $wanted"
  }
  foreach pattern $optional_waits {
    if {[string match -nocase $pattern $address]} {
      step "going on without a block that does not start ($message)"
      return
    }
  }
  error $message
}

# Runs a procedure of an init script; raises an error when its time is over, whatever it waits in:
# each read over JTAG looks at the clock.
proc run_init {name} {
  global init_seconds init_deadline
  set init_deadline [expr {[clock seconds] + $init_seconds}]
  trace add execution mrd enter check_deadline
  set failed [catch {$name} message]
  trace remove execution mrd enter check_deadline
  if {$failed} {
    error $message
  }
}

proc check_deadline {call args} {
  global init_seconds init_deadline
  if {[clock seconds] > $init_deadline} {
    error "no end after $init_seconds seconds; it last read [lindex $call end]"
  }
}
