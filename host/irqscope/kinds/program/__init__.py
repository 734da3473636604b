"""Latencies of a foreign program."""

from __future__ import annotations

from irqscope.experiment.kinds import Kind
from irqscope.kinds.program.schema import problems_of_program

KIND = Kind(
    "program",
    fits=lambda experiment: experiment.of_program,
    problems=problems_of_program,
    direct_lines=True,  # docs/programs.md
    optional_channels=True,  # a place may never be executed
)
