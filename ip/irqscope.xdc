# Constraints of irqscope's crossings, scoped to the packaged core. Written by hand.
#
# NOT VERIFIED: no run of Vivado has read this file. scripts/vivado/checks.tcl fails the build when a
# pattern below finds nothing, and measures what cannot be constrained.
#
# The processor system's EMIO and interrupt pins have no clock in Vivado's model, so that paths from
# and to them are not timed. Hence
#  - set_bus_skew and set_max_delay -datapath_only, which need a clocked start point (UG903), are of
#    no use here; the exceptions below only say that leaving these paths untimed is meant;
#  - the skew of a marker's nibble is measured after routing from the delays of the nets.
#
# clk is 250 MHz nominal on a Zynq UltraScale+, 125 MHz on a Zynq-7000. Latency formulas: docstrings of hw/irqscope_hw/marker_capture.py
# and emio_port.py; tests: hw/tests/test_marker_capture.py, test_emio_port.py and test_witness.py.

# ---- marker_async: two-stage synchronisers of the marker port ------------------------------------
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ *core/capture/first_reg[*] || NAME =~ *core/capture/second_reg[*]}]

# ---- marker_skew: the four bits of a nibble arrive within one tick -------------------------------
# One store changes toggle and code together; the code is sampled two ticks after the toggle. Measured
# by checks.tcl: at most half a tick between the nets of a nibble.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *core/capture/first_reg[*]/D}]

# ---- pins_async: two-stage synchronisers of the marker pins ---------------------------------------
# The way from a pad is exempt with the board's pins. Latency formula: hw/irqscope_hw/pin_front_end.py.
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ *core/pin_front_end/first_reg[*] || NAME =~ *core/pin_front_end/second_reg[*]}]

# ---- emio_request_async: two-stage synchroniser of the request bit -------------------------------
set_property ASYNC_REG TRUE [get_cells -hierarchical -filter {NAME =~ *core/port/first_reg || NAME =~ *core/port/second_reg}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *core/port/first_reg/D}]

# ---- emio_request_data: address, write flag and data ---------------------------------------------
# Stored a bus cycle (10 ns; 9 ns on a Zynq-7000) or more before the request bit and sampled two ticks
# after it was.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *core/port/bus__address_reg[*]/D || NAME =~ *core/port/bus__write_reg/D || NAME =~ *core/port/bus__write_data_reg[*]/D}]

# ---- emio_reply_data: read data and acknowledge --------------------------------------------------
# The data changes a tick or more before the acknowledge; software reads it in a later access. These
# pins are not timed, as said above, and neither are the status bits beside them: no constraint.

# ---- irq: levels that the interrupt controller and the trace macrocell take as they come ----------
# Each is one register's output. Not timed either; the copies for a scope end at pads, whose
# constraint is with the board's pins.

# ---- reset_async: end of pl_resetn0 or FCLK_RESET0_N ---------------------------------------------
# ASYNC_REG is in the Verilog. Both flip-flops are cleared asynchronously.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ *released_reg[*]/CLR}]
