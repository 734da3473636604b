"""The core-local interrupt controller (CLIC) of soft cores.

Not part of the instrument: it belongs to a core, between the instrument's lines and the core's
interrupt inputs. Terms are those of the RISC-V fast interrupts task group's draft.
"""
