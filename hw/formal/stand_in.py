"""Replaces the comparator in proofs about the component around it."""

from __future__ import annotations

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Comparator(wiring.Component):
    """A comparator as test_comparator proves it: ``hit`` in the tick before a valid target.

    In return the proof has to show what that one assumes: that a target is loaded at least
    COMPARE_DELAY + 1 ticks before it.
    """

    def __init__(self):
        super().__init__(
            {
                "ahead": In(64),
                "load": In(1),
                "value": In(64),
                "clear": In(1),
                "target": Out(64),
                "valid": Out(1),
                "hit": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.hit.eq(self.valid & ((self.target + 2)[:64] == self.ahead))
        with m.If(self.hit | self.clear):
            m.d.sync += self.valid.eq(0)
        with m.If(self.load):
            m.d.sync += [self.valid.eq(1), self.target.eq(self.value)]
        return m


class Histogram(wiring.Component):
    """No histogram, for proofs about a channel's decisions; it has its own."""

    def __init__(self, *, bins_log2: int):
        super().__init__(
            {
                "update": In(1),
                "bin": In(bins_log2),
                "clear": In(1),
                "read": In(1),
                "read_bin": In(bins_log2),
                "read_data": Out(32),
                "read_done": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.quiet.eq(~self.update)
        return m
