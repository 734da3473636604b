"""Connections of the instrument to a machine: a capture front end, a port and outputs.

One module a machine.
"""
