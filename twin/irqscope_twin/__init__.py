"""The twin: a simulated ZCU102 that runs the firmware against the compiled gateware.

A process of its own behind a pseudo-terminal; nothing here is imported by the host.
"""

from irqscope.resources import compiled

#: The engine, where ``build`` makes it.
EXECUTABLE = compiled("twin") / "irqscope-twin"
