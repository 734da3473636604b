"""Exact counts in block RAM."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

COUNT_BITS = 32


class Histogram(wiring.Component):
    """``2^bins_log2`` counters, one of which may be incremented in every tick.

    Increment: tick q ``update``, address to the RAM; q + 1 its old count; q + 2 plus one; q + 3
    written, to be read by updates from q + 4 on. Two updates of one bin closer than that get the
    count from the pipeline instead of the RAM.

    A bin stops counting at 2^31, so that a full bin can be recognised.

    Reads use the RAM's read port in ticks without update: with ``read`` held and no update,
    ``read_done`` is high for one tick 2 ticks later, in which ``read_data`` holds the count,
    without the updates of the last 3 ticks; else it is zero.

    Parameters
    ----------
    initial
        Counts after power-up, for tests; nothing else may rely on them.

    Members
    -------
    update, bin
        High for each tick that increments ``bin``.
    clear
        While it is high each tick zeroes one bin, round and round: it has to last for as many
        ticks as there are bins, or longer. No update may be under way.
    read, read_bin
        Held until ``read_done``.
    read_data, read_done
        Registers; see above.
    quiet
        No update or read is under way.
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

        # ---- tick q: issue -----------------------------------------------------------------
        reading = Signal()
        read_issued = Signal()
        m.d.comb += [
            reading.eq(self.read & ~self.update & ~read_issued & ~self.read_done),
            reader.addr.eq(Mux(self.update, self.bin, self.read_bin)),
            reader.en.eq(self.update | self.read),
        ]
        busy = [Signal(name=f"busy_{i}") for i in range(3)]
        bins = [Signal(self._bins_log2, name=f"bin_{i}") for i in range(3)]
        same_as_last = Signal(2)  # the RAM lacks the update one tick before; and a tick later
        same_as_second_last = Signal()  # the RAM lacks the update two ticks before
        same_as_third_last = Signal()  # the RAM lacks the update three ticks before
        m.d.sync += [
            busy[0].eq(self.update),
            busy[1].eq(busy[0]),
            busy[2].eq(busy[1]),
            same_as_last[1].eq(same_as_last[0]),
            read_issued.eq(reading),
            self.read_done.eq(read_issued),
        ]
        with m.If(self.update):
            m.d.sync += [
                bins[0].eq(self.bin),
                same_as_last[0].eq(busy[0] & (bins[0] == self.bin)),
                same_as_second_last.eq(busy[1] & (bins[1] == self.bin)),
                same_as_third_last.eq(busy[2] & (bins[2] == self.bin)),
            ]
        m.d.sync += self.read_data.eq(Mux(read_issued, reader.data, 0))

        # ---- tick q + 1: look up -----------------------------------------------------------
        count = Signal(COUNT_BITS)  # of the update two ticks before; in q + 2, of the one before
        count_before = Signal(COUNT_BITS)  # of the update three ticks before
        old = Signal(COUNT_BITS)  # lacks the update one tick before
        older = Mux(same_as_third_last, count_before, reader.data)
        with m.If(busy[0]):
            m.d.sync += [
                bins[1].eq(bins[0]),
                old.eq(Mux(same_as_second_last, count, older)),
            ]

        # ---- tick q + 2: add, no RAM in front of it ----------------------------------------
        latest = Mux(same_as_last[1], count, old)
        with m.If(busy[1]):
            m.d.sync += [bins[2].eq(bins[1]), count.eq(latest + ~latest[-1])]
        with m.If(busy[2]):
            m.d.sync += count_before.eq(count)

        # ---- clear -------------------------------------------------------------------------
        clear_bin = Signal(self._bins_log2)
        with m.If(self.clear):
            m.d.sync += clear_bin.eq(clear_bin + 1)

        # ---- tick q + 3: write -------------------------------------------------------------
        m.d.comb += [
            writer.en.eq(self.clear | busy[2]),
            writer.addr.eq(Mux(self.clear, clear_bin, bins[2])),
            writer.data.eq(Mux(self.clear, 0, count)),
            self.quiet.eq(~(self.update | Cat(busy).any() | self.read | self.read_done)),
        ]
        return m
