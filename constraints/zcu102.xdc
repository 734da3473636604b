# Pins of the ZCU102: copies of lines for a scope, inputs for markers, and LEDs.
# Sources: PMOD0 (J55), LVCMOS33: analogdevicesinc/hdl, ad9081_fmca_ebz_x_band/zcu102; LEDs:
# XilinxBoardStore, boards/Xilinx/zcu102/3.4/part0_pins.xml. NOT VERIFIED on a board.

# ---- PMOD0, J55: pmod[0] is pin 1, then 3, 5, 7 (upper row), 2, 4, 6, 8 (lower row) --------------
set_property -dict {PACKAGE_PIN A20 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[0]}]
set_property -dict {PACKAGE_PIN B20 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[1]}]
set_property -dict {PACKAGE_PIN A22 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[2]}]
set_property -dict {PACKAGE_PIN A21 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[3]}]
set_property -dict {PACKAGE_PIN B21 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[4]}]
set_property -dict {PACKAGE_PIN C21 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[5]}]
set_property -dict {PACKAGE_PIN C22 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[6]}]
set_property -dict {PACKAGE_PIN D21 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[7]}]
# The output flip-flops stay in the fabric: those in the pads of an HD bank may be limited to 200 MHz
# (DS930, DC and AC Switching Characteristics), and the core runs at 250. Copies of lines then leave
# with the skew of their routes.

# ---- LEDs 0 to 3: out of reset, armed, error, finished --------------------
set_property -dict {PACKAGE_PIN AG14 IOSTANDARD LVCMOS33} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN AF13 IOSTANDARD LVCMOS33} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN AE13 IOSTANDARD LVCMOS33} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN AJ14 IOSTANDARD LVCMOS33} [get_ports {led[3]}]

# ---- PMOD1, J87: pmod_in[0] is pin 1, then 3, 5, 7 (upper row), 2, 4, 6, 8 (lower row) -----------
# PMOD1 (J87), LVCMOS33: analogdevicesinc/hdl, as PMOD0. Pulled down: an open pin gives no marker.
set_property -dict {PACKAGE_PIN D20 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[0]}]
set_property -dict {PACKAGE_PIN E20 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[1]}]
set_property -dict {PACKAGE_PIN D22 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[2]}]
set_property -dict {PACKAGE_PIN E22 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[3]}]
set_property -dict {PACKAGE_PIN F20 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[4]}]
set_property -dict {PACKAGE_PIN G20 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[5]}]
set_property -dict {PACKAGE_PIN J20 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[6]}]
set_property -dict {PACKAGE_PIN J19 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[7]}]
# Each passes a synchroniser of its own; its way there is not timed.
set_false_path -from [get_ports {pmod_in[*]}]

# Nothing on the board times these pins.
set_false_path -to [get_ports {pmod[*] led[*]}]
