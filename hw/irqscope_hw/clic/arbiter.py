"""Selects the pending interrupt that a CLIC offers to its core."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

CONTROL_BITS = 8


class Arbiter(wiring.Component):
    """Finds, among the sources that ask, that with the largest ``control``; of equals, the last.

    ``control`` holds the level in its upper bits and the priority in those below, so its order is
    that of levels, and of priorities within one. A tree of comparisons. Latency: 0 ticks.

    Args:
        sources: How many there are.

    Members:
        asks: A bit for each source: it is pending and enabled.
        control: The ``control`` of each source.
        valid: One asks.
        index, highest: Place and ``control`` of the source that is found; 0 while none asks.
    """

    def __init__(self, sources: int):
        self.sources = sources
        super().__init__(
            {
                "asks": In(sources),
                "control": In(data.ArrayLayout(CONTROL_BITS, sources)),
                "valid": Out(1),
                "index": Out(range(sources)),
                "highest": Out(CONTROL_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        found = [(self.asks[n], n, self.control[n]) for n in range(self.sources)]
        while len(found) > 1:
            pairs = zip(found[::2], found[1::2], strict=False)
            rest = found[len(found) // 2 * 2 :]
            found = [*(self._higher(m, *pair) for pair in pairs), *rest]
        ((valid, index, highest),) = found
        m.d.comb += self.valid.eq(valid)
        with m.If(valid):
            m.d.comb += [self.index.eq(index), self.highest.eq(highest)]
        return m

    def _higher(self, m, lower, upper):
        valid, index, control = Signal(), Signal(range(self.sources)), Signal(CONTROL_BITS)
        m.d.comb += [valid.eq(lower[0] | upper[0]), index.eq(lower[1]), control.eq(lower[2])]
        with m.If(upper[0] & (~lower[0] | (upper[2] >= lower[2]))):
            m.d.comb += [index.eq(upper[1]), control.eq(upper[2])]
        return valid, index, control
