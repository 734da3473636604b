# Programs a board over JTAG and starts the firmware; no boot loader is needed, nor an SD card:
#
#   xsdb scripts/jtag/program.tcl zcu102 [STACK] [tcp:HOST:3121]
#
# Takes irqscope.bit and psu_init.tcl from build/vivado/<board> and build/fw/irqscope.elf, or with
# another software STACK build/fw/irqscope-STACK.elf. Without a URL a hw_server is started on this
# machine. Works at any setting of the boot switches.
#
# NOT VERIFIED: no board has seen this file. It is run in the tests by tclsh against a recorder.

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
set bitstream $root/build/vivado/$board/irqscope.bit
set psu_init $root/build/vivado/$board/psu_init.tcl
set firmware $root/build/fw/$program
set makers [list $bitstream "vivado/build.tcl" $psu_init "vivado/build.tcl" $firmware $maker]
foreach {file maker} $makers {
  if {![file exists $file]} {
    fail "there is no $file; $maker makes it"
  }
}

# ---- system reset, into JTAG boot whatever the switches say --------------------------------------
step "connecting"
if {[catch {expr {$url eq {} ? [connect] : [connect -url $url]}} message]} {
  fail "no hw_server: $message"
}
use_target "PSU"
mwr -force 0xFFCA0010 0x0      ;# CSU multiboot offset
mwr -force 0xFF5E0200 0x0100   ;# BOOT_MODE_USER: take the mode from here, JTAG
rst -system
after 3000

# ---- processor system, then PL -------------------------------------------------------------------
step "setting up clocks, pins and DDR (psu_init)"
use_target "PSU"
source $psu_init
if {[catch {psu_init} message]} {
  fail "psu_init stopped: $message"
}
if {[read_word 0xFF5E00C0] != 0x01010600} {
  step "PL0_REF_CTRL reads [format 0x%08X [read_word 0xFF5E00C0]]; 250 MHz from IOPLL is 0x01010600"
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
