"""One interrupt source on its way into the CLIC."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Gateway(wiring.Component):
    """Computes a source's pending bit: its level, or an edge that is not yet served.

    For a level, ``pending`` is the input, inverted if ``negative``: whatever raised it lowers it.
    For an edge it is high from the tick of the edge on, until it is claimed or software clears it.
    An edge in the tick of a claim or of a write is not lost: the bit is pending after it.

    Latency: 0 ticks from ``irq`` to ``pending``; a claim or a write shows in the tick after it.

    Members:
        irq: The source, in the clock of the core.
        edge, negative: Settings. Changing ``negative`` is not an edge; an edge that is pending is
            dropped when ``edge`` falls.
        claim: The core has taken it, which serves an edge.
        write, value: Software writes the pending bit; no effect for a level.
        pending: See above.
        quiet: Nothing changes in the next tick unless an input does.
    """

    irq: In(1)
    edge: In(1)
    negative: In(1)
    claim: In(1)
    write: In(1)
    value: In(1)
    pending: Out(1)
    quiet: Out(1)

    def elaborate(self, platform):
        m = Module()
        before = Signal()  # the input in the tick before
        kept = Signal()  # pending by an edge
        active = Signal()
        happened = Signal()
        m.d.comb += [
            active.eq(self.irq ^ self.negative),
            happened.eq(self.edge & active & (self.irq ^ before)),
            self.pending.eq(Mux(self.edge, happened | kept, active)),
            self.quiet.eq((self.irq == before) & (self.edge | ~kept) & ~self.claim & ~self.write),
        ]
        left = Mux(self.write, self.value, kept & ~self.claim)
        m.d.sync += [before.eq(self.irq), kept.eq(self.edge & (happened | left))]
        return m
