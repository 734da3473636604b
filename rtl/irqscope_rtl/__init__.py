"""Soft cores in RTL simulation: a process at a pseudo-terminal, like the twin.

The host does not import this package.
"""
