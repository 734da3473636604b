"""Latencies of a program that is not ours."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind
from irqscope.kinds.program.schema import problems_of_program

KIND = Kind("program", lambda experiment: experiment.of_program, problems_of_program)
