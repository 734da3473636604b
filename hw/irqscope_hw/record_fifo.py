"""A queue of records in block RAM whose head can be looked at again and again."""

from amaranth.hdl import Array, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


class Bank(wiring.Component):
    """Block RAM of ``2^depth_log2`` records, with a register after it.

    Members:
        write, write_row, data: Stores ``data`` in a row.
        read, read_row: Asks for the record in a row.
        record: Register: the record requested last, from 2 ticks after ``read`` on.
    """

    def __init__(self, *, width: int, depth_log2: int):
        self._width = width
        self._depth_log2 = depth_log2
        super().__init__(
            {
                "write": In(1),
                "write_row": In(depth_log2),
                "data": In(width),
                "read": In(1),
                "read_row": In(depth_log2),
                "record": Out(width),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=self._width, depth=1 << self._depth_log2, init=[]
        )
        reader = memory.read_port()
        writer = memory.write_port()
        m.d.comb += [
            writer.en.eq(self.write),
            writer.addr.eq(self.write_row),
            writer.data.eq(self.data),
            reader.en.eq(self.read),
            reader.addr.eq(self.read_row),
        ]
        m.d.sync += self.record.eq(reader.data)  # the RAM's read port holds it
        return m


class RecordFifo(wiring.Component):
    """Holds ``2^depth_log2`` records of ``width`` bits, in banks of ``2^bank_log2``.

    Many blocks of RAM lie far apart, so a register is after each, and the choice after that.
    2^11 records: a block takes 9 or 18 bits of each.

    Members:
        push, data: Appends ``data``; ignored when ``full``.
        pop: Removes the head; ignored when ``level`` is 0.
        clear: Forgets all records; wins over ``push`` and ``pop``.
        head: Register: the oldest record, valid from 4 ticks after the push that filled an empty
            queue and 4 ticks after a pop; undefined while empty.
        level: Register: records held.
        full: ``level`` equals the depth.
        quiet: ``head`` follows no push or pop any more.
    """

    def __init__(self, *, width: int = 128, depth_log2: int = 14, bank_log2: int = 11):
        self._width = width
        self._depth_log2 = depth_log2
        self._bank_log2 = bank_log2
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
        write_address = Signal(self._depth_log2)
        read_address = Signal(self._depth_log2)
        pushing = Signal()
        popping = Signal()
        refresh = Signal(3)  # read, its bank's register, the head: a tick each

        m.d.comb += [
            self.full.eq(self.level[-1]),
            pushing.eq(self.push & ~self.full),
            popping.eq(self.pop & (self.level != 0)),
            self.quiet.eq(~(self.push | self.pop | refresh.any())),
        ]
        m.d.sync += refresh.eq(Cat(pushing | popping, refresh[:-1]))
        bank_bits = min(self._bank_log2, self._depth_log2)
        banks = [
            Bank(width=self._width, depth_log2=bank_bits)
            for _ in range(1 << (self._depth_log2 - bank_bits))
        ]
        for index, bank in enumerate(banks):
            m.submodules[f"bank_{index}"] = bank
            m.d.comb += [
                bank.write.eq(pushing & (write_address[bank_bits:] == index)),
                bank.write_row.eq(write_address[:bank_bits]),
                bank.data.eq(self.data),
                bank.read.eq(refresh[0]),
                bank.read_row.eq(read_address[:bank_bits]),
            ]
        chosen = Signal(self._depth_log2 - bank_bits)  # the bank of the head
        with m.If(refresh[0]):
            m.d.sync += chosen.eq(read_address[bank_bits:])
        m.d.sync += self.head.eq(Array(bank.record for bank in banks)[chosen])
        with m.If(pushing):
            m.d.sync += write_address.eq(write_address + 1)
        with m.If(popping):
            m.d.sync += read_address.eq(read_address + 1)
        m.d.sync += self.level.eq(self.level + pushing - popping)
        with m.If(self.clear):
            m.d.sync += [write_address.eq(0), read_address.eq(0), self.level.eq(0)]
        return m
