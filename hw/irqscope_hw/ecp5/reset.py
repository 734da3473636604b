"""Reset of a system whose clock comes from a PLL."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

#: Ticks for which the PLL has to have been locked without a break before reset ends; a PLL that
#: settles may report lock more than once. The instrument's own reset takes 8 ticks at least.
STABLE_TICKS = 1023


class Reset(wiring.Component):
    """Ends reset when the clock ``sync`` was stable for STABLE_TICKS.

    Members:
        locked: Whether the clock has its rate. Asynchronous.
        running: Low in reset. Register; rises STABLE_TICKS + 3 ticks after ``locked``, falls 4
            after it.
    """

    def __init__(self):
        super().__init__({"locked": In(1), "running": Out(1)})

    def elaborate(self, platform):
        m = Module()
        locked = Signal()
        m.submodules.synchronizer = FFSynchronizer(self.locked, locked)
        ticks = Signal(range(STABLE_TICKS + 1))
        with m.If(~locked):
            m.d.sync += ticks.eq(0)
        with m.Elif(ticks != STABLE_TICKS):
            m.d.sync += ticks.eq(ticks + 1)
        m.d.sync += self.running.eq(ticks == STABLE_TICKS)
        return m
