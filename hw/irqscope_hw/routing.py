"""Which line goes to which pin."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

ROUTE = data.StructLayout({"spi": 16, "ppi": 4, "pmod": 8, "stm": 1})


class Routing(wiring.Component):
    """ORs the routed lines in front of the pins' registers, so that a pin changes with its line.

    Members
    -------
    levels_next
        What the lines will be in the next tick.
    routes
        Masks of each line; they may change at any time and act on the next tick.
    finished, finished_spi
        Level that the SPI outputs in the mask carry besides; one tick behind ``finished``.
    irq0, irq1, apugic_irq, pmod, stm_event
        Registers: the pins. SPI bits 7:0 are ``irq0``, 15:8 ``irq1``; bit n of ``stm_event`` is
        line n.
    quiet
        ``finished`` has reached the pins.
    """

    def __init__(self, *, lines: int = 8):
        self._lines = lines
        super().__init__(
            {
                "levels_next": In(lines),
                "routes": In(ROUTE).array(lines),
                "finished": In(1),
                "finished_spi": In(16),
                "irq0": Out(8),
                "irq1": Out(8),
                "apugic_irq": Out(4),
                "pmod": Out(8),
                "stm_event": Out(8),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        finished_before = Signal()

        def routed(name):
            return reduce(
                or_,
                (
                    getattr(self.routes[i], name) & self.levels_next[i].replicate(ROUTE[name].width)
                    for i in range(self._lines)
                ),
            )

        m.d.sync += [
            finished_before.eq(self.finished),
            Cat(self.irq0, self.irq1).eq(
                routed("spi") | (self.finished_spi & self.finished.replicate(16))
            ),
            self.apugic_irq.eq(routed("ppi")),
            self.pmod.eq(routed("pmod")),
            self.stm_event.eq(
                Cat(self.routes[i].stm & self.levels_next[i] for i in range(self._lines))
            ),
        ]
        m.d.comb += self.quiet.eq(finished_before == self.finished)
        return m
