# Programs a board over JTAG and starts the firmware; no boot loader is needed, nor an SD card:
#
#   xsdb scripts/jtag/program.tcl zcu102 [STACK] [tcp:HOST:3121]
#
# Takes irqscope.bit and Vivado's script for the processor system from build/vivado/<board>, and
# irqscope.elf, or with another software STACK irqscope-STACK.elf, from the machine's folder of the
# firmware (build/fw, build/fw-zynq7000). Without a URL a hw_server is started on this machine.
#
# What comes before the firmware is in board.tcl and in the file of the board's machine.
#
# NOT VERIFIED: no board has seen this file. It is run in the tests by tclsh against a recorder.

source [file join [file dirname [file normalize [info script]]] board.tcl]

# ---- what to load --------------------------------------------------------------------------------
if {[llength $argv] < 1 || [llength $argv] > 3} {
  fail "usage: xsdb program.tcl BOARD \[STACK\] \[tcp:HOST:3121\]"
}
set board [lindex $argv 0]
use_machine_of $board
set url {}
set program irqscope.elf
set maker [expr {[dict get $machine make] eq {} ? "make build" : "make[dict get $machine make]"}]
foreach word [lrange $argv 1 end] {
  if {[string match "tcp:*" $word]} {
    set url $word
  } elseif {$word ne "baremetal"} {
    set program irqscope-$word.elf
    set maker [expr {[dict get $machine make] eq {}
      ? "make stacks STACKS=$word" : "make[dict get $machine make] STACK=$word"}]
  }
}
built $board irqscope.bit
set firmware [need $root/build/[dict get $machine firmware]/$program $maker]

set_up $board $url

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
