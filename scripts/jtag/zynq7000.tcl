# A Zynq-7000 as JTAG sees it. The boot jumpers have to say JTAG: a system reset takes the mode from
# them, and whatever boots from a card or a flash would run beside.
#
# Sources: order and targets: scripts that Vitis writes (five public ones agree), with the PL
# programmed on its own target as one of them does; registers: UG585; u-boot, arch/arm/mach-zynq;
# embeddedsw, zynq_fsbl.
#
# NOT VERIFIED: no board has seen this file.

set machine {
  name     zynq7000
  ddr      {0x0 0x20000000 0x00300000 0x00100000}
  init     ps7_init.tcl
  firmware fw-zynq7000
  make     { MACHINE=zynq7000}
  core     {*Cortex-A9*#0}
  others   {{*Cortex-A9*#1}}
}

# The current target is then the processor system.
proc set_up_processor {bitstream init fsbl memory} {
  if {$fsbl ne {}} {
    fail "no FSBL is needed: these boards have one memory, and ps7_init sets it up"
  }
  use_target "APU*"
  rst -system
  # The boot ROM runs, and debugging is off as long as it does.
  after 3000
  use_target "APU*"
  set mode [expr {[read_word 0xF800025C] & 0x7}]
  if {$mode != 0} {
    fail "the boot jumpers say [boot_mode $mode] and not JTAG (BOOT_MODE reads $mode)"
  }

  step "setting up clocks, pins and DDR (ps7_init)"
  uplevel #0 [list source $init]
  bound_waits {}
  if {[catch {run_init ps7_init} message]} {
    fail "ps7_init stopped: $message"
  }
  if {([read_word 0xF800010C] & 0x7) != 0x7} {
    fail "ps7_init ended, and a PLL is not locked (PLL_STATUS bits 2 to 0)"
  }
  check_rate
  step "programming the PL"
  use_target "xc7z*"
  fpga -file $bitstream
  use_target "APU*"
  # Level shifters between PS and PL, both ways, and the resets of the PL. ps7_init does neither:
  # without them EMIO stays dead and no interrupt arrives.
  ps7_post_config
  if {([read_word 0xF8000900] & 0xF) != 0xF} {
    fail "ps7_post_config left the level shifters off (LVL_SHFTR_EN)"
  }
  if {[read_word 0xF8000240] & 0x1} {
    fail "ps7_post_config left FCLK_RESET0_N on (FPGA_RST_CTRL bit 0)"
  }
}

# ps7_init has set DDR up.
proc train_memory {} { }

proc boot_mode {mode} {
  set names {0 JTAG 1 {QSPI flash} 2 {NOR flash} 4 {NAND flash} 5 {SD card}}
  return [expr {[dict exists $names $mode] ? [dict get $names $mode] : "something else"}]
}

# The IO PLL, by whose rate the firmware names its clocks, and FCLK_CLK0 behind it.
proc check_rate {} {
  set factor [expr {[read_word 0xF8000108] >> 12 & 0x7F}]
  set pll [expr {[dict get $::board_facts crystal] * $factor}]
  if {abs($pll - 1000) > 1} {
    fail "the IO PLL runs at [format %.1f $pll] MHz, not 1000: ps7_init is another board's"
  }
  set control [read_word 0xF8000170]
  set divisors [expr {($control >> 8 & 0x3F) * ($control >> 20 & 0x3F)}]
  set source [expr {$control >> 4 & 0x3}]
  if {$source > 1 || $divisors == 0} {
    fail "FCLK_CLK0 does not come from the IO PLL (FPGA0_CLK_CTRL reads [hex $control])"
  }
  set megahertz [expr {$pll / double($divisors)}]
  if {abs($megahertz - 125) > 0.125} {
    fail "FCLK_CLK0 is [format %.3f $megahertz] MHz by its dividers, not 125"
  }
}

# ---- for smoke.tcl -------------------------------------------------------------------------------
# GPIO, UG585: EMIO 31:0 is bank 2, 63:32 is bank 3.
set gpio {
  mask_lsw   0xE000A010
  mask_msw   0xE000A014
  data       0xE000A048
  data_high  0xE000A04C
  pins       0xE000A068
  pins_high  0xE000A06C
  drive      {0xE000A284 0xE000A288 0xE000A2C4 0xE000A2C8}
}
set tick_hz 125000000
set shared "SPI 61"
set private "PPI 31"
# What carries them in the block design.
set shared_pin "IRQ_F2P"
set private_pin "Core0_nIRQ"

proc check_clocks {} {
  if {!([read_word 0xF800012C] & 0x00400000)} {
    fail "the GPIO controller has no clock (APER_CLK_CTRL bit 22)"
  }
  step "clocks run; PSS_IDCODE reads [hex [read_word 0xF8000530]]"
}

# The core halts at its reset vector and runs nothing. The distributor looks at no interrupt while
# it is off (Arm IHI 0048A, ICDDCR), and keeps a shared one that has no target neither pending
# (Cortex-A9 MPCore TRM, ICDIPTRn). Its registers, and those of the cores, are the cores' own: no
# other target reaches them.
proc prepare_interrupts {} {
  use_target "*Cortex-A9*#0"
  rst -processor
  mwr -force 0xF8F01000 0x1
  set targets [read_word 0xF8F0183C]
  mwr -force 0xF8F0183C [hex [expr {$targets & ~0xFF00 | 0x0100}]]  ;# ID 61 to core 0
  use_target "APU*"
}

# As core 0 sees the interrupt controller, for its private interrupts are banked: whether the shared
# and the private interrupt are pending, and what the register of raw levels says of the latter.
proc pending {} {
  use_target "*Cortex-A9*#0"
  set shared [expr {[read_word 0xF8F01204] >> 29 & 1}]
  set private [expr {[read_word 0xF8F01200] >> 31 & 1}]
  set raw [expr {[read_word 0xF8F01D00] >> 15 & 1}]
  use_target "APU*"
  return [list $shared $private $raw]
}

# As it was after reset.
proc leave_interrupts {} {
  use_target "*Cortex-A9*#0"
  mwr -force 0xF8F01000 0x0
  use_target "APU*"
}
