"""AHB-Lite, and AHB5 without exclusive transfers: the core is the only manager."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .port import Data, Fetch


class AhbFetch(wiring.Component):
    """Instructions: an address phase is a fetch, and its data phase ends with the answer."""

    port: Out(Fetch())
    haddr: In(32)
    htrans: In(2)
    hready: Out(1)
    hrdata: Out(32)

    def elaborate(self, platform):
        m = Module()
        port = self.port
        waits = Signal()
        m.d.comb += [
            self.hready.eq(~waits | port.fetch_valid),
            self.hrdata.eq(port.fetch_data),
            port.fetch.eq(self.htrans[1] & self.hready),
            port.fetch_address.eq(self.haddr),
        ]
        with m.If(self.hready):
            m.d.sync += waits.eq(self.htrans[1])
        return m


class AhbData(wiring.Component):
    """Data: a load is an access in its address phase, a store in its data phase, where its word is.

    A load in the address phase after a store waits for a cycle, since both want the port.
    """

    port: Out(Data())
    haddr: In(32)
    htrans: In(2)
    hwrite: In(1)
    hsize: In(3)
    hwdata: In(32)
    hready: Out(1)
    hrdata: Out(32)

    def elaborate(self, platform):
        m = Module()
        port = self.port
        held = Signal()  # the transfer in its data phase has not been an access yet
        loads = Signal()  # it has been one, a load, and waits for the answer
        write = Signal()
        address = Signal(32)
        lanes = Signal(4)
        wanted = Signal()
        direct = Signal()
        taken = Signal()
        lanes_now = Signal(4)
        with m.Switch(self.hsize):
            with m.Case(0):
                m.d.comb += lanes_now.eq(1 << self.haddr[:2])
            with m.Case(1):
                m.d.comb += lanes_now.eq(Mux(self.haddr[1], 0b1100, 0b0011))
            with m.Default():
                m.d.comb += lanes_now.eq(0b1111)
        m.d.comb += [
            self.hready.eq(Mux(held, write & port.ready, ~loads | port.valid)),
            self.hrdata.eq(port.read_data),
            wanted.eq(self.htrans[1] & self.hready),
            direct.eq(wanted & ~self.hwrite & ~held),
            port.access.eq(held | direct),
            port.write.eq(held & write),
            port.bytes.eq(Mux(held, lanes, lanes_now)),
            port.address.eq(Mux(held, address, self.haddr)),
            port.write_data.eq(self.hwdata),
            taken.eq(port.access & port.ready),
        ]
        m.d.sync += loads.eq((taken & ~port.write) | (loads & ~port.valid))
        with m.If(wanted & ~(direct & port.ready)):
            m.d.sync += [
                held.eq(1),
                Cat(write, address, lanes).eq(Cat(self.hwrite, self.haddr, lanes_now)),
            ]
        with m.Elif(taken):
            m.d.sync += held.eq(0)
        return m
