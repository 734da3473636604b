# What scripts/vivado uses of Vivado, for recorder.tcl: commands with their options (UG835), and a
# routed design to look at.
#
# Settings of the test: part, board_parts, core_ports (name, direction, width and kind of each port
# of the packaged core), port_widths (of its interrupts, as it declares them), properties (known
# properties of the processor system with their values), ports (of the processor system, the columns
# of psu_ports.txt and ps7_ports.txt), megahertz of the PL clock, preset (properties of the
# processor system that the board's preset gives, read only here), store (the one folder of board
# files), and faults: port_width (what an interrupt vector follows: "undeclared" or a width) and in
# the routed design slack (one for each strategy that is tried, the last for all others), pulse
# (total slack of pulse widths), no_clock, period, skew, unmarked, front (registers of a stage of
# the pin front), renamed (registers have other names), stray and unreached (endpoints of EMIO),
# status. carriers: versions of the carrier's board file.
#
# What differs between the processor systems is told by the cell that the design asks for.

# For each processor system: rule and settings of its automation, property of the PL clock's rate,
# interrupt vectors by the property that counts their inputs, file that sets it up, primitive, width
# of its EMIO outputs and which of them is the PL's reset.
set processors {
  xilinx.com:ip:zynq_ultra_ps_e {
    rule       xilinx.com:bd_rule:zynq_ultra_ps_e
    automation {apply_board_preset 1}
    rate       CONFIG.PSU__CRL_APB__PL0_REF_CTRL__ACT_FREQMHZ
    inputs     {
      CONFIG.PSU__NUM_F2P0__INTR__INPUTS pl_ps_irq0
      CONFIG.PSU__NUM_F2P1__INTR__INPUTS pl_ps_irq1
    }
    init       psu_init.tcl
    primitive  PS8
    emio       96
    reset      {PS_i/EMIOGPIOO[95]}
    megahertz  249.975
    period     4.000
    core       irqscope
  }
  xilinx.com:ip:processing_system7 {
    rule       xilinx.com:bd_rule:processing_system7
    automation {make_external {FIXED_IO, DDR} apply_board_preset 1 Master Disable Slave Disable}
    rate       CONFIG.PCW_ACT_FPGA0_PERIPHERAL_FREQMHZ
    inputs     {CONFIG.PCW_NUM_F2P_INTR_INPUTS IRQ_F2P}
    init       ps7_init.tcl
    primitive  PS7
    emio       64
    reset      {}
    megahertz  125.000000
    period     8.000
    core       irqscope_zynq7000
  }
}
proc processor {key} {
  return [dict get $::processors $::processor $key]
}

namespace eval bd {
  variable pins  ;# direction, width and kind of each pin, by name
  variable driver  ;# what drives each input
  variable properties
  array set pins {}
  array set driver {}
  array set properties {}
}

