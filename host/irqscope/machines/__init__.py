"""Machines: the processor systems whose software is measured, each by its description."""
