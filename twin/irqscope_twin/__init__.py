"""The twin: a simulated ZCU102 that runs the firmware against the compiled gateware.

A separate process at a pseudo-terminal; the host imports nothing from here.
"""

from irqscope.resources import compiled

#: The engine, where ``build`` makes it.
EXECUTABLE = compiled("twin") / "irqscope-twin"
