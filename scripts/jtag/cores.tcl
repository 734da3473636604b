# Lets cores 1 to 3 go when a debug session caught them as the firmware took them out of reset; a
# run of a case with more than one core then ends without an answer of theirs.
#
#   xsdb scripts/jtag/cores.tcl [tcp:HOST:3121]
#
# NOT VERIFIED: no board has seen this file.

if {[llength $argv]} {
  connect -url [lindex $argv 0]
} else {
  connect
}
foreach core {1 2 3} {
  targets -set -nocase -filter "name =~ \"Cortex-A53 #$core\""
  # A core that runs already, or is still in reset, refuses: nothing is to be done for it.
  if {[catch {con} message]} {
    puts "irqscope: core $core: $message"
  } else {
    puts "irqscope: core $core goes on"
  }
}
disconnect
