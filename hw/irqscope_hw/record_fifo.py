"""A queue of records in block RAM whose head can be looked at again and again."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


class RecordFifo(wiring.Component):
    """Holds ``2^depth_log2`` records of ``width`` bits.

    Members
    -------
    push, data
        Appends ``data``; ignored when ``full``.
    pop
        Removes the head; ignored when ``level`` is 0.
    clear
        Forgets all records; wins over ``push`` and ``pop``.
    head
        Register: the oldest record, valid from 4 ticks after the push that filled an empty queue
        and 4 ticks after a pop; undefined while empty.
    level
        Register: records held.
    full
        ``level`` equals the depth.
    quiet
        ``head`` follows no push or pop any more.
    """

    def __init__(self, *, width: int = 128, depth_log2: int = 14):
        self._width = width
        self._depth_log2 = depth_log2
        super().__init__(
            {
                "push": In(1),
                "data": In(width),
                "pop": In(1),
                "clear": In(1),
                "head": Out(width),
                "level": Out(depth_log2 + 1),
                "full": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=self._width, depth=1 << self._depth_log2, init=[]
        )
        reader = memory.read_port()
        writer = memory.write_port()
        write_address = Signal(self._depth_log2)
        read_address = Signal(self._depth_log2)
        pushing = Signal()
        popping = Signal()
        refresh = Signal(3)  # read, fetch, load: a tick each

        m.d.comb += [
            self.full.eq(self.level[-1]),
            pushing.eq(self.push & ~self.full),
            popping.eq(self.pop & (self.level != 0)),
            writer.addr.eq(write_address),
            writer.data.eq(self.data),
            writer.en.eq(pushing),
            reader.addr.eq(read_address),
            reader.en.eq(refresh[0]),
            self.quiet.eq(~(self.push | self.pop | refresh.any())),
        ]
        m.d.sync += refresh.eq(Cat(pushing | popping, refresh[:-1]))
        # A large RAM is many blocks far apart: a register stands where their outputs meet.
        fetched = Signal(self._width)
        m.d.sync += [fetched.eq(reader.data), self.head.eq(fetched)]  # the RAM's read port holds it
        with m.If(pushing):
            m.d.sync += write_address.eq(write_address + 1)
        with m.If(popping):
            m.d.sync += read_address.eq(read_address + 1)
        m.d.sync += self.level.eq(self.level + pushing - popping)
        with m.If(self.clear):
            m.d.sync += [write_address.eq(0), read_address.eq(0), self.level.eq(0)]
        return m
