# The first thing to run on a board: everything between JTAG and the gateware, without firmware.
#
#   xsdb scripts/jtag/smoke.tcl zcu102 [tcp:HOST:3121]
#
# Sets the board up as program.tcl does (board.tcl), then plays the firmware by hand: register port,
# one line that rises and is seen pending in the interrupt controller, one marker that serves it.
# Each step says what was seen; the first that is not as it should be ends it with exit code 1.
#
# NOT VERIFIED: no board has seen this file. In the tests it runs against the gateware's own model.

source [file join [file dirname [file normalize [info script]]] board.tcl]

if {[llength $argv] < 1 || [llength $argv] > 2} {
  fail "usage: xsdb smoke.tcl BOARD \[tcp:HOST:3121\]"
}
set_up [lindex $argv 0] [lindex $argv 1]

proc hex {value} {
  return [format 0x%08X $value]
}

# ---- clocks and power ----------------------------------------------------------------------------
if {!([read_word 0xFF5E0040] & 0x1)} {
  fail "the IOPLL is not locked (PLL_STATUS bit 0)"
}
if {!([read_word 0xFF5E00C0] & 0x01000000)} {
  fail "the PL clock is off (PL0_REF_CTRL bit 24)"
}
# What this bit says of an isolated PL is told differently: shown, not judged.
step "clocks run; PWR_STATE reads [hex [read_word 0xFFD80100]]"

# ---- register port, by EMIO ----------------------------------------------------------------------
# GPIO, UG1087: EMIO 31:0 is bank 3, 63:32 is bank 4.
set mask_data_3_lsw 0xFF0A0018
set mask_data_3_msw 0xFF0A001C
set data_3 0xFF0A004C
set data_4 0xFF0A0050
set data_3_ro 0xFF0A006C
set data_4_ro 0xFF0A0070

# Data is there before a pin is driven, direction and output enable of both banks.
proc drive_pins {} {
  foreach address {0xFF0A02C4 0xFF0A02C8 0xFF0A0304 0xFF0A0308} {
    mwr -force $address 0xFFFFFFFF
  }
}

# One request: address and direction first, then the request bit turns round by itself.
proc request {word write} {
  global mask_data_3_msw data_3 data_3_ro
  set old [expr {[read_word $data_3] >> 16 & 0x8000}]
  set upper [expr {$write << 14 | $word}]
  mwr -force $mask_data_3_msw [hex [expr {$upper | $old}]]
  mwr -force $mask_data_3_msw [hex [expr {$upper | ($old ^ 0x8000)}]]
  for {set looks 0} {$looks < 100} {incr looks} {
    if {([read_word $data_3_ro] & 1) == ($old == 0)} {
      return
    }
  }
  fail "the gateware does not acknowledge: isolation, reset or EMIO width"
}

proc get {word} {
  request $word 0
  return [read_word $::data_4_ro]
}

proc put {word value} {
  mwr -force $::data_4 [hex $value]
  request $word 1
}

proc put64 {word value} {
  put $word [expr {$value & 0xFFFFFFFF}]
  put [expr {$word + 1}] [expr {$value >> 32}]
}

# Word addresses and bits: docs/registers.md.
drive_pins
set magic [get 0x0000]
if {$magic != 0x49525153} {
  fail "magic reads [hex $magic] and not 0x49525153: another bitstream, or bits of EMIO bank 4"
}
step "the gateware answers: register map [hex [get 0x0001]], build [hex [get 0x0002]]"
foreach pattern {0x55555555 0xAAAAAAAA} {
  put 0x0008 $pattern
  if {[get 0x0008] != $pattern} {
    fail "scratch reads [hex [get 0x0008]] and not $pattern: bits of EMIO bank 4"
  }
}

# ---- one line, one marker ------------------------------------------------------------------------
# As core 0 sees the interrupt controller: its private interrupts are banked. The core halts at its
# reset vector and runs nothing.
proc pending {} {
  use_target "Cortex-A53 #0"
  set shared [expr {[read_word 0xF901020C] >> 25 & 1}]
  set private [expr {[read_word 0xF9010200] >> 31 & 1}]
  set ppisr [expr {[read_word 0xF9010D00] >> 15 & 1}]
  use_target "PSU"
  return [list $shared $private $ppisr]
}

# A marker: code and toggle in nibble 0, by one store that protects the other nibbles.
proc marker {code} {
  global data_3 mask_data_3_lsw
  set toggle [expr {~[read_word $data_3] & 0x8}]
  mwr -force $mask_data_3_lsw [hex [expr {0xFFF00000 | $toggle | $code}]]
}

use_target "Cortex-A53 #0"
rst -processor
use_target "PSU"
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
lassign [pending] shared private ppisr_at_rest
if {$shared || $private} {
  fail "pending at rest: SPI 121 $shared, PPI 31 of core 0 $private: stuck or inverted"
}
put 0x0040 [expr {1 | 2 << 8 | 1 << 24 | $handler << 28}]  ;# line 0: until core 0's handler marker
put 0x0041 0
put 0x0042 0xFFFFFFFF
put 0x0043 250000
put 0x0044 1
put 0x0046 [expr {1 | 1 << 16}]      ;# to SPI 121 and to PPI 31 of core 0
put 0x0100 [expr {1 | 1 << 16 | $handler << 20}]           ;# channel 0: from line 0 to that marker
put 0x0101 0xFFFFFFFF
set now [get 0x0014]
set now [expr {[get 0x0015] << 32 | $now}]
put64 0x0016 [expr {$now + 500000000}]                     ;# 2 s for the accesses up to here
put 0x0010 0x1                       ;# arm
if {!([get 0x0011] & 1)} {
  fail "the gateware does not arm: errors [hex [get 0x0012]]"
}
after 2500
if {!([read_word $data_3_ro] >> 8 & 1)} {
  fail "line 0 does not rise: is the PL clock at 250 MHz?"
}
lassign [pending] shared private ppisr
if {!$shared} {
  fail "line 0 is high, SPI 121 is not pending: pl_ps_irq0 in the block design"
}
if {!$private} {
  fail "line 0 is high, PPI 31 of core 0 is not pending: pl_ps_apugic_irq in the block design"
}
set shown "$ppisr_at_rest to $ppisr"
step "line 0 is pending as SPI 121 and as PPI 31; GICD_PPISR bit 15 went from $shown"

marker $handler
set served [get 0x0106]
set stops [get 0x010C]
if {$served != 1 || $stops != 1} {
  fail "one marker was sent: channel 0 counted $stops and served $served"
}
lassign [pending] shared private
if {$shared || $private} {
  fail "the marker took line 0 back, but pending are: SPI 121 $shared, PPI 31 of core 0 $private"
}
put 0x0010 0x2                       ;# disarm
put 0x0040 0
put 0x0100 0
disconnect
step "the marker was counted and took the line back; now: xsdb scripts/jtag/program.tcl BOARD"
