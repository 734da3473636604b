"""The way of the processor into the register space: a request and an acknowledge over EMIO."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .register_bus import ADDRESS_BITS, DATA_BITS, RegisterBus


class EmioPort(wiring.Component):
    """Turns each change of the request bit into one access to the register space.

    Crossing, inwards: ``request`` passes a two-stage synchroniser; ``address``, ``write`` and
    ``write_data`` do not, they were stored earlier and stay until the acknowledge. Constraint:
    ``emio_request_async``, ``emio_request_data``. Outwards: ``read_data`` changes one tick before
    ``acknowledge`` at the least and stays until the next request. Constraint:
    ``emio_reply_data``.

    Latency: let k be the tick in which the first flip-flop holds the new request. The access
    starts in k + 2 and ``acknowledge`` changes D + 4 ticks after k, where D is the time from the
    bus's ``request`` to its ``done``. From the pin to k is at most one tick, plus one where the
    flip-flop resolved late.

    Members:
        reset: While high, no access is in progress and the synchroniser's content is ignored.
        request, address, write, write_data: The pins.
        acknowledge, read_data: Registers, to the pins: ``acknowledge`` equals ``request`` once the
            access is done. A request that is high when reset ends is acknowledged without an
            access.
        bus: To the register space.
        quiet: No access is in progress and the request bit has not changed.
    """

    reset: In(1)
    request: In(1)
    address: In(ADDRESS_BITS)
    write: In(1)
    write_data: In(DATA_BITS)
    acknowledge: Out(1)
    read_data: Out(DATA_BITS)
    bus: Out(RegisterBus())
    quiet: Out(1)

    def elaborate(self, platform):
        m = Module()
        first = Signal()
        second = Signal()
        seen = Signal()
        busy = Signal()
        settled = Signal(2)  # until the synchroniser holds what the pin held in reset
        m.d.sync += [
            first.eq(self.request),
            second.eq(first),
            settled.eq((settled << 1) | 1),
            self.bus.request.eq(0),
        ]
        with m.If(~settled[-1]):
            m.d.sync += seen.eq(first)
        with m.Elif(~busy & (second != seen)):
            m.d.sync += [
                seen.eq(second),
                busy.eq(1),
                self.bus.request.eq(1),
                self.bus.address.eq(self.address),
                self.bus.write.eq(self.write),
                self.bus.write_data.eq(self.write_data),
            ]
        with m.If(busy & self.bus.done):
            m.d.sync += [busy.eq(0), self.read_data.eq(self.bus.read_data)]
        with m.If(settled[-1] & ~busy & (second == seen)):
            m.d.sync += self.acknowledge.eq(seen)
        with m.If(self.reset):
            m.d.sync += [
                settled.eq(0),
                busy.eq(0),
                self.bus.request.eq(0),
                self.acknowledge.eq(0),
            ]
        m.d.comb += self.quiet.eq(
            settled[-1]
            & ~busy
            & (self.request == first)
            & (first == second)
            & (second == seen)
            & (self.acknowledge == seen)
        )
        return m
