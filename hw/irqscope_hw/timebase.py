"""The tick counter, the only thing in the gateware that counts time."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .constants import DECISION_DELAY, LEAD

MASK = (1 << 64) - 1


class Timebase(wiring.Component):
    """Numbers the clock periods: tick ``n`` is the period in which ``now`` equals ``n``.

    64 bits: at 250 MHz they wrap after 2339 years, and they wrap as unsigned numbers do.

    Parameters
    ----------
    initial
        Number of the first tick after reset.

    Members
    -------
    skip, skip_to
        With ``skip`` high in tick t the next tick is numbered ``skip_to`` instead of t + 1. The
        skipping theorem says when that changes nothing else. Sampled at the end of the tick.
    now
        Register: this tick.
    ahead
        Register: ``now + LEAD``, what comparators compare with.
    stamp
        Register: ``now - DECISION_DELAY``, the stamp of the events that are decided in this tick.
    """

    def __init__(self, *, initial: int = 0):
        super().__init__(
            {
                "skip": In(1),
                "skip_to": In(64),
                "now": Out(64, init=initial),
                "ahead": Out(64, init=(initial + LEAD) & MASK),
                "stamp": Out(64, init=(initial - DECISION_DELAY) & MASK),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.d.sync += [
            self.now.eq(self.now + 1),
            self.ahead.eq(self.ahead + 1),
            self.stamp.eq(self.stamp + 1),
        ]
        with m.If(self.skip):
            m.d.sync += [
                self.now.eq(self.skip_to),
                self.ahead.eq(self.skip_to + LEAD),
                self.stamp.eq(self.skip_to - DECISION_DELAY),
            ]
        return m
