"""Exact counts in block RAM."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

COUNT_BITS = 32


class Histogram(wiring.Component):
    """``2^bins_log2`` counters, one of which may be incremented in every tick.

    Increment: tick q ``update``; q + 1 address to the RAM; q + 2 its old count; q + 3 plus one;
    q + 4 written, to be read by updates from q + 4 on. Two updates of one bin closer than that get
    the count from the pipeline instead of the RAM.

    A bin stops counting at 2^31, so that a full bin can be recognised.

    Reads use the RAM's read port after ticks without update: with ``read`` held and no update,
    ``read_done`` is high for one tick 3 ticks later, in which ``read_data`` holds the count,
    without the updates of the 3 ticks before; else it is zero.

    Args:
        initial: Counts after power-up, for tests; nothing else may rely on them.

    Members:
        update, bin: High for each tick that increments ``bin``.
        clear: While it is high each tick zeroes one bin, round and round: it has to last for as
            many ticks as there are bins, or longer. No update may be under way.
        read, read_bin: Held until ``read_done``.
        read_data, read_done: See above; the data is combinational, from registers.
        quiet: No update or read is under way.
    """

    def __init__(self, *, bins_log2: int = 12, initial: Sequence[int] = ()):
        self._bins_log2 = bins_log2
        self._initial = initial
        super().__init__(
            {
                "update": In(1),
                "bin": In(bins_log2),
                "clear": In(1),
                "read": In(1),
                "read_bin": In(bins_log2),
                "read_data": Out(COUNT_BITS),
                "read_done": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(
            shape=COUNT_BITS, depth=1 << self._bins_log2, init=self._initial
        )
        reader = memory.read_port()
        writer = memory.write_port()

        # ---- tick q: which bin? ------------------------------------------------------------
        busy = Signal(4)  # an update in q + 1, q + 2, q + 3, q + 4
        bins = [Signal(self._bins_log2, name=f"bin_{i}") for i in range(len(busy))]
        looking = Signal()
        reading = Signal()
        read_issued = Signal()
        m.d.sync += [
            busy.eq(Cat(self.update, busy[:-1])),
            looking.eq(self.update | self.read),
            reading.eq(self.read & ~self.update & ~(reading | read_issued | self.read_done)),
            read_issued.eq(reading),
            self.read_done.eq(read_issued),
        ]
        with m.If(self.update | self.read):
            m.d.sync += bins[0].eq(Mux(self.update, self.bin, self.read_bin))

        # ---- tick q + 1: issue -------------------------------------------------------------
        same_as_last = Signal(2)  # the RAM lacks the update one tick before; and a tick later
        same_as_second_last = Signal()  # the RAM lacks the update two ticks before
        same_as_third_last = Signal()  # the RAM lacks the update three ticks before
        m.d.comb += [reader.addr.eq(bins[0]), reader.en.eq(looking)]
        m.d.sync += same_as_last[1].eq(same_as_last[0])
        with m.If(busy[0]):
            m.d.sync += [
                bins[1].eq(bins[0]),
                same_as_last[0].eq(busy[1] & (bins[1] == bins[0])),
                same_as_second_last.eq(busy[2] & (bins[2] == bins[0])),
                same_as_third_last.eq(busy[3] & (bins[3] == bins[0])),
            ]

        # ---- tick q + 2: look up, no logic after the RAM ------------------------------------
        stored = Signal(COUNT_BITS)  # as the RAM had it
        count = Signal(COUNT_BITS)  # of the update two ticks before; in q + 3, of the one before
        count_before = Signal(COUNT_BITS)  # of the update three ticks before
        newer = Signal(COUNT_BITS)  # that of the second or third last update, which the RAM lacked
        has_newer = Signal()
        with m.If(busy[1] | read_issued):
            m.d.sync += stored.eq(reader.data)
        with m.If(busy[1]):
            m.d.sync += [
                bins[2].eq(bins[1]),
                newer.eq(Mux(same_as_second_last, count, count_before)),
                has_newer.eq(same_as_second_last | same_as_third_last),
            ]
        m.d.comb += self.read_data.eq(Mux(self.read_done, stored, 0))

        # ---- tick q + 3: add -----------------------------------------------------------------
        latest = Mux(same_as_last[1], count, Mux(has_newer, newer, stored))
        with m.If(busy[2]):
            m.d.sync += [bins[3].eq(bins[2]), count.eq(latest + ~latest[-1])]
        with m.If(busy[3]):
            m.d.sync += count_before.eq(count)

        # ---- clear -------------------------------------------------------------------------
        clear_bin = Signal(self._bins_log2)
        with m.If(self.clear):
            m.d.sync += clear_bin.eq(clear_bin + 1)

        # ---- tick q + 4: write -------------------------------------------------------------
        m.d.comb += [
            writer.en.eq(self.clear | busy[3]),
            writer.addr.eq(Mux(self.clear, clear_bin, bins[3])),
            writer.data.eq(Mux(self.clear, 0, count)),
            self.quiet.eq(~(self.update | busy.any() | self.read | looking | self.read_done)),
        ]
        return m
