# Checks of the open, routed design. Each gives a list of sentences, empty when all is well.
#
# primitive is the cell of the processor system, PS8 or PS7.

proc check_slack {} {
  set failures {}
  foreach {type what} {max setup min hold} {
    set path [get_timing_paths -delay_type $type -max_paths 1]
    if {[llength $path] == 0} {
      lappend failures "no path is timed for $what: the clock is missing"
    } elseif {[get_property SLACK $path] < 0} {
      set end [get_property ENDPOINT_PIN $path]
      lappend failures "$what is violated by [get_property SLACK $path] ns at $end"
    }
  }
  return $failures
}

# Pins inside the core's module. Ends a check, which is then told as not made, where a version of
# Vivado gave registers other names.
proc core_pins {pattern} {
  set pins [get_pins -quiet -hierarchical -filter "NAME =~ *core/$pattern"]
  if {![llength $pins]} {
    error "no pin is called core/$pattern"
  }
  return $pins
}

proc check_clock {tick_ns} {
  set clocks [get_clocks -quiet -of_objects [core_pins {capture/first_reg[0]/C}]]
  if {[llength $clocks] != 1} {
    return [list "the core has [llength $clocks] clocks; expected one, the processor system's"]
  }
  set period [get_property PERIOD [lindex $clocks 0]]
  if {abs($period / $tick_ns - 1) > 0.0025} {
    return [list "the clock's period is $period ns; expected $tick_ns ns"]
  }
  return {}
}

proc read_report {path} {
  set channel [open $path]
  set text [read $channel]
  close $channel
  return $text
}

# Registers that no clock reaches are in the report's section no_clock.
proc check_unclocked {report} {
  if {![regexp {checking no_clock \((\d+)\)} [read_report $report] -> count]} {
    return [list "$report says nothing about registers without a clock"]
  }
  if {$count > 0} {
    return [list "$count registers have no clock; see $report"]
  }
  return {}
}

# Each synchroniser that the board wires is there, and marked. pins: how many of the eight pins for
# markers are wired; whether synthesis keeps the others', whose inputs stay 0, is left open.
proc check_crossings {pins} {
  set failures {}
  foreach {pattern least most} [list \
    *core/capture/first_reg*  16 16 \
    *core/capture/second_reg* 16 16 \
    *core/pin_front_end/first_reg*  $pins 8 \
    *core/pin_front_end/second_reg* $pins 8 \
    *core/port/first_reg      1 1 \
    *core/port/second_reg     1 1 \
    */released_reg*           2 2] {
    set cells [get_cells -quiet -hierarchical -filter "NAME =~ $pattern"]
    set marked 0
    foreach cell $cells {
      incr marked [string is true -strict [get_property ASYNC_REG $cell]]
    }
    set found [llength $cells]
    if {$found == 0} {
      error "no register is called $pattern"
    }
    if {$found < $least || $found > $most} {
      lappend failures "$found registers $pattern, expected $least"
    } elseif {$marked != $found} {
      lappend failures "$marked of $found registers $pattern are marked ASYNC_REG"
    }
  }
  return $failures
}

# Routed delay in ps from the processor system to a flip-flop's data pin. A LUT may be between
# (the loop-back's multiplexer); the way then goes on at its input that the processor system drives.
# Empty when no such way exists.
proc delay_from_processor {pin primitive} {
  set delay 0
  while {[llength $pin] == 1} {
    set net [get_nets -of_objects $pin]
    incr delay [get_property SLOW_MAX [get_net_delays -of_objects $net -to $pin]]
    set cell [driving_cell $net]
    if {[get_property REF_NAME $cell] eq $primitive} {
      return $delay
    }
    if {![string match LUT* [get_property REF_NAME $cell]]} {
      break
    }
    set pin {}
    foreach input [get_pins -of_objects $cell -filter {DIRECTION == IN}] {
      if {[get_property REF_NAME [driving_cell [get_nets -of_objects $input]]] eq $primitive} {
        set pin $input
      }
    }
  }
  return {}
}

proc driving_cell {net} {
  return [get_cells -of_objects [get_pins -leaf -of_objects $net -filter {DIRECTION == OUT}]]
}

