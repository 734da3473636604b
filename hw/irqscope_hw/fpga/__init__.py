"""FPGA implementation of the gateware: the packaged core, and its size and depth.

A separate package, which the build hash does not cover: nothing here changes the gateware.
"""
