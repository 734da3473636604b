# Pins of the ZedBoard: copies of lines for a scope, inputs for markers, and LEDs.
# Source: Digilent/digilent-xdc, Zedboard-Master.xdc; banks 13 (JA) and 33 (LEDs) are at 3.3 V whatever
# jumper J18 says. NOT VERIFIED on a board.

# ---- JA: pmod[0] to [3] are JA1 to JA4 (upper row), [4] to [7] are JA7 to JA10 (lower row) -------
set_property -dict {PACKAGE_PIN Y11 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[0]}]
set_property -dict {PACKAGE_PIN AA11 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[1]}]
set_property -dict {PACKAGE_PIN Y10 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[2]}]
set_property -dict {PACKAGE_PIN AA9 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[3]}]
set_property -dict {PACKAGE_PIN AB11 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[4]}]
set_property -dict {PACKAGE_PIN AB10 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[5]}]
set_property -dict {PACKAGE_PIN AB9 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[6]}]
set_property -dict {PACKAGE_PIN AA8 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[7]}]
# The output flip-flops are in the pads, so that copies leave together.
set_property IOB TRUE [get_ports {pmod[*]}]

# ---- LEDs 0 to 3: out of reset, armed, error, finished -------------------------------------------
set_property -dict {PACKAGE_PIN T22 IOSTANDARD LVCMOS33} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN T21 IOSTANDARD LVCMOS33} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN U22 IOSTANDARD LVCMOS33} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN U21 IOSTANDARD LVCMOS33} [get_ports {led[3]}]

# ---- JB: pmod_in[0] to [3] are JB1 to JB4 (upper row), [4] to [7] are JB7 to JB10 (lower row) ----
# JB: Digilent/digilent-xdc, as JA. Pulled down: an open pin gives no marker.
set_property -dict {PACKAGE_PIN W12 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[0]}]
set_property -dict {PACKAGE_PIN W11 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[1]}]
set_property -dict {PACKAGE_PIN V10 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[2]}]
set_property -dict {PACKAGE_PIN W8 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[3]}]
set_property -dict {PACKAGE_PIN V12 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[4]}]
set_property -dict {PACKAGE_PIN W10 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[5]}]
set_property -dict {PACKAGE_PIN V9 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[6]}]
set_property -dict {PACKAGE_PIN V8 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[7]}]
# Each passes a synchroniser of its own; its way there is not timed.
set_false_path -from [get_ports {pmod_in[*]}]

# Nothing on the board times these pins.
set_false_path -to [get_ports {pmod[*] led[*]}]
