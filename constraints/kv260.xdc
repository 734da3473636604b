# Pins of the KV260: copies of lines for a scope. It has no LED whose pin any source names, and no second
# PMOD: pins for markers are not wired.
# Source: PMOD (J2), LVCMOS33: miya4649/mini16_cpu, kv260/pins.xdc. NOT VERIFIED on a board.

# ---- PMOD, J2: upper row, lower row, in the order of the source; check it with a scope -----------
set_property -dict {PACKAGE_PIN H12 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[0]}]
set_property -dict {PACKAGE_PIN E10 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[1]}]
set_property -dict {PACKAGE_PIN D10 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[2]}]
set_property -dict {PACKAGE_PIN C11 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[3]}]
set_property -dict {PACKAGE_PIN B10 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[4]}]
set_property -dict {PACKAGE_PIN E12 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[5]}]
set_property -dict {PACKAGE_PIN D11 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[6]}]
set_property -dict {PACKAGE_PIN B11 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[7]}]
# The output flip-flops are in the pads, so that copies leave together.
set_property IOB TRUE [get_ports {pmod[*]}]

# Nothing on the board times these pins.
set_false_path -to [get_ports {pmod[*]}]
