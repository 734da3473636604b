# Checks of the open, routed design. Each gives a list of sentences, empty when all is well.

# The bits of a nibble may arrive one tick, 4 ns, apart. Half of that is left to what lies inside
# the processor system.
set nibble_skew_ps 2000

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

# Pins inside the core's module.
proc core_pins {pattern} {
  return [get_pins -quiet -hierarchical -filter "NAME =~ *core/$pattern"]
}

proc check_clock {} {
  set clocks [get_clocks -quiet -of_objects [core_pins {capture/first_reg[0]/C}]]
  if {[llength $clocks] != 1} {
    return [list "the core has [llength $clocks] clocks; expected one, PL0 of the processor system"]
  }
  set period [get_property PERIOD [lindex $clocks 0]]
  if {abs($period - 4.0) > 0.01} {
    return [list "the clock's period is $period ns; expected 4 ns (PL0 at 250 MHz)"]
  }
  return {}
}

proc read_report {path} {
  set channel [open $path]
  set text [read $channel]
  close $channel
  return $text
}

# Registers that no clock reaches stand in the report's section no_clock.
proc check_unclocked {report} {
  if {![regexp {checking no_clock \((\d+)\)} [read_report $report] -> count]} {
    return [list "$report says nothing about registers without a clock"]
  }
  if {$count > 0} {
    return [list "$count registers have no clock; see $report"]
  }
  return {}
}

proc check_crossings {} {
  set failures {}
  foreach {pattern count} {
    *core/capture/first_reg*  16
    *core/capture/second_reg* 16
    *core/port/first_reg      1
    *core/port/second_reg     1
    */released_reg*           2
  } {
    set marked 0
    foreach cell [get_cells -quiet -hierarchical -filter "NAME =~ $pattern"] {
      incr marked [string is true -strict [get_property ASYNC_REG $cell]]
    }
    if {$marked != $count} {
      lappend failures "$marked of $count registers $pattern are marked ASYNC_REG"
    }
  }
  return $failures
}

# Routed delay in ps from the processor system to a flip-flop's data pin. A LUT may stand between
# (the loop-back's multiplexer); the way then goes on at its input that the processor system drives.
# Empty when no such way exists.
proc delay_from_processor {pin} {
  set delay 0
  while {[llength $pin] == 1} {
    set net [get_nets -of_objects $pin]
    incr delay [get_property SLOW_MAX [get_net_delays -of_objects $net -to $pin]]
    set cell [driving_cell $net]
    if {[get_property REF_NAME $cell] eq "PS8"} {
      return $delay
    }
    if {![string match LUT* [get_property REF_NAME $cell]]} {
      break
    }
    set pin {}
    foreach input [get_pins -of_objects $cell -filter {DIRECTION == IN}] {
      if {[get_property REF_NAME [driving_cell [get_nets -of_objects $input]]] eq "PS8"} {
        set pin $input
      }
    }
  }
  return {}
}

proc driving_cell {net} {
  return [get_cells -of_objects [get_pins -leaf -of_objects $net -filter {DIRECTION == OUT}]]
}

# The processor system's pins have no clock, so that no constraint bounds the skew of a nibble.
proc check_marker_skew {limit} {
  set failures {}
  for {set core 0} {$core < 4} {incr core} {
    set delays {}
    for {set bit [expr {4 * $core}]} {$bit < 4 * $core + 4} {incr bit} {
      set delay [delay_from_processor [core_pins "capture/first_reg\[$bit\]/D"]]
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
# allowed names below the core, and nothing else.
proc check_emio_endpoints {allowed} {
  set pins {}
  set systems [get_cells -quiet -hierarchical -filter {REF_NAME == PS8}]
  foreach pin [get_pins -quiet -of_objects $systems] {
    if {[string match */EMIOGPIOO* [get_property NAME $pin]]} {
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
    dict set reached $name {}
  }
  set failures {}
  foreach name [dict keys $reached] {
    if {$name ni $allowed} {
      lappend failures "EMIO reaches $name, which is not made for a crossing"
    }
  }
  foreach name $allowed {
    if {![dict exists $reached $name]} {
      lappend failures "EMIO does not reach $name"
    }
  }
  return $failures
}

# All checks; reports is the folder of build.tcl's reports.
proc check_design {reports} {
  global nibble_skew_ps emio_endpoints
  return [concat \
    [check_slack] \
    [check_clock] \
    [check_unclocked $reports/check_timing.txt] \
    [check_crossings] \
    [check_marker_skew $nibble_skew_ps] \
    [check_emio_endpoints $emio_endpoints]]
}
