"""The core-local interrupt controller (CLIC) of soft cores.

Not part of the instrument: it is beside a core, between the instrument's lines and the core's
interrupt controller. Terms are those of the RISC-V fast interrupts task group's draft.
"""
