# What the scripts of this folder share: words to the user, targets, what a build left, and which
# machine a board is. What differs between machines is in zynqmp.tcl and zynq7000.tcl.
#
# NOT VERIFIED: no board has seen this file.

set root [file dirname [file dirname [file dirname [file normalize [info script]]]]]
source $root/scripts/vivado/boards.tcl
source $root/scripts/jtag/memory.tcl
source $root/scripts/jtag/waits.tcl

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

proc hex {value} {
  return [format 0x%08X $value]
}

proc need {file maker} {
  if {![file exists $file]} {
    fail "there is no $file; $maker makes it"
  }
  return $file
}

# Where a design of one's own is, in place of what scripts/vivado/build.tcl leaves; or nothing.
set design {}

# A file of a board's build.
proc built {board name} {
  global root design
  if {$design ne {}} {
    return [need $design/$name "write_hw_platform -include_bit, unpacked,"]
  }
  return [need $root/build/vivado/$board/$name vivado/build.tcl]
}

# The firmware of a board with a stack: its file below build, and what makes it.
proc firmware_of {board stack memory} {
  global machine board_facts
  set folder [dict get $machine firmware]
  set words [dict get $machine make]
  # A board whose link is another UART has a program of its own.
  if {[dict exists $board_facts own] && [dict get $board_facts own]} {
    append folder -$board
    append words " BOARD=$board"
  }
  if {$memory ne "ddr"} {
    append folder -$memory
    append words " MEMORY=$memory"
  }
  if {$stack eq "baremetal"} {
    return [list $folder/irqscope.elf "make -C fw$words"]
  }
  return [list $folder/irqscope-$stack.elf "make -C fw$words STACK=$stack"]
}

# Reads what this folder knows of the board's machine. Defines machine, a dictionary, and
# procedures:
#
# init       file of Vivado's that sets up clocks, pins and memory
# firmware   folder of the firmware below build, and what makes it
# core       the target on which it starts; others: the further cores
# set_up_processor  from a hw_server that is connected to a PL that runs; without DDR if memory is
#                   ocm
# train_memory      sets up DDR if set_up_processor left it out; gives an error text, or nothing
proc use_machine_of {name} {
  global boards board_facts
  if {![dict exists $boards $name]} {
    fail "there is no board $name; there are [join [dict keys $boards] {, }]"
  }
  set board_facts [dict get $boards $name]
  uplevel #0 [list source $::root/scripts/jtag/[dict get $board_facts machine].tcl]
}

# From a hw_server (none named: one of this machine) to a PL that runs. fsbl: a first-stage boot
# loader that sets clocks, pins and DDR up in place of Vivado's script, or nothing. memory: ddr, or
# ocm for a board whose DDR may not work.
proc set_up {board url fsbl memory} {
  global machine
  set bitstream [built $board irqscope.bit]
  set init [built $board [dict get $machine init]]

  step "connecting"
  if {[catch {expr {$url eq {} ? [connect] : [connect -url $url]}} message]} {
    fail "no hw_server: $message"
  }
  set_up_processor $bitstream $init $fsbl $memory
}
