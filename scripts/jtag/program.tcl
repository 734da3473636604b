# Programs a board over JTAG and starts the firmware; no boot loader is needed, nor an SD card:
#
#   xsdb scripts/jtag/program.tcl zcu102 [STACK] [memory=ocm] [fsbl=FILE] [design=FOLDER]
#     [tcp:HOST:3121]
#
# Takes irqscope.bit and Vivado's script for the processor system from build/vivado/<board>, or the
# FOLDER of a design of one's own, and
# irqscope.elf, or with another software STACK irqscope-STACK.elf, from the board's folder of the
# firmware (build/fw, build/fw-kv260, build/fw-zynq7000). memory=ocm: the firmware that stands in
# on-chip memory (build/fw-ocm) and needs no DDR. fsbl=FILE: a first-stage boot loader sets DDR up
# for the module that is there, in place of Vivado's script. Without a URL a hw_server is started on
# this machine. DDR is tested before a program is loaded into it.
#
# What comes before the firmware is in board.tcl and in the file of the board's machine.
#
# NOT VERIFIED: no board has seen this file. It is run in the tests by tclsh against a recorder.

source [file join [file dirname [file normalize [info script]]] board.tcl]

# ---- what to load --------------------------------------------------------------------------------
if {[llength $argv] < 1 || [llength $argv] > 6} {
  fail "usage: xsdb program.tcl BOARD \[STACK\] \[memory=ocm\] \[fsbl=FILE\] \[design=FOLDER\]\
    \[tcp:HOST:3121\]"
}
set board [lindex $argv 0]
use_machine_of $board
set url {}
set fsbl {}
set memory ddr
set stack baremetal
foreach word [lrange $argv 1 end] {
  switch -glob $word {
    tcp:*    { set url $word }
    memory=* { set memory [string range $word 7 end] }
    design=* { set design [string range $word 7 end] }
    fsbl=*   { set fsbl [need [string range $word 5 end] "make sdcard BOARD=$board"] }
    default  { set stack $word }
  }
}
if {$memory ni {ddr ocm} || ($memory eq "ocm" && ![dict exists $machine on_chip])} {
  fail "memory=$memory: there is no such firmware for $board"
}
lassign [firmware_of $board $stack $memory] program maker
built $board irqscope.bit
set firmware [need $root/build/$program $maker]

set_up $board $url $fsbl $memory
set found [memory_fault {*}[dict get $machine [expr {$memory eq "ocm" ? "on_chip" : "ddr"}]]]
if {$found ne {}} {
  fail [expr {$memory eq "ocm"
    ? "on-chip memory $found: power-cycle; report it" : "DDR $found; [memory_advice]"}]
}

# ---- firmware ------------------------------------------------------------------------------------
step "starting the firmware on core 0"
use_target [dict get $machine core]
rst -processor -clear-registers
dow $firmware
con

# The firmware starts the further cores itself, when a case wants them. A debugger that is attached
# may catch them at their first instruction: cores.tcl lets them go.
disconnect
step "running; now: irqscope run experiments/horst2020/t2.toml --target PORT"
