# A recorder for Tcl that is meant for another program: each command of that program is declared
# with its options, calls are checked against the declaration and noted in ::calls. Whatever was not
# declared is an error, as it would be there.
#
#   command NAME {-option value -flag flag ...} least most {body}
#
# The body runs with $options (a dict of what was given) and $words (the rest) and gives the result.

set auto_noexec 1
set ::calls {}

proc command {name options least most {body {}}} {
  set checked [string map [list NAME $name OPTIONS [list $options] LEAST $least MOST $most] {
    lassign [parse_arguments NAME OPTIONS LEAST MOST $args] options words
    lappend ::calls [list NAME $options $words]
  }]
  # tclint-disable-next-line command-args -- a body that is put together is the point here
  proc $name args $checked$body
}

proc parse_arguments {name declared least most arguments} {
  set options {}
  set words {}
  while {[llength $arguments]} {
    set arguments [lassign $arguments word]
    if {[dict exists $declared $word]} {
      if {[dict get $declared $word] eq "flag"} {
        dict set options $word 1
      } else {
        if {![llength $arguments]} {
          error "$name: $word wants a value"
        }
        set arguments [lassign $arguments value]
        dict set options $word $value
      }
    } elseif {[regexp {^-[a-z][a-z_-]*$} $word]} {
      error "$name has no option $word"
    } else {
      lappend words $word
    }
  }
  if {[llength $words] < $least || [llength $words] > $most} {
    error "$name takes $least to $most arguments besides options, got [llength $words]: $words"
  }
  return [list $options $words]
}

proc unknown args {
  error "unknown command [lindex $args 0]"
}

# Fails unless what has to come before has been done; done notes it.
proc needs {what} {
  if {![info exists ::done($what)]} {
    error "[lindex [info level -1] 0]: $what comes first"
  }
}

proc done {what} {
  set ::done($what) 1
}

# The value of a setting of the test, or the default.
proc setting {name default} {
  return [expr {[info exists ::settings($name)] ? $::settings($name) : $default}]
}
