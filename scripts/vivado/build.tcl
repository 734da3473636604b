# Builds bitstream and hardware description of one board, without a question:
#
#   vivado -mode batch -source scripts/vivado/build.tcl -tclargs zcu102 [ddr=x16] [output folder]
#
# ddr=x16: the memory module has x16 chips and not those of the board's preset (zynqmp.tcl).
#
# Result, in build/vivado/<board>: irqscope.bit, irqscope.xsa, psu_init.tcl or ps7_init.tcl,
# reports/. A design that fails a check gives no irqscope.bit; its bitstream is called
# irqscope_failed.bit.
#
# NOT VERIFIED: no Vivado has read this file. It is run in the tests by tclsh against a recorder
# that knows the commands' arguments.

set scripts [file dirname [file normalize [info script]]]
set root [file dirname [file dirname $scripts]]
source $scripts/boards.tcl
source $scripts/design.tcl
source $scripts/checks.tcl
source $root/ip/endpoints.tcl

proc fail {message} {
  puts stderr "irqscope: $message"
  exit 1
}

# ---- what to build -------------------------------------------------------------------------------
set name [lindex $argv 0]
if {![dict exists $boards $name]} {
  fail "name a board: [join [dict keys $boards] { or }]"
}
set board [dict get $boards $name]
source $scripts/[dict get $board machine].tcl
set part [dict get $board part]
set output $root/build/vivado/$name
set ddr {}
foreach word [lrange $argv 1 end] {
  if {[string match ddr=* $word]} {
    set ddr [string range $word 4 end]
  } else {
    set output [file normalize $word]
  }
}
if {$ddr ne {} && ![dict exists [memory_settings] $name $ddr]} {
  fail "ddr=$ddr: no such memory is known of $name"
}

# Versions that a build was seen with: none so far. Any version is let through; one that is not in
# the list is named in the log.
set versions_tried {}
set version_written_for 2024.2
set version [version -short]
if {$version ni $versions_tried} {
  puts "irqscope: Vivado $version was not tried yet; written for $version_written_for"
}
if {[llength [get_parts -quiet $part]] == 0} {
  if {[dict get $board free]} {
    fail "Vivado $version has no $part: install the family [dict get $machine family]"
  }
  fail "Vivado $version has no $part: it takes a paid licence; zcu104 is in the free edition"
}

# What the store's window installs is not looked for in batch mode (dweeeezil/FPGAmixer, with
# 2026.1). Folders: public scripts for 2022.1 to 2026.1.
proc look_in_board_store {version} {
  global env
  foreach {variable folder} {HOME .Xilinx APPDATA Xilinx} {
    if {![info exists env($variable)]} {
      continue
    }
    set store $env($variable)/$folder/Vivado/$version/xhub/board_store/xilinx_board_store
    foreach boards [list $store/XilinxBoardStore/Vivado/$version/boards $store] {
      if {[file isdirectory $boards]} {
        set_param board.repoPaths [concat [get_param board.repoPaths] [list $boards]]
        return
      }
    }
  }
}

proc board_parts_of {board} {
  return [lsort -dictionary [get_board_parts -quiet [dict get $board board]]]
}

set board_parts [board_parts_of $board]
if {[llength $board_parts] == 0} {
  look_in_board_store $version
  set board_parts [board_parts_of $board]
}
if {[llength $board_parts] == 0} {
  fail "no board file [dict get $board board]: get it from Vivado's board store"
}

# The connection of a module to its carrier, whose board file is one of its own: the newest that is
# there. Boards without a part are no board parts.
proc carrier_connection {board} {
  lassign [dict get $board carrier] connector carrier remote
  set versions {}
  foreach file [get_boards -quiet $carrier:*] {
    lappend versions [lindex [split $file :] end]
  }
  if {![llength $versions]} {
    fail "no board file $carrier beside [dict get $board board]: get both from the board store"
  }
  set version [lindex [lsort -dictionary $versions] end]
  return [list $connector $carrier:$remote:$version]
}

