# Pins of the PYNQ-Z2: copies of lines for a scope, inputs for markers, and LEDs.
# Source: Xilinx/PYNQ, boards/Pynq-Z2/base/vivado/constraints/base.xdc. PMODA shares its pins with the
# Raspberry Pi header, which has to be empty. NOT VERIFIED on a board.

# ---- PMODA: the order of the source, upper row, lower row; check it with a scope -----------------
set_property -dict {PACKAGE_PIN Y18 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[0]}]
set_property -dict {PACKAGE_PIN Y19 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[1]}]
set_property -dict {PACKAGE_PIN Y16 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[2]}]
set_property -dict {PACKAGE_PIN Y17 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[3]}]
set_property -dict {PACKAGE_PIN U18 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[4]}]
set_property -dict {PACKAGE_PIN U19 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[5]}]
set_property -dict {PACKAGE_PIN W18 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[6]}]
set_property -dict {PACKAGE_PIN W19 IOSTANDARD LVCMOS33 SLEW FAST DRIVE 12} [get_ports {pmod[7]}]
# The output flip-flops are in the pads, so that copies leave together.
set_property IOB TRUE [get_ports {pmod[*]}]

# ---- LEDs 0 to 3: out of reset, armed, error, finished -------------------------------------------
set_property -dict {PACKAGE_PIN R14 IOSTANDARD LVCMOS33} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN P14 IOSTANDARD LVCMOS33} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN N16 IOSTANDARD LVCMOS33} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN M14 IOSTANDARD LVCMOS33} [get_ports {led[3]}]

# ---- PMODB: the order of the source; check it with a wire ----------------------------------------
# PMODB: Xilinx/PYNQ, as PMODA. Pulled down: an open pin gives no marker.
set_property -dict {PACKAGE_PIN W14 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[0]}]
set_property -dict {PACKAGE_PIN Y14 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[1]}]
set_property -dict {PACKAGE_PIN T11 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[2]}]
set_property -dict {PACKAGE_PIN T10 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[3]}]
set_property -dict {PACKAGE_PIN V16 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[4]}]
set_property -dict {PACKAGE_PIN W16 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[5]}]
set_property -dict {PACKAGE_PIN V12 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[6]}]
set_property -dict {PACKAGE_PIN W13 IOSTANDARD LVCMOS33 PULLDOWN TRUE} [get_ports {pmod_in[7]}]
# Each passes a synchroniser of its own; its way there is not timed.
set_false_path -from [get_ports {pmod_in[*]}]

# Nothing on the board times these pins.
set_false_path -to [get_ports {pmod[*] led[*]}]
