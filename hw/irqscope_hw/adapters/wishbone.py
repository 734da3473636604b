"""Wishbone B4, classic cycles: the core holds its request until the answer."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .port import Data, Fetch


class WishboneFetch(wiring.Component):
    """Instructions."""

    port: Out(Fetch())
    cyc: In(1)
    stb: In(1)
    adr: In(32)
    ack: Out(1)
    dat_r: Out(32)

    def elaborate(self, platform):
        m = Module()
        port = self.port
        waits = Signal()
        m.d.comb += [
            self.ack.eq(waits & port.fetch_valid),
            self.dat_r.eq(port.fetch_data),
            port.fetch.eq(self.cyc & self.stb & ~waits),
            port.fetch_address.eq(self.adr),
        ]
        m.d.sync += waits.eq(port.fetch | (waits & ~port.fetch_valid))
        return m


class WishboneData(wiring.Component):
    """Data."""

    port: Out(Data())
    cyc: In(1)
    stb: In(1)
    we: In(1)
    sel: In(4)
    adr: In(32)
    dat_w: In(32)
    ack: Out(1)
    dat_r: Out(32)

    def elaborate(self, platform):
        m = Module()
        port = self.port
        waits = Signal()
        m.d.comb += [
            self.ack.eq(waits & port.valid),
            self.dat_r.eq(port.read_data),
            port.access.eq(self.cyc & self.stb & ~waits),
            port.write.eq(self.we),
            port.bytes.eq(self.sel),
            port.address.eq(self.adr),
            port.write_data.eq(self.dat_w),
        ]
        m.d.sync += waits.eq((port.access & port.ready) | (waits & ~port.valid))
        return m
