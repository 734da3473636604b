"""Catches the markers that software stores into the EMIO marker port."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .constants import CODE_BITS
from .registers import encoded

NIBBLE = data.StructLayout({"code": CODE_BITS, "toggle": 1})


class MarkerCapture(wiring.Component):
    """One marker for each change of a core's toggle, with the code that came with it.

    Crossing: one store changes toggle and code of a nibble together, so no bit is a qualifier for
    the others. All four pass equal two-stage synchronisers; a change of the toggle after them
    fixes the stamp, and the code is sampled 2 ticks after the toggle was, when a nibble whose bits
    left within one tick of each other has settled. The store has to hold for 4 ticks; the GPIO
    holds it for at least two cycles of its bus (5 ticks). Constraint: ``marker_skew`` (the bits of
    a nibble arrive within one tick), ``marker_async`` in ``ip/irqscope.xdc``.

    Latency: let k be the tick in which the first flip-flop holds the new toggle. The marker's
    stamp is ``k + MARKER_DELAY`` (2); ``markers`` is high in ``k + MARKER_DELAY + FRONT_END_DELAY``
    (3). From the pin to k is at most one tick, plus one where the flip-flop resolved late.

    Members:
        reset: While high, no core has been seen and the synchroniser's content is ignored.
        nibbles: The marker port, asynchronous: core n owns nibble n.
        loopback, level: With ``loopback`` high, nibble 0 is taken from ``level`` (toggle) with code
            handler: each edge of the level in tick T gives a marker of core 0 with stamp T + 3.
        markers, codes: Registers, high for one tick, and the synchroniser's content in that tick;
            see above.
        toggles: Registers: the toggles after the synchroniser.
        seen: Registers: the core has sent a marker since reset. Toggles that are high when reset
            ends do not count as markers.
        quiet: No input has changed for the depth of the synchroniser and no marker is in progress.
    """

    def __init__(self, *, cores: int = 4):
        self._cores = cores
        super().__init__(
            {
                "reset": In(1),
                "nibbles": In(data.ArrayLayout(NIBBLE, cores)),
                "loopback": In(1),
                "level": In(1),
                "markers": Out(cores),
                "codes": Out(data.ArrayLayout(CODE_BITS, cores)),
                "toggles": Out(cores),
                "seen": Out(cores),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        layout = data.ArrayLayout(NIBBLE, self._cores)
        pins = Signal(layout)
        first = Signal(layout)
        second = Signal(layout)
        toggles_before = Signal(self._cores)
        settled = Signal(3)  # until the synchroniser holds what the pins held in reset
        changed = Signal(self._cores)

        m.d.comb += pins.eq(self.nibbles)
        with m.If(self.loopback):
            m.d.comb += [
                pins[0].toggle.eq(self.level),
                pins[0].code.eq(encoded("marker", "handler")),
            ]
        m.d.comb += self.toggles.eq(Cat(second[i].toggle for i in range(self._cores)))
        m.d.sync += [
            first.eq(pins),
            second.eq(first),
            toggles_before.eq(self.toggles),
            settled.eq(Cat(1, settled[:-1])),
            changed.eq((self.toggles ^ toggles_before) & settled[-1].replicate(self._cores)),
            self.markers.eq(changed),
            self.seen.eq(self.seen | changed),
        ]
        with m.If(self.reset):
            m.d.sync += [settled.eq(0), self.seen.eq(0)]
        m.d.comb += [self.codes[i].eq(second[i].code) for i in range(self._cores)]
        m.d.comb += self.quiet.eq(
            settled[-1]
            & (pins.as_value() == first.as_value())
            & (first.as_value() == second.as_value())
            & (self.toggles == toggles_before)
            & ~(changed | self.markers).any()
        )
        return m
