"""AXI4-Lite: one transaction at a time; a store goes before a load of the same cycle."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .port import Data, Fetch


class AxiFetch(wiring.Component):
    """Instructions. A word that the core does not take at once is stored."""

    port: Out(Fetch())
    araddr: In(32)
    arvalid: In(1)
    arready: Out(1)
    rdata: Out(32)
    rvalid: Out(1)
    rready: In(1)

    def elaborate(self, platform):
        m = Module()
        port = self.port
        waits = Signal()
        stored = Signal()
        word = Signal(32)
        m.d.comb += [
            self.rvalid.eq(stored | (waits & port.fetch_valid)),
            self.rdata.eq(Mux(stored, word, port.fetch_data)),
            self.arready.eq(~(waits | stored) | (self.rvalid & self.rready)),
            port.fetch.eq(self.arvalid & self.arready),
            port.fetch_address.eq(self.araddr),
        ]
        m.d.sync += [
            waits.eq(port.fetch | (waits & ~port.fetch_valid)),
            stored.eq(self.rvalid & ~self.rready),
        ]
        with m.If(~stored):
            m.d.sync += word.eq(port.fetch_data)
        return m


class AxiData(wiring.Component):
    """Data."""

    port: Out(Data())
    awaddr: In(32)
    awvalid: In(1)
    awready: Out(1)
    wdata: In(32)
    wstrb: In(4)
    wvalid: In(1)
    wready: Out(1)
    bvalid: Out(1)
    bready: In(1)
    araddr: In(32)
    arvalid: In(1)
    arready: Out(1)
    rdata: Out(32)
    rvalid: Out(1)
    rready: In(1)

    def elaborate(self, platform):
        m = Module()
        port = self.port
        waits = Signal()
        stored = Signal()
        word = Signal(32)
        writes = Signal()
        answer = Signal()
        done = Signal()
        free = Signal()
        store = Signal()
        m.d.comb += [
            answer.eq(stored | (waits & port.valid)),
            self.bvalid.eq(answer & writes),
            self.rvalid.eq(answer & ~writes),
            self.rdata.eq(Mux(stored, word, port.read_data)),
            done.eq(answer & Mux(writes, self.bready, self.rready)),
            free.eq(~(waits | stored) | done),
            store.eq(self.awvalid & self.wvalid),
            port.access.eq(free & (store | self.arvalid)),
            port.write.eq(store),
            port.bytes.eq(Mux(store, self.wstrb, 0b1111)),
            port.address.eq(Mux(store, self.awaddr, self.araddr)),
            port.write_data.eq(self.wdata),
            self.awready.eq(free & store & port.ready),
            self.wready.eq(self.awready),
            self.arready.eq(free & ~store & port.ready),
        ]
        taken = port.access & port.ready
        m.d.sync += [
            waits.eq(taken | (waits & ~port.valid)),
            stored.eq(answer & ~done),
        ]
        with m.If(taken):
            m.d.sync += writes.eq(port.write)
        with m.If(~stored):
            m.d.sync += word.eq(port.read_data)
        return m
