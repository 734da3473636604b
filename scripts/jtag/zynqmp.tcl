# A Zynq UltraScale+ as JTAG sees it. Works at any setting of the boot switches.
#
# NOT VERIFIED: no board has seen this file.

set machine {
  name     zynqmp
  ddr      {0x0 0x80000000 0x00300000 0x00100000}
  on_chip  {0xFFFC0000 0x40000 0xFFFC0000 0xFFFC0000}
  init     psu_init.tcl
  firmware fw
  make     {}
  core     {Cortex-A53 #0}
  others   {{Cortex-A53 #1} {Cortex-A53 #2} {Cortex-A53 #3}}
}

# The current target is then the processor system.
# Lanes of the PS-GTR transceivers. Their wait fails where a reference clock is missing, which no
# part of the instrument needs.
set serdes {0xFD40*}

proc set_up_processor {bitstream init fsbl memory} {
  # System reset, into JTAG boot.
  use_target "PSU"
  mwr -force 0xFFCA0010 0x0      ;# CSU multiboot offset
  mwr -force 0xFF5E0200 0x0100   ;# BOOT_MODE_USER: take the mode from here, JTAG
  rst -system
  after 3000

  use_target "PSU"
  uplevel #0 [list source $init]
  bound_waits $::serdes
  if {$memory eq "ocm"} {
    leave_ddr_out
  }
  if {$fsbl eq {}} {
    set extent [expr {$memory eq "ocm" ? {, without DDR,} : { and DDR}}]
    step "setting up clocks and pins$extent (psu_init)"
    if {[catch {run_init psu_init} message]} {
      fail "psu_init stopped: $message[advice_on $message]"
    }
  } else {
    run_fsbl $fsbl
  }
  check_plls
  set divisors [hex [read_word 0xFF5E00C0]]
  if {$divisors ne "0x01010600"} {
    step "PL0_REF_CTRL reads $divisors; 250 MHz from IOPLL is 0x01010600"
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
}

# Replaces the training of the DDR PHY, the one step of psu_init that needs a memory module: the
# others write registers. A processing system without DDR has no such step.
proc leave_ddr_out {} {
  if {[info commands psu_ddr_phybringup_data] ne {}} {
    rename psu_ddr_phybringup_data vivado_ddr_training
    proc ::psu_ddr_phybringup_data {} {}
  }
}

proc train_memory {} {
  if {[info commands vivado_ddr_training] eq {}} {
    return "is not in this design"
  }
  set mode [configparams force-mem-accesses]
  configparams force-mem-accesses 1
  set failed [catch {run_init vivado_ddr_training} message]
  configparams force-mem-accesses $mode
  return [expr {$failed ? "does not train ($message)" : {}}]
}

# What to do where a wait for the DDR controller or its PHY failed (UG1087: DDRC, DDR_PHY).
proc advice_on {message} {
  return [expr {[regexp -nocase {0xFD0[78]} $message] ? "; [memory_advice]" : {}}]
}

# psu_init's own waits print and go on, and XSDB's init_ps may do the same.
proc check_plls {} {
  foreach {name address bit} {IOPLL 0xFF5E0040 0 APLL 0xFD1A0044 0} {
    if {!([read_word $address] >> $bit & 1)} {
      fail "psu_init ended, and the $name is not locked (PLL_STATUS at $address, bit $bit)"
    }
  }
}

# A first-stage boot loader reads which memory module there is, and sets DDR up for it; psu_init
# knows the preset's alone (embeddedsw, xfsbl_ddr_init.c). As Vitis's own scripts do it, it is
# stopped where it would hand over.
proc run_fsbl {fsbl} {
  step "letting the FSBL set up clocks, pins and DDR"
  use_target "Cortex-A53 #0"
  rst -processor
  dow $fsbl
  set exit [bpadd -addr &XFsbl_Exit]
  if {[catch {con -block -timeout 60} message]} {
    fail "the FSBL does not come to its end: $message; is $fsbl of this board's .xsa?"
  }
  bpremove $exit
  use_target "PSU"
}

# ---- for smoke.tcl -------------------------------------------------------------------------------
# GPIO, UG1087: EMIO 31:0 is bank 3, 63:32 is bank 4.
set gpio {
  mask_lsw   0xFF0A0018
  mask_msw   0xFF0A001C
  data       0xFF0A004C
  data_high  0xFF0A0050
  pins       0xFF0A006C
  pins_high  0xFF0A0070
  drive      {0xFF0A02C4 0xFF0A02C8 0xFF0A0304 0xFF0A0308}
}
set tick_hz 250000000
set shared "SPI 121"
set private "PPI 31"
# What carries them in the block design.
set shared_pin "pl_ps_irq0"
set private_pin "pl_ps_apugic_irq"

proc check_clocks {} {
  if {!([read_word 0xFF5E00C0] & 0x01000000)} {
    fail "the PL clock is off (PL0_REF_CTRL bit 24)"
  }
  # What this bit says of an isolated PL is told differently: shown, not judged.
  step "clocks run; PWR_STATE reads [hex [read_word 0xFFD80100]]"
}

# The core halts at its reset vector and runs nothing.
proc prepare_interrupts {} {
  use_target "Cortex-A53 #0"
  rst -processor
  use_target "PSU"
}

# As core 0 sees the interrupt controller, for its private interrupts are banked: whether the shared
# and the private interrupt are pending, and what the register of raw levels says of the latter.
proc pending {} {
  use_target "Cortex-A53 #0"
  set shared [expr {[read_word 0xF901020C] >> 25 & 1}]
  set private [expr {[read_word 0xF9010200] >> 31 & 1}]
  set raw [expr {[read_word 0xF9010D00] >> 15 & 1}]
  use_target "PSU"
  return [list $shared $private $raw]
}

proc leave_interrupts {} { }
