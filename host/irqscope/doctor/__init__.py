"""Walks through everything that has to work before a board can measure, in order.

Each step reports its actions, its observations and, if it failed, the fault and the parts to check.
A
failure stops only the steps that depend on it.
"""

from irqscope.doctor.examine import Examination, examine

__all__ = ["Examination", "examine"]