# ---- project ------------------------------------------------------------------------------------
command version {-short flag} 0 0 { return 2024.2 }
command get_parts {-quiet flag} 1 1 { return [setting part [lindex $words 0]] }
# With the setting store, only from that folder.
command get_board_parts {-quiet flag} 1 1 {
  if {[setting store {}] ni [concat {{}} $::repositories]} { return {} }
  return [setting board_parts [lindex $words 0]]
}
set repositories {}
# Board files of carriers, which have no part.
command get_boards {-quiet flag} 1 1 {
  return [lmap version [setting carriers {1.2 1.3}] {
    string cat [string range [lindex $words 0] 0 end-1] $version
  }]
}
command get_param {} 1 1 { return $::repositories }
command set_param {} 2 2 {
  if {[lindex $words 0] ne "board.repoPaths"} { error "no parameter [lindex $words 0]" }
  set ::repositories [lindex $words 1]
}
command create_project {-force flag -part value} 2 2 {
  done project
  set ::project [lindex $words 1]
}
command current_project {} 0 0 { return project }
command update_ip_catalog {} 0 0 {
  needs ip_repo_paths
  done catalogue
}
command get_files {} 1 1 { return [lindex $words 0] }
command add_files {-norecurse flag -fileset value} 1 1 {
  if {![file exists [lindex $words 0]] && ![string match *wrapper.v [lindex $words 0]]} {
    error "add_files: there is no [lindex $words 0]"
  }
}
command current_fileset {} 0 0 { return sources_1 }
command update_compile_order {-fileset value} 0 0 { needs wrapper }
command set_property {-dict value} 1 3 {
  if {[dict exists $options -dict]} {
    set pairs [dict get $options -dict]
    set object [lindex $words 0]
  } else {
    if {[llength $words] != 3} { error "set_property takes name, value and object" }
    set pairs [lrange $words 0 1]
    set object [lindex $words 2]
  }
  foreach {name value} $pairs { set_one $name $value $object }
}
proc set_one {name value object} {
  switch -glob $object:$name {
    project:board_part { done board_part }
    project:board_connections {
      # A connector of the module, and the carrier's connector that it plugs into, with its version.
      set known {^som240_1_connector xilinx\.com:kv260_carrier:som240_1_connector:\d\.\d+$}
      if {![regexp $known $value]} {
        error "there is no carrier $value"
      }
      needs board_part
      puts "CARRIER $value"
    }
    project:ip_repo_paths {
      foreach description [glob -nocomplain $value/component.xml $value/*/component.xml] {
        take_in $description
      }
      done ip_repo_paths
    }
    ps:CONFIG.P* {
      needs preset
      set name [string range $name 7 end]
      if {![dict exists $::settings(properties) $name]} {
        error "the processor system has no $name"
      }
      if {$value ni [dict get $::settings(properties) $name]} { error "$name cannot be $value" }
      set bd::properties($name) $value
      processor_ports
    }
    irqscope:CONFIG.BOARD - irqscope:CONFIG.TICK_HZ {
      if {![string is integer -strict $value]} { error "$name is $value" }
      set bd::properties($name) $value
      set origin [expr {[info exists ::propagating] ? "PROPAGATED" : "USER"}]
      set bd::properties($name.VALUE_SRC) $origin
    }
    *.bd:synth_checkpoint_mode { if {$value ni {None Singular Hierarchical}} { error $value } }
    impl_1:strategy {
      if {$value ne "Vivado Implementation Defaults" && ![regexp {^Performance_\w+$} $value]} {
        error "no strategy $value"
      }
      lappend ::tried_strategies $value
      puts "STRATEGY $value"
    }
    impl_1:STEPS.PHYS_OPT_DESIGN.IS_ENABLED { if {!$value} { error "no physical optimisation" } }
    sources_1:top {
      needs wrapper
      done top
    }
    default { error "no property $name of $object is known" }
  }
}

# A description into the catalogue, with all files that it names.
proc take_in {description} {
  set channel [open $description]
  set text [read $channel]
  close $channel
  foreach {all name} [regexp -all -inline {<spirit:file>\s*<spirit:name>([^<]+)<} $text] {
    if {![file exists [file dirname $description]/$name]} { error "$description lacks $name" }
  }
  regexp {<spirit:name>([^<]+)<.*?<spirit:version>([^<]+)<} $text -> name version
  dict set ::catalogue irqscope:irqscope:$name:$version [file dirname $description]
}
set catalogue {}

# ---- block design --------------------------------------------------------------------------------
command create_bd_design {} 1 1 { needs catalogue; done design }
command create_bd_cell {-type value -vlnv value} 1 1 {
  needs design
  set name [lindex $words 0]
  switch -glob [dict get $options -vlnv] {
    xilinx.com:ip:* {
      set ::processor [dict get $options -vlnv]
      if {![dict exists $::processors $::processor]} { error "the catalogue has no $::processor" }
    }
    irqscope:irqscope:irqscope*:1.0 {
      if {![dict exists $::catalogue [dict get $options -vlnv]]} {
        error "the catalogue has no [dict get $options -vlnv]"
      }
      if {[lindex [split [dict get $options -vlnv] :] 2] ne [processor core]} {
        error "[dict get $options -vlnv] is for another processor system"
      }
      array set bd::properties {CONFIG.BOARD 1 CONFIG.TICK_HZ 1 CONFIG.TICK_HZ.VALUE_SRC DEFAULT}
      namespace eval core [list source [dict get $::catalogue [dict get $options -vlnv]]/bd/bd.tcl]
      core::init /$name {}
      foreach {port direction width kind} $::settings(core_ports) {
        set bd::pins($name/$port) [list $direction $width $kind]
      }
    }
    default { error "the catalogue has no [dict get $options -vlnv]" }
  }
  return $name
}
command apply_bd_automation {-rule value -config value} 1 1 {
  if {[dict get $options -rule] ne [processor rule]} { error "no rule [dict get $options -rule]" }
  if {[dict get $options -config] ne [processor automation]} { error "the preset is not applied" }
  needs board_part
  done preset
}
# Ports of the processor system that the properties bring about. Without settings the preset has
# both masters on, whose clocks would have to be connected.
proc processor_ports {} {
  array unset bd::pins ps/*
  foreach {port direction width property default kind} $::settings(ports) {
    if {[info exists bd::properties($property)]} { set default $bd::properties($property) }
    if {[info exists bd::properties($width)]} { set width $bd::properties($width) }
    if {$default} { set bd::pins(ps/$port) [list $direction $width $kind] }
  }
}
command create_bd_port {-dir value -from value -to value} 1 1 {
  set width [expr {[dict get $options -from] - [dict get $options -to] + 1}]
  set direction [expr {[dict get $options -dir] eq "O" ? "in" : "out"}]
  set bd::pins([lindex $words 0]) [list $direction $width data]
}
foreach kind {get_bd_pins get_bd_ports} {
  command $kind {} 1 1 {
    set pin [string trimleft [lindex $words 0] /]
    if {![info exists bd::pins($pin)]} { error "there is no pin $pin" }
    return $pin
  }
}
command get_bd_cells {} 1 1 { return [string trimleft [lindex $words 0] /] }
command connect_bd_net {} 2 99 {
  set drivers {}
  set loads {}
  foreach pin $words {
    if {[lindex $bd::pins($pin) 0] eq "out"} { lappend drivers $pin } else { lappend loads $pin }
  }
  if {[llength $drivers] != 1} { error "net of $words has [llength $drivers] drivers" }
  foreach pin $loads {
    if {[info exists bd::driver($pin)]} { error "$pin has two drivers" }
    set bd::driver($pin) $drivers
    set widths [list [lindex $bd::pins($pin) 1] [lindex $bd::pins($drivers) 1]]
    # A vector that follows what drives it has one bit until the design is validated. Of a port of
    # the design that is narrower, the lower bits are connected.
    set port [lsearch -inline -not $words */*]
    if {$port ne {} && [lindex $bd::pins($port) 1] < 8} {
      puts "NARROW $port [lindex $bd::pins($port) 1]"
    } elseif {[lindex $widths 0] ni [list follows [lindex $widths 1]]} {
      error "$drivers to $pin: widths $widths"
    }
    set kinds [list [lindex $bd::pins($pin) 2] [lindex $bd::pins($drivers) 2]]
    if {[lindex $kinds 0] ne [lindex $kinds 1]} { error "$drivers to $pin: kinds $kinds" }
    # A pin of the core that bears the name of one of the processor system's goes there.
    foreach {one other} [list $pin $drivers $drivers $pin] {
      foreach namesake [array names bd::pins ps/*] {
        if {![string match ps/* $one] && $other ne $namesake
          && [string equal -nocase [file tail $one] [file tail $namesake]]} {
          error "$one belongs to $namesake, not to $other"
        }
      }
    }
  }
}
command validate_bd_design {} 0 0 {
  foreach {pin what} [array get bd::pins] {
    if {[file tail $pin] in [setting optional {}]} { continue }
    if {[lindex $what 0] eq "in" && ![info exists bd::driver($pin)]} { error "nothing drives $pin" }
    if {[lindex $what 1] eq "follows"} {
      # By the driver's property PortWidth, not by how wide the driver is.
      set port [file tail $bd::driver($pin)]
      set widths [setting port_widths {}]
      set width [expr {[dict exists $widths $port] ? [dict get $widths $port] : 1}]
      lset bd::pins($pin) 1 [setting port_width $width]
    }
  }
  if {$bd::driver(irqscope/clk) ne {}} {
    set ::propagating 1
    core::post_propagate /irqscope {}
    unset ::propagating
  }
  done valid
}
command bd::mark_propagate_overrideable {} 2 2 {
  if {$words ne {irqscope TICK_HZ}} { error "no parameter $words" }
}
command save_bd_design {} 0 0 { needs valid }
command generate_target {} 2 2 {
  needs valid
  done generated
  set ip $::project/irqscope.gen/sources_1/bd/irqscope_system/ip/irqscope_system_ps_0
  file mkdir $ip
  close [open $ip/[processor init] w]
}
command make_wrapper {-files value -top flag} 0 0 {
  needs generated
  done wrapper
  return $::project/system_wrapper.v
}

# ---- runs ----------------------------------------------------------------------------------------
command launch_runs {-to_step value -jobs value} 1 1 {
  needs top
  if {[lindex $words 0] eq "impl_1"} {
    needs synth_1
    if {[dict get $options -to_step] ne "write_bitstream"} { error "no bitstream is written" }
    file mkdir $::project/irqscope.runs/impl_1
    close [open $::project/irqscope.runs/impl_1/system_wrapper.bit w]
  }
}
set tried_strategies {}
command reset_run {} 1 1 { needs [lindex $words 0] }
command close_design {} 0 0 {
  needs routed
  unset ::done(routed)
}
command wait_on_run {} 1 1 { done [lindex $words 0] }
command get_runs {} 1 1 { return [lindex $words 0] }
command open_run {} 1 1 { needs [lindex $words 0]; done routed }
proc report {path text} {
  set channel [open $path w]
  puts $channel $text
  close $channel
}
foreach {name options text} {
  report_utilization {-hierarchical flag} {}
  report_timing_summary {-delay_type value -max_paths value} {}
  report_clock_interaction {} {}
  report_pulse_width {-all_violators flag} {}
  report_drc {} {}
  check_timing {-verbose flag} {checking no_clock ([setting no_clock 0])}
} {
  command $name "$options -file value" 0 0 \
    "needs routed; report \[dict get \$options -file\] \"$text\""
}
command write_hw_platform {-fixed flag -force flag -include_bit flag -file value} 0 0 {
  needs routed
}

# Which of the slacks that a test sets is that of the strategy that ran last.
proc slack_of_run {} {
  return [expr {min([llength $::tried_strategies], [llength [setting slack 0.212]]) - 1}]
}

# ---- the routed design: objects are named by what they are ---------------------------------------
command get_timing_paths {-delay_type value -max_paths value} 0 0 {
  needs routed
  return path:[dict get $options -delay_type]
}
command get_clocks {-quiet flag -of_objects value} 0 0 {
  return [expr {[dict get $options -of_objects] eq {} ? {} : {clk_pl_0}}]
}
proc pattern {options} {
  if {![regexp {^NAME =~ (\S+)$} [dict get $options -filter] -> pattern]} { error $options }
  return $pattern
}
command all_fanout {-flat flag -endpoints_only flag -trace_arcs value} 1 1 {
  foreach flag {-flat -endpoints_only} {
    if {![dict exists $options $flag]} { error "all_fanout without $flag gives other pins" }
  }
  foreach pin [lindex $words 0] {
    if {![string match PS_i/EMIOGPIOO* $pin]} { error "all_fanout from $pin" }
  }
  set reached {}
  # As in netlists that Vivado wrote: the PL's reset is a bit of EMIO. Its way goes on, for "all"
  # takes in the arcs from clear to output, which are disabled for timing.
  if {[processor reset] in [lindex $words 0]} {
    set reached {{system/released_reg[0]/CLR} {system/released_reg[1]/CLR} system/rst_reg/D}
  }
  foreach pin $::emio_endpoints {
    if {$pin ne [setting unreached {}]} { lappend reached system/core/$pin }
  }
  set reached [concat $reached [setting stray {}]]
  return [expr {[setting renamed 0] ? [string map {_reg _q} $reached] : $reached}]
}
command get_cells {-quiet flag -hierarchical flag -filter value -of_objects value} 0 0 {
  set filter [expr {[dict exists $options -filter] ? [dict get $options -filter] : {}}]
  if {[regexp {^REF_NAME == (\w+)$} $filter -> primitive]} {
    return [expr {$primitive eq [processor primitive] ? [setting processor PS_i] : {}}]
  }
  if {[dict exists $options -of_objects]} {
    # pin:<cell>/<pin>
    return [regsub {^(.*)/[^/]*$} [dict get $options -of_objects] {\1}]
  }
  if {[setting renamed 0]} { return {} }
  switch -glob [pattern $options] {
    *core/capture/first_reg* - *core/capture/second_reg* { set count 16 }
    *core/pin_front_end/first_reg* - *core/pin_front_end/second_reg* { set count [setting front 8] }
    *core/port/first_reg - *core/port/second_reg { set count 1 }
    */released_reg* { set count 2 }
    default { set count 0 }
  }
  set cells {}
  for {set i 0} {$i < $count} {incr i} { lappend cells [pattern $options]:$i }
  return $cells
}
# A marker's way: PS/EMIOGPIOO[n] -> first_reg[n]/D; for nibble 0 through LUT n, whose other input
# is another register's.
command get_pins {-quiet flag -hierarchical flag -leaf flag -filter value -of_objects value} 0 0 {
  if {![dict exists $options -of_objects]} {
    if {[setting renamed 0]} { return {} }
    return [string map {* system/ system/core/ core/} [pattern $options]]
  }
  set object [dict get $options -of_objects]
  if {$object eq {}} { return {} }
  if {$object eq "PS_i"} {
    set pins {PS_i/EMIOGPIOTN[0]}
    for {set bit 0} {$bit < [processor emio]} {incr bit} { lappend pins "PS_i/EMIOGPIOO\[$bit\]" }
    return $pins
  }
  if {[regexp {^net:(.*)$} $object -> load]} {
    if {[regexp {first_reg\[([0-3])\]/D$} $load -> bit]} { return LUT2_$bit/O }
    if {[string match LUT*/I1 $load]} { return loopback_reg/Q }
    return PS_i/EMIOGPIOO
  }
  return [list $object/I0 $object/I1]
}
command get_nets {-of_objects value} 0 0 { return net:[dict get $options -of_objects] }
command get_net_delays {-of_objects value -to value} 0 0 { return delay:[dict get $options -to] }
command get_property {} 2 2 {
  lassign $words name object
  if {$object eq {ps} && $name eq [processor rate]} {
    return [setting megahertz [processor megahertz]]
  }
  if {$object eq {ps} && [dict exists [processor inputs] $name]} {
    needs valid
    return [lindex $bd::pins(ps/[dict get [processor inputs] $name]) 1]
  }
  if {$object eq {ps} && [dict exists [setting preset {}] [string range $name 7 end]]} {
    needs preset
    return [dict get [setting preset {}] [string range $name 7 end]]
  }
  switch -glob $name:$object {
    SLACK:path:* { return [lindex [setting slack 0.212] [slack_of_run]] }
    STATS.TPWS:impl_1 { return [setting pulse 0.000] }
    ENDPOINT_PIN:path:* { return {core/pattern/line_0/target_reg[3]/D} }
    NAME:* { return $object }
    LEFT:ps/* {
      needs valid
      return [expr {[lindex $bd::pins($object) 1] - 1}]
    }
    CONFIG.TICK_HZ:irqscope - CONFIG.TICK_HZ.VALUE_SRC:irqscope { return $bd::properties($name) }
    CONFIG.FREQ_HZ:irqscope/clk {
      return [expr {round(1e6 * [setting megahertz [processor megahertz]])}]
    }
    PERIOD:clk_pl_0 { return [setting period [processor period]] }
    PROGRESS:* { return 100% }
    STATUS:* { return [setting status {write_bitstream Complete!}] }
    ASYNC_REG:* { return [expr {![string match [setting unmarked none] $object]}] }
    REF_NAME:PS_i { return [processor primitive] }
    REF_NAME:LUT* { return LUT2 }
    REF_NAME:* { return FDRE }
    SLOW_MAX:delay:*first_reg\\\[7\\\]/D { return [setting skew 900] }
    SLOW_MAX:delay:* { return 800 }
    default { error "no property $name of $object is known" }
  }
}
