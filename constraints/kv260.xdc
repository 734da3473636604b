# Pins of the KV260: of its one PMOD the upper row is for copies of lines, the lower one for markers. It
# has no LED whose pin any source names.
# Source: PMOD (J2), LVCMOS33: miya4649/mini16_cpu, kv260/pins.xdc, which has rows and numbers. NOT
# VERIFIED on a board.

# ---- PMOD, J2, upper row: pins 1, 3, 5, 7 --------------------------------------------------------
set_property -dict {PACKAGE_PIN H12 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[0]}]
set_property -dict {PACKAGE_PIN E10 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[1]}]
set_property -dict {PACKAGE_PIN D10 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[2]}]
set_property -dict {PACKAGE_PIN C11 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[3]}]
# The output flip-flops stay in the fabric: those in the pads of an HD bank may be limited to 200 MHz
# (DS930, DC and AC Switching Characteristics), and the core runs at 250. Copies of lines then leave
# with the skew of their routes.

# Nothing on the board times these pins.
set_false_path -to [get_ports {pmod[*]}]

# ---- PMOD, J2, lower row: pins 2, 4, 6, 8 --------------------------------------------------------
set_property -dict {PACKAGE_PIN B10 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[0]}]
set_property -dict {PACKAGE_PIN E12 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[1]}]
set_property -dict {PACKAGE_PIN D11 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[2]}]
set_property -dict {PACKAGE_PIN B11 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[3]}]
# Asynchronous: the core has a synchroniser for each.
set_false_path -from [get_ports {pmod_in[*]}]
