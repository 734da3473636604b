# Lets the further cores go when a debug session caught them as the firmware started them; a run of
# a case with more than one core then ends without an answer of theirs.
#
#   xsdb scripts/jtag/cores.tcl [zynqmp|zynq7000] [tcp:HOST:3121]
#
# NOT VERIFIED: no board has seen this file.

set kind zynqmp
foreach word $argv {
  if {[string match "tcp:*" $word]} {
    set url $word
  } else {
    set kind $word
  }
}
if {$kind ni {zynqmp zynq7000}} {
  puts stderr "irqscope: usage: xsdb cores.tcl \[zynqmp|zynq7000\] \[tcp:HOST:3121\]"
  exit 1
}
source [file join [file dirname [file normalize [info script]]] $kind.tcl]
if {[info exists url]} {
  connect -url $url
} else {
  connect
}
set core 0
foreach name [dict get $machine others] {
  incr core
  targets -set -nocase -filter "name =~ \"$name\""
  # A core that runs already, or is still in reset, refuses: nothing is to be done for it.
  if {[catch {con} message]} {
    puts "irqscope: core $core: $message"
  } else {
    puts "irqscope: core $core goes on"
  }
}
disconnect