# The processor system's pins have no clock, so that no constraint bounds the skew of a nibble. Its
# bits may arrive one tick apart; half of that is left to what lies inside the processor system.
proc check_marker_skew {limit cores primitive} {
  set failures {}
  for {set core 0} {$core < $cores} {incr core} {
    set delays {}
    for {set bit [expr {4 * $core}]} {$bit < 4 * $core + 4} {incr bit} {
      set delay [delay_from_processor [core_pins "capture/first_reg\[$bit\]/D"] $primitive]
      if {$delay eq {}} {
        lappend failures "marker bit $bit does not come from the processor system"
      } else {
        lappend delays $delay
      }
    }
    set delays [lsort -integer $delays]
    set skew [expr {[llength $delays] ? [lindex $delays end] - [lindex $delays 0] : 0}]
    if {$skew > $limit} {
      lappend failures "the bits of core $core's marker arrive $skew ps apart; limit $limit"
    }
  }
  return $failures
}

# report_cdc analyses paths between two clocks (UG906, "Report Clock Domain Crossings"), and the
# processor system's EMIO pins have none. So what they reach is looked up here: the registers that
# allowed names below the core, and nothing else. The one pin that is the PL's reset is left out.
# A register that EMIO does not reach is printed and no failure where the processor system has all
# the outputs: a netlist that names or merges registers otherwise is then the likelier cause.
proc check_emio_endpoints {allowed primitive reset has_emio_width} {
  set pins {}
  set systems [get_cells -quiet -hierarchical -filter "REF_NAME == $primitive"]
  foreach pin [get_pins -quiet -of_objects $systems] {
    set name [lindex [split [get_property NAME $pin] /] end]
    if {[string match EMIOGPIOO* $name] && $name ne $reset} {
      lappend pins $pin
    }
  }
  if {![llength $pins]} {
    return [list "the processor system has no EMIO pins"]
  }
  set reached {}
  foreach pin [all_fanout -flat -endpoints_only -trace_arcs all $pins] {
    set name [get_property NAME $pin]
    regexp {core/(.*)$} $name -> name
    # The placer may copy a register for its loads (UG904: NAME_replica). Address and data are
    # still when they are sampled, so copies agree; those of a synchroniser's would not.
    dict set reached [regsub {^(port/bus__[^/]+)_replica(_\d+)?/} $name {\1/}] {}
  }
  if {[dict size $reached] && ![llength [lmap name $allowed {
    if {![dict exists $reached $name]} {
      continue
    }
    set name
  }]]} {
    error "EMIO reaches none by name: [lrange [dict keys $reached] 0 2] ..."
  }
  set failures {}
  foreach name [dict keys $reached] {
    if {$name ni $allowed} {
      lappend failures "EMIO reaches $name, which is not made for a crossing"
    }
  }
  foreach name $allowed {
    if {[dict exists $reached $name]} {
      continue
    }
    if {$has_emio_width} {
      puts "irqscope: EMIO does not reach $name, though it is wide enough; report it"
    } else {
      lappend failures "EMIO does not reach $name"
    }
  }
  return $failures
}

# Pulse widths are limits of single cells, as of block RAM and clock buffers, and no matter of
# placement: told apart from setup and hold.
proc check_pulse_width {report} {
  set slack [get_property STATS.TPWS [get_runs impl_1]]
  if {[string is double -strict $slack] && $slack < 0} {
    return [list "pulse widths are violated by $slack ns in all; see $report"]
  }
  return {}
}

# All checks; reports is the folder of build.tcl's reports. A query that this version of Vivado does
# not know says nothing of the design: told, and no failure. But a bitstream whose timing nobody
# looked at would be a wrong one.
proc check_design {machine board reports has_emio_width} {
  global emio_endpoints
  set tick_ps [dict get $machine tick_ps]
  set primitive [dict get $machine primitive]
  set failures [check_slack]
  foreach {what check} [list \
    "the core's clock" [list check_clock [expr {$tick_ps / 1000.0}]] \
    "pulse widths" [list check_pulse_width $reports/pulse_width.txt] \
    "registers without a clock" [list check_unclocked $reports/check_timing.txt] \
    "synchronisers" [list check_crossings [dict get $board inputs]] \
    "skew of the markers" \
    [list check_marker_skew [expr {$tick_ps / 2}] [dict get $machine cores] $primitive] \
    "what EMIO reaches" \
    [list check_emio_endpoints $emio_endpoints $primitive [dict get $machine reset] \
      $has_emio_width]] {
    if {[catch {{*}$check} found]} {
      puts "irqscope: not checked: $what ($found); report it with the version"
    } else {
      lappend failures {*}$found
    }
  }
  return $failures
}
