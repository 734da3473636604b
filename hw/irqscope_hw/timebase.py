"""The tick counter, the only thing in the gateware that counts time."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .constants import COMPARE_DELAY, DECISION_DELAY, LEAD, OUTPUT_DELAY

MASK = (1 << 64) - 1

#: By how many ticks each register is ahead of ``now``.
DISTANCES = {
    "now": 0,
    "ahead": COMPARE_DELAY,
    "stamp": -DECISION_DELAY,
    "line_now": OUTPUT_DELAY,
    "line_ahead": LEAD,
}


class Timebase(wiring.Component):
    """Numbers the clock periods: tick ``n`` is the period in which ``now`` equals ``n``.

    64 bits: at 250 MHz they wrap after 2339 years, and they wrap as unsigned numbers do.

    Args:
        initial: Number of the first tick after reset.

    Members:
        reset: While high, the next tick is numbered ``initial``.
        skip, skip_to: With ``skip`` high in tick t the next tick is numbered ``skip_to`` instead of
            t + 1. The skipping theorem says when this changes nothing else. Sampled at the end of
            the tick.
        now: Register: this tick.
        ahead: Register: ``now + COMPARE_DELAY``, the reference of the channels' comparators.
        line_now, line_ahead: Registers: ``now + OUTPUT_DELAY`` and ``now + LEAD``, the same for the
            lines, which run ahead of the pins.
        stamp: Register: ``now - DECISION_DELAY``, the stamp of the events that are decided in this
            tick.
    """

    def __init__(self, *, initial: int = 0):
        super().__init__(
            {
                "reset": In(1),
                "skip": In(1),
                "skip_to": In(64),
                **{
                    name: Out(64, init=(initial + distance) & MASK)
                    for name, distance in DISTANCES.items()
                },
            }
        )

    def elaborate(self, platform):
        m = Module()
        for name, distance in DISTANCES.items():
            register = getattr(self, name)
            m.d.sync += register.eq(register + 1)
            with m.If(self.skip):
                m.d.sync += register.eq(self.skip_to + distance)
            with m.If(self.reset):
                m.d.sync += register.eq(register.init)
        return m
