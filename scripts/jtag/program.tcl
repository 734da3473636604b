# Programs a board over JTAG and starts the firmware; no boot loader is needed, nor an SD card:
#
#   xsdb scripts/jtag/program.tcl zcu102 [STACK] [tcp:HOST:3121]
#
# Takes irqscope.bit and psu_init.tcl from build/vivado/<board> and build/fw/irqscope.elf, or with
# another software STACK build/fw/irqscope-STACK.elf. Without a URL a hw_server is started on this
# machine. Works at any setting of the boot switches.
#
# What comes before the firmware stands in board.tcl.
#
# NOT VERIFIED: no board has seen this file. It is run in the tests by tclsh against a recorder.

source [file join [file dirname [file normalize [info script]]] board.tcl]

# ---- what to load --------------------------------------------------------------------------------
if {[llength $argv] < 1 || [llength $argv] > 3} {
  fail "usage: xsdb program.tcl BOARD \[STACK\] \[tcp:HOST:3121\]"
}
set board [lindex $argv 0]
set url {}
set program irqscope.elf
set maker "make build"
foreach word [lrange $argv 1 end] {
  if {[string match "tcp:*" $word]} {
    set url $word
  } elseif {$word ne "baremetal"} {
    set program irqscope-$word.elf
    set maker "make stacks STACKS=$word"
  }
}
built $board irqscope.bit
set firmware [need $root/build/fw/$program $maker]

set_up $board $url

# ---- firmware ------------------------------------------------------------------------------------
step "starting the firmware on core 0"
use_target "Cortex-A53 #0"
rst -processor -clear-registers
dow $firmware
con

# The firmware takes cores 1 to 3 out of reset itself, when a case wants them. A debugger that is
# attached may catch them at their first instruction: cores.tcl lets them go.
disconnect
step "running; now: irqscope run experiments/horst2020/t2.toml --target PORT"
