"""A program that is not ours, in words."""

from __future__ import annotations

from irqscope.report import wording
from irqscope.report.kinds.latency import Latency, Row
from irqscope.results.masked import MaskedInterval


class Program(Latency):
    """Its latencies, and where it could not be interrupted."""

    def case(self) -> str:
        return "a program that is not ours, interrupted by the lines"

    def tried(self) -> str:
        return "of the program in whatever it did"

    def rows(self) -> list[Row]:
        found = self.run.masked
        rows = [] if found is None else [Row("masked", (masked(found, self.run.tick_hz),))]
        return super().rows() + rows


def masked(found: tuple[MaskedInterval, ...], hz: int) -> str:
    """The longest interval in which the interrupt could not be taken; how many kinds there are."""
    if not found:
        return "never for a whole interval"
    one, more = found[0], len(found) - 1
    longest = f"at most {wording.plain(one.greatest_ticks, hz)}, {one.opened} to {one.closed}"
    rest = f"; {more} more, by `irqscope masked`" if more else ""
    return f"{longest}, {one.count} times{rest}"
