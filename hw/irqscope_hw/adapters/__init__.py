"""Adapters from the buses of soft cores to the port of module irqscope_core (docs/cores.md).

Not part of the instrument: a core of one's own takes them by ``gateware = ["adapters"]``. Each has
a side for instructions and one for data, with a single request under way.
"""
