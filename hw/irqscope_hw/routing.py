"""Routes lines to pins."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

ROUTE = data.StructLayout({"shared": 16, "private": 4, "pmod": 8, "trace": 1})
PINS = {"shared": 16, "private": 4, "pmod": 8, "trace": 8}


class Routing(wiring.Component):
    """ORs the lines that are routed to a pin; the pin's own register follows.

    OUTPUT_DELAY (2) ticks from a line to its pins: one for the OR, one for the way to the pad,
    where the pin's register has nothing in front of it.

    Members:
        levels: Registers: the lines.
        routes: Masks of each line; they may change at any time and act OUTPUT_DELAY ticks later.
        finished, finished_shared: A level, and the mask of the shared outputs that carry it besides
            lines, OUTPUT_DELAY ticks later.
        shared, private, pmod, trace: Registers: the pins. Bit n of ``trace`` is line n.
        levels_at_pins: Registers: the lines as a pin to which each were routed would show them.
        quiet: Lines and ``finished`` have reached the pins.
    """

    def __init__(self, *, lines: int = 8):
        self._lines = lines
        super().__init__(
            {
                "levels": In(lines),
                "routes": In(ROUTE).array(lines),
                "finished": In(1),
                "finished_shared": In(16),
                **{pin: Out(width) for pin, width in PINS.items()},
                "levels_at_pins": Out(lines),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        # One stage for each tick of OUTPUT_DELAY: chosen, and at the pin.
        chosen = Signal(data.StructLayout({**PINS, "levels": self._lines, "finished": 1}))
        finished_at_pins = Signal()

        def routed(name):
            return reduce(
                or_,
                (
                    getattr(self.routes[i], name) & self.levels[i].replicate(ROUTE[name].width)
                    for i in range(self._lines)
                ),
            )

        m.d.sync += [
            chosen.levels.eq(self.levels),
            chosen.finished.eq(self.finished),
            chosen.shared.eq(
                routed("shared") | (self.finished_shared & self.finished.replicate(16))
            ),
            chosen.private.eq(routed("private")),
            chosen.pmod.eq(routed("pmod")),
            chosen.trace.eq(Cat(self.routes[i].trace & self.levels[i] for i in range(self._lines))),
            *(getattr(self, pin).eq(chosen[pin]) for pin in PINS),
            self.levels_at_pins.eq(chosen.levels),
            finished_at_pins.eq(chosen.finished),
        ]
        m.d.comb += self.quiet.eq(
            (self.levels == chosen.levels)
            & (chosen.levels == self.levels_at_pins)
            & (self.finished == chosen.finished)
            & (chosen.finished == finished_at_pins)
        )
        return m
