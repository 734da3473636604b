"""Soft cores in RTL simulation: a process behind a pseudo-terminal, as the twin is one.

Nothing here is imported by the host.
"""
