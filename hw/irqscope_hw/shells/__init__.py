"""How the instrument reaches a machine: a front, a port and outputs. One module a machine."""
