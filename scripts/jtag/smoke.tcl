# The first thing to run on a board: everything between JTAG and the gateware, without firmware.
#
#   xsdb scripts/jtag/smoke.tcl zcu102 [design=FOLDER] [tcp:HOST:3121]
#
# Sets the board up as program.tcl does, then plays the firmware by hand: register port, one line
# that rises and is seen pending in the interrupt controller, one marker that serves it. Each step
# says what was seen; the first that is not as it should be ends it with exit code 1. Addresses and
# IDs are in the file of the board's machine.
#
# NOT VERIFIED: no board has seen this file. In the tests it runs against the gateware's own model.

source [file join [file dirname [file normalize [info script]]] board.tcl]

if {[llength $argv] < 1 || [llength $argv] > 3} {
  fail "usage: xsdb smoke.tcl BOARD \[design=FOLDER\] \[tcp:HOST:3121\]"
}
set board [lindex $argv 0]
use_machine_of $board
set url {}
foreach word [lrange $argv 1 end] {
  if {[string match design=* $word]} {
    set design [string range $word 7 end]
  } else {
    set url $word
  }
}
set_up $board $url {} ocm
check_clocks

# ---- register port, by EMIO ----------------------------------------------------------------------
# A register of the GPIO controller: the lower bank of EMIO has request and markers, the upper data.
proc gpio {name} {
  return [dict get $::gpio $name]
}

# Data is there before a pin is driven, direction and output enable of both banks.
proc drive_pins {} {
  foreach address [gpio drive] {
    mwr -force $address 0xFFFFFFFF
  }
}

# One request: address and direction first, then the request bit turns round by itself.
proc request {word write} {
  set old [expr {[read_word [gpio data]] >> 16 & 0x8000}]
  set upper [expr {$write << 14 | $word}]
  mwr -force [gpio mask_msw] [hex [expr {$upper | $old}]]
  mwr -force [gpio mask_msw] [hex [expr {$upper | ($old ^ 0x8000)}]]
  for {set looks 0} {$looks < 100} {incr looks} {
    if {([read_word [gpio pins]] & 1) == ($old == 0)} {
      return
    }
  }
  fail "the gateware does not acknowledge: isolation or level shifters, reset, EMIO width"
}

proc get {word} {
  request $word 0
  return [read_word [gpio pins_high]]
}

proc put {word value} {
  mwr -force [gpio data_high] [hex $value]
  request $word 1
}

proc put64 {word value} {
  put $word [expr {$value & 0xFFFFFFFF}]
  put [expr {$word + 1}] [expr {$value >> 32}]
}

# Word addresses and bits: hw/regs/irqscope.rdl.
drive_pins
set magic [get 0x0000]
if {$magic != 0x49525153} {
  fail "magic reads [hex $magic] and not 0x49525153: another bitstream, or the upper EMIO bank"
}
step "the gateware answers: register map [hex [get 0x0001]], build [hex [get 0x0002]]"
foreach pattern {0x55555555 0xAAAAAAAA} {
  put 0x0008 $pattern
  if {[get 0x0008] != $pattern} {
    fail "scratch reads [hex [get 0x0008]] and not $pattern: the upper EMIO bank"
  }
}

# ---- one line, one marker ------------------------------------------------------------------------
# A marker: code and toggle in nibble 0, by one store that protects the other nibbles.
proc marker {code} {
  set toggle [expr {~[read_word [gpio data]] & 0x8}]
  mwr -force [gpio mask_lsw] [hex [expr {0xFFF00000 | $toggle | $code}]]
}

prepare_interrupts
set handler 2

put 0x0010 0x2                       ;# disarm
put 0x0012 0xFFFFFFFF                ;# errors
put 0x0010 0x4                       ;# clear
for {set looks 0} {[get 0x0011] & 0x4} {incr looks} {
  if {$looks == 100} {
    fail "clearing does not end"
  }
}
marker 0                             ;# the gateware has to know the toggle
lassign [pending] is_shared is_private at_rest
if {$is_shared || $is_private} {
  fail "pending at rest: $shared $is_shared, $private of core 0 $is_private: stuck or inverted"
}
put 0x0040 [expr {1 | 2 << 8 | 1 << 24 | $handler << 28}]  ;# line 0: until core 0's handler marker
put 0x0041 0
put 0x0042 0xFFFFFFFF
put 0x0043 [expr {$tick_hz / 1000}]
put 0x0044 1
put 0x0046 [expr {1 | 1 << 16}]      ;# to the first shared output and the private one of core 0
put 0x0100 [expr {1 | 1 << 16 | $handler << 20}]           ;# channel 0: from line 0 to that marker
put 0x0101 0xFFFFFFFF
set now [get 0x0014]
set now [expr {[get 0x0015] << 32 | $now}]
put64 0x0016 [expr {$now + 2 * $tick_hz}]                  ;# 2 s for the accesses up to here
put 0x0010 0x1                       ;# arm
if {!([get 0x0011] & 1)} {
  fail "the gateware does not arm: errors [hex [get 0x0012]]"
}
after 2500
if {!([read_word [gpio pins]] >> 8 & 1)} {
  fail "line 0 does not rise: is the PL clock at [expr {$tick_hz / 1000000}] MHz?"
}
lassign [pending] is_shared is_private raw
if {!$is_shared} {
  fail "line 0 is high, $shared is not pending: $shared_pin in the block design"
}
if {!$is_private} {
  fail "line 0 is high, $private of core 0 is not pending: $private_pin in the block design"
}
set shown "$at_rest to $raw"
step "line 0 is pending as $shared and as $private; its raw level went from $shown"

marker $handler
set served [get 0x0106]
set stops [get 0x010C]
if {$served != 1 || $stops != 1} {
  fail "one marker was sent: channel 0 counted $stops and served $served"
}
lassign [pending] is_shared is_private
if {$is_shared || $is_private} {
  set found "$shared $is_shared, $private of core 0 $is_private"
  fail "the marker took line 0 back, but pending are: $found"
}
put 0x0010 0x2                       ;# disarm
put 0x0040 0
put 0x0100 0
leave_interrupts
step "the marker was counted and took the line back"

# ---- DDR -----------------------------------------------------------------------------------------
# Last, since neither the gateware nor a firmware in on-chip memory needs it: a fault is printed. A
# controller whose PHY is not trained may never answer, so its memory is not touched then.
set memory_words ""
set fault [train_memory]
if {$fault eq {}} {
  set fault [memory_fault {*}[dict get $machine ddr]]
}
if {$fault eq {}} {
  step "DDR holds what is written"
} else {
  step "DDR $fault; [memory_advice]"
  if {[dict exists $machine on_chip]} {
    set memory_words " MEMORY=ocm"
  }
}
disconnect
step "now: make program BOARD=$board$memory_words"
