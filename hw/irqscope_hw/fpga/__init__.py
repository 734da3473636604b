"""What the gateware becomes on an FPGA: the packaged core, and its size and depth.

A package of its own, outside what the build hash covers: nothing here changes the gateware.
"""
