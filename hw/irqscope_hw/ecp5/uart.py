"""A UART of eight bits without parity, with room for a whole request."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import fifo, wiring
from amaranth.lib.wiring import In, Out

#: Ticks of a bit.
DIVISOR_BITS = 16
#: The link is half-duplex, and no request is longer (fw/link/link.h).
BYTES = 2048


class Uart(wiring.Component):
    """Sends and receives bytes, least bit first, one stop bit.

    ``rx`` passes a two-stage synchroniser. A start bit is looked at again in its middle, and each
    bit once, in its own: with a divisor of 50 and more the sampled place is off by at most 2 % of
    a bit, so that the other side's rate may be off by 4 %.

    Members:
        rx, tx: The wires, high at rest. ``tx`` is a register.
        divisor: Ticks of a bit, at least 4. May change while nothing is sent or received.
        send, send_data: High for one tick while ``sending`` is low: the byte to send.
        sending: Register: a byte is being sent, until its stop bit has ended.
        received, received_data: Register, and from memory: the oldest byte that was received and
            not taken.
        take: High for one tick while ``received`` is high: removes it.
        lost, damaged: High for one tick: a byte met a full memory; a stop bit was low.
    """

    rx: In(1)
    tx: Out(1, init=1)
    divisor: In(DIVISOR_BITS)
    send: In(1)
    send_data: In(8)
    sending: Out(1)
    received: Out(1)
    received_data: Out(8)
    take: In(1)
    lost: Out(1)
    damaged: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.bytes = stored = fifo.SyncFIFOBuffered(width=8, depth=BYTES)
        m.d.comb += [
            self.received.eq(stored.r_rdy),
            self.received_data.eq(stored.r_data),
            stored.r_en.eq(self.take),
        ]
        self._sender(m)
        self._receiver(m, stored)
        return m

    def _sender(self, m):
        bits = Signal(9, init=0x1FF)  # what is still to be sent, the stop bit last
        left = Signal(range(11))
        ticks = Signal(DIVISOR_BITS)
        m.d.comb += self.tx.eq(bits[0])
        with m.If(self.send & ~self.sending):
            m.d.sync += [
                bits.eq(Cat(0, self.send_data)),
                left.eq(10),
                ticks.eq(self.divisor - 1),
                self.sending.eq(1),
            ]
        with m.Elif(self.sending):
            m.d.sync += ticks.eq(ticks - 1)
            with m.If(ticks == 0):
                m.d.sync += [
                    bits.eq(Cat(bits[1:], 1)),
                    left.eq(left - 1),
                    ticks.eq(self.divisor - 1),
                    self.sending.eq(left != 1),
                ]

    def _receiver(self, m, stored):
        first, level = Signal(init=1), Signal(init=1)
        bits = Signal(8)
        left = Signal(range(11))
        ticks = Signal(DIVISOR_BITS)
        m.d.sync += [
            first.eq(self.rx),
            level.eq(first),
            stored.w_en.eq(0),
            self.damaged.eq(0),
            ticks.eq(ticks - 1),
        ]
        m.d.comb += [
            stored.w_data.eq(bits),
            self.lost.eq(stored.w_en & ~stored.w_rdy),
        ]
        with m.If(left == 0):
            m.d.sync += ticks.eq(self.divisor >> 1)
            with m.If(~level):
                m.d.sync += left.eq(10)
        with m.Elif(ticks == 0):
            m.d.sync += [ticks.eq(self.divisor - 1), left.eq(left - 1)]
            with m.If(left == 10), m.If(level):  # no start bit but a glitch
                m.d.sync += left.eq(0)
            with m.Elif(left == 1):
                m.d.sync += [stored.w_en.eq(level), self.damaged.eq(~level)]
            with m.Else():
                m.d.sync += bits.eq(Cat(bits[1:], level))
