# Constraints of irqscope's crossings, scoped to the module: read_xdc -ref irqscope. Written by hand.
#
# NOT VERIFIED: no run of Vivado has read this file. To be checked on the first build:
#  - that every get_cells and get_pins finds its registers (names follow irqscope.v);
#  - that paths from the PS8 primitive are timed at all, so that the limits below bite
#    (report_timing -to, report_bus_skew); if they are not, the skew of a nibble has to be held by
#    placing capture/first_reg of one nibble in one slice;
#  - report_cdc.
#
# clk is 250 MHz nominal, 4.000 ns; every limit is one period of it. The other side is the GPIO
# controller of the PS, 100 MHz from the same PLL. Latency formulas: docstrings of
# hw/irqscope_hw/marker_capture.py and emio_port.py; tests: hw/tests/test_marker_capture.py and
# test_emio_port.py.

# ---- marker_async: two-stage synchronisers of the marker port ------------------------------------
set_property ASYNC_REG TRUE [get_cells {capture/first_reg[*] capture/second_reg[*]}]

# ---- marker_skew: the four bits of a nibble arrive within one tick -------------------------------
# One store changes toggle and code together; the code is sampled two ticks after the toggle.
set_bus_skew -from [get_ports {emio_o3[3:0]}] -to [get_pins {capture/first_reg[0]/D capture/first_reg[1]/D capture/first_reg[2]/D capture/first_reg[3]/D}] 4.000
set_bus_skew -from [get_ports {emio_o3[7:4]}] -to [get_pins {capture/first_reg[4]/D capture/first_reg[5]/D capture/first_reg[6]/D capture/first_reg[7]/D}] 4.000
set_bus_skew -from [get_ports {emio_o3[11:8]}] -to [get_pins {capture/first_reg[8]/D capture/first_reg[9]/D capture/first_reg[10]/D capture/first_reg[11]/D}] 4.000
set_bus_skew -from [get_ports {emio_o3[15:12]}] -to [get_pins {capture/first_reg[12]/D capture/first_reg[13]/D capture/first_reg[14]/D capture/first_reg[15]/D}] 4.000

# ---- emio_request_async: two-stage synchroniser of the request bit -------------------------------
set_property ASYNC_REG TRUE [get_cells {port/first_reg port/second_reg}]
set_max_delay -datapath_only -from [get_ports {emio_o3[31]}] -to [get_pins port/first_reg/D] 4.000

# ---- emio_request_data: address, write flag and data ---------------------------------------------
# Stored a bus cycle (10 ns) or more before the request bit and sampled two ticks after it was.
set_max_delay -datapath_only -from [get_ports {emio_o3[30:16]}] -to [get_pins {port/bus__address_reg[*]/D port/bus__write_reg/D}] 4.000
set_max_delay -datapath_only -from [get_ports {emio_o4[*]}] -to [get_pins {port/bus__write_data_reg[*]/D}] 4.000

# ---- emio_reply_data: read data and acknowledge --------------------------------------------------
# The data changes a tick or more before the acknowledge; software reads it in a later access.
set_max_delay -datapath_only -from [get_cells {port/read_data_reg[*]}] -to [get_ports {emio_i4[*]}] 4.000
set_max_delay -datapath_only -from [get_cells port/acknowledge_reg] -to [get_ports {emio_i3[0]}] 4.000

# ---- emio_status, irq: single bits that the PS synchronises --------------------------------------
set_false_path -to [get_ports {emio_i3[31:1]}]
set_false_path -to [get_ports {pl_ps_irq0[*] pl_ps_irq1[*] pl_ps_apugic_irq[*] pmod[*] stm_event[*]}]
