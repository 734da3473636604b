"""The way of a soft system into the register space: a slave on its bus."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .register_bus import ADDRESS_BITS, DATA_BITS, RegisterBus


class WishboneSignature(wiring.Signature):
    """Classic cycles of Wishbone B4, 32 bits, bytes selectable; ``adr`` counts words.

    As the master sees it. The specification's names without its suffixes; no tags, no bursts.
    """

    def __init__(self):
        super().__init__(
            {
                "cyc": Out(1),
                "stb": Out(1),
                "we": Out(1),
                "adr": Out(ADDRESS_BITS),
                "sel": Out(DATA_BITS // 8),
                "dat_w": Out(DATA_BITS),
                "dat_r": In(DATA_BITS),
                "ack": In(1),
                "err": In(1),
            }
        )


class BusPort(wiring.Component):
    """Turns each cycle of the bus into one access to the register space.

    Reads have no side effects, and give the whole word whatever ``sel`` says. A write of less than
    a word is answered by ``err`` and does nothing: the register space knows words only. A master
    that gives up (``cyc`` or ``stb`` falls) gets no answer; an access that has begun is carried
    out.

    Latency: let k be the first tick of a cycle, or the tick after ``ack`` or ``err`` where the
    master goes on at once. The access starts in k + 1 and ``ack`` is high in D + 2 ticks after k,
    where D is the time from the bus's ``request`` to its ``done``; ``err`` is high in k + 1. Both
    last one tick, and stay low for a master that does not ask in it.

    Members:
        reset: While high, no access is under way.
        wishbone: The slave. ``dat_r`` is valid in the tick of ``ack``.
        bus: To the register space.
        quiet: No cycle is under way.
    """

    reset: In(1)
    wishbone: In(WishboneSignature())
    bus: Out(RegisterBus())
    quiet: Out(1)

    def elaborate(self, platform):
        m = Module()
        wishbone, bus = self.wishbone, self.bus
        asked = Signal()
        busy = Signal()  # from the bus's request to its done
        wanted = Signal()  # by a master that has not given up since
        acknowledge = Signal()
        refuse = Signal()
        m.d.comb += [
            asked.eq(wishbone.cyc & wishbone.stb),
            wishbone.ack.eq(acknowledge & asked),
            wishbone.err.eq(refuse & asked),
        ]
        m.d.sync += [bus.request.eq(0), acknowledge.eq(0), refuse.eq(0), wanted.eq(wanted & asked)]
        with m.If(asked & ~busy & ~acknowledge & ~refuse):
            with m.If(wishbone.we & ~wishbone.sel.all()):
                m.d.sync += refuse.eq(1)
            with m.Else():
                m.d.sync += [
                    busy.eq(1),
                    wanted.eq(1),
                    bus.request.eq(1),
                    bus.address.eq(wishbone.adr),
                    bus.write.eq(wishbone.we),
                    bus.write_data.eq(wishbone.dat_w),
                ]
        with m.If(busy & bus.done):
            m.d.sync += [
                busy.eq(0),
                wanted.eq(0),
                acknowledge.eq(wanted & asked),
                wishbone.dat_r.eq(bus.read_data),
            ]
        with m.If(self.reset):
            m.d.sync += [
                busy.eq(0),
                wanted.eq(0),
                bus.request.eq(0),
                acknowledge.eq(0),
                refuse.eq(0),
            ]
        m.d.comb += self.quiet.eq(~(asked | busy | acknowledge | refuse))
        return m
