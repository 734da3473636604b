# Whether memory holds what is written, by the current target's accesses: data lines, address bits
# one by one, and a pattern across all that is used. A program that is loaded into memory with two
# places that are one is damaged without a word.
#
# NOT VERIFIED: no board has seen this file.

# Nothing, or what is wrong, in a few words. size: bytes, a power of two; base: where address bits
# are turned round, such that no place is in the first MB of a Zynq-7000, which is no DDR; program:
# where it will be.
proc memory_fault {low size base program} {
  if {[catch {write_memory $base 0} message]} {
    return "does not answer ($message)"
  }
  # Both words of a beat of 64 bits, a bit at a time.
  foreach place [list $base [expr {$base + 4}]] {
    for {set bit 0} {$bit < 32} {incr bit} {
      write_memory $place [expr {1 << $bit}]
      if {[read_memory $place] != 1 << $bit} {
        return "does not hold bit $bit at [hex $place]"
      }
    }
  }
  for {set bit 3} {1 << $bit < $size} {incr bit} {
    set other [expr {$base ^ 1 << $bit}]
    write_memory $base 0x13579BDF
    write_memory $other 0xECA86420
    if {[read_memory $base] != 0x13579BDF} {
      return "has no address bit $bit: [hex $base] and [hex $other] are one place"
    }
  }
  set places {}
  for {set at 0} {$at < 0x40000} {incr at 0x1000} {
    lappend places [expr {$program + $at}]
  }
  for {set at $low} {$at < $low + $size} {incr at 0x1000000} {
    lappend places [expr {$at + 0xFFFFF8 < $low + $size ? $at + 0xFFFFF8 : $at}]
  }
  foreach place $places {
    write_memory $place [expr {~$place & 0xFFFFFFFF}]
  }
  foreach place $places {
    if {[read_memory $place] != (~$place & 0xFFFFFFFF)} {
      return "does not hold what was written at [hex $place]"
    }
  }
  return {}
}

proc write_memory {address value} {
  mwr -force [hex $address] [hex $value]
}

proc read_memory {address} {
  return [read_word [hex $address]]
}

# What to do about a DDR that does not hold a program.
proc memory_advice {} {
  global board
  set on_chip "make program BOARD=$board MEMORY=ocm needs none"
  if {[dict get $::machine name] ne "zynqmp"} {
    return "power-cycle; report it"
  }
  if {$board eq "zcu102"} {
    return "a module with x16 chips (MTA4ATF51264HZ) or another one than the preset's: $on_chip"
  }
  return $on_chip
}
