"""Walks through everything that has to work before a board can measure, in order.

Each step says what was done, what was seen, and, where it failed, what failed and what to check. A
failure stops only the steps that depend on it.
"""

from irqscope.doctor.examine import Examination, examine

__all__ = ["Examination", "examine"]
