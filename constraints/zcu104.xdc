# Pins of the ZCU104: copies of lines for a scope, inputs for markers, and LEDs.
# Sources: PMOD0 (J55), LVCMOS33: KutuSystems/zcu104_base, ZCU104_BASE.xdc; LEDs: XilinxBoardStore,
# boards/Xilinx/zcu104/1.1/part0_pins.xml. NOT VERIFIED on a board.

# ---- PMOD0, J55: the order of the sources above; check it with a scope ---------------------------
set_property -dict {PACKAGE_PIN G8 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[0]}]
set_property -dict {PACKAGE_PIN H8 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[1]}]
set_property -dict {PACKAGE_PIN G7 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[2]}]
set_property -dict {PACKAGE_PIN H7 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[3]}]
set_property -dict {PACKAGE_PIN G6 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[4]}]
set_property -dict {PACKAGE_PIN H6 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[5]}]
set_property -dict {PACKAGE_PIN J6 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[6]}]
set_property -dict {PACKAGE_PIN J7 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[7]}]
# The output flip-flops stay in the fabric: those in the pads of an HD bank may be limited to 200 MHz
# (DS930, DC and AC Switching Characteristics), and the core runs at 250. Copies of lines then leave
# with the skew of their routes.

# ---- LEDs 0 to 3: out of reset, armed, error, finished -------------------------------------------
set_property -dict {PACKAGE_PIN D5 IOSTANDARD LVCMOS33} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN D6 IOSTANDARD LVCMOS33} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN A5 IOSTANDARD LVCMOS33} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN B5 IOSTANDARD LVCMOS33} [get_ports {led[3]}]

# ---- PMOD1, J87: the order of the source; check it with a wire -----------------------------------
# PMOD1 (J87), LVCMOS33: KutuSystems/zcu104_base, as PMOD0. Pulled down: an open pin gives no marker.
set_property -dict {PACKAGE_PIN J9 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[0]}]
set_property -dict {PACKAGE_PIN K9 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[1]}]
set_property -dict {PACKAGE_PIN K8 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[2]}]
set_property -dict {PACKAGE_PIN L8 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[3]}]
set_property -dict {PACKAGE_PIN L10 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[4]}]
set_property -dict {PACKAGE_PIN M10 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[5]}]
set_property -dict {PACKAGE_PIN M8 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[6]}]
set_property -dict {PACKAGE_PIN M9 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[7]}]
# Each passes a synchroniser of its own; its way there is not timed.
set_false_path -from [get_ports {pmod_in[*]}]

# Nothing on the board times these pins.
set_false_path -to [get_ports {pmod[*] led[*]}]
