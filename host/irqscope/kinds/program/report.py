"""A foreign program, in words."""

from __future__ import annotations

from irqscope.kinds.latency.report import Latency


class Program(Latency):
    """Its latencies."""

    def span(self) -> str:
        return "each channel's start to its stop, in the clock of the program's core"

    def case(self) -> str:
        return "a foreign program, interrupted by the lines"