# ---- project -------------------------------------------------------------------------------------
file mkdir $output/reports
create_project -force irqscope $output/project -part $part
set_property board_part [lindex $board_parts end] [current_project]
if {[llength [dict get $board carrier]]} {
  set_property board_connections [carrier_connection $board] [current_project]
}
set_property ip_repo_paths $root/ip [current_project]
update_ip_catalog
set memory [expr {$ddr eq {} ? {} : [dict get [memory_settings] $name $ddr]}]
set design [create_irqscope_design $machine $board $memory]
validate_bd_design
set failures [check_irqscope_design $machine $board]
if {[llength $failures]} {
  fail "the block design is wrong: [join $failures {; }]"
}
set has_emio_width [emio_width_serves]
save_bd_design
set_property synth_checkpoint_mode None [get_files $design.bd]
generate_target all [get_files $design.bd]
set wrapper [make_wrapper -files [get_files $design.bd] -top]
add_files -norecurse $wrapper
set_property top ${design}_wrapper [current_fileset]
add_files -fileset constrs_1 -norecurse $root/constraints/$name.xdc
update_compile_order -fileset sources_1

# ---- synthesis, implementation -------------------------------------------------------------------
proc run_to_end {run} {
  wait_on_run $run
  if {[get_property PROGRESS [get_runs $run]] ne "100%"} {
    fail "$run stopped: [get_property STATUS [get_runs $run]]; see its runme.log"
  }
}

launch_runs synth_1 -jobs 4
run_to_end synth_1

# Strategies of the implementation (UG904, "Implementation Strategies"), until one meets setup and
# hold. Vivado has no seed for its placer: another strategy is what gives another placement.
set strategies {
  {Vivado Implementation Defaults}
  Performance_ExplorePostRoutePhysOpt
  Performance_NetDelay_high
  Performance_ExtraTimingOpt
  Performance_WLBlockPlacement
}
set slacks {}
foreach strategy $strategies {
  if {[llength $slacks]} {
    close_design
    reset_run impl_1
  }
  set_property strategy $strategy [get_runs impl_1]
  # The defaults leave physical optimisation out.
  set_property STEPS.PHYS_OPT_DESIGN.IS_ENABLED true [get_runs impl_1]
  launch_runs impl_1 -to_step write_bitstream -jobs 4
  run_to_end impl_1
  open_run impl_1
  set violations [check_slack]
  lappend slacks "$strategy: [expr {[llength $violations] ? [join $violations {; }] : {met}}]"
  puts "irqscope: [lindex $slacks end]"
  if {![llength $violations]} {
    break
  }
}

# ---- reports and checks --------------------------------------------------------------------------
report_utilization -hierarchical -file $output/reports/utilization.txt
report_timing_summary -delay_type min_max -max_paths 10 -file $output/reports/timing.txt
report_pulse_width -all_violators -file $output/reports/pulse_width.txt
report_clock_interaction -file $output/reports/clocks.txt
report_drc -file $output/reports/drc.txt
check_timing -verbose -file $output/reports/check_timing.txt

set failures [check_design $machine $board $output/reports $has_emio_width]
set bitstream [lindex [glob $output/project/irqscope.runs/impl_1/*.bit] 0]
if {[llength $failures]} {
  file copy -force $bitstream $output/irqscope_failed.bit
  foreach failure $failures {
    puts stderr "irqscope: $failure"
  }
  fail "[llength $failures] checks failed; the bitstream is $output/irqscope_failed.bit"
}
file copy -force $bitstream $output/irqscope.bit
# What sets up clocks, pins and memory of the processor system without a first-stage boot loader.
set init [dict get $machine init]
set found [glob -nocomplain $output/project/irqscope.*/sources_1/bd/$design/ip/*/$init]
if {[llength $found] != 1} {
  fail "[llength $found] files $init in $output/project; expected one"
}
file copy -force [lindex $found 0] $output/$init
write_hw_platform -fixed -force -include_bit -file $output/irqscope.xsa
puts "irqscope: $output holds irqscope.bit, irqscope.xsa and $init"
