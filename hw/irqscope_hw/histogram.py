"""Exact counts in block RAM."""

from collections.abc import Sequence

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

COUNT_BITS = 32


class Histogram(wiring.Component):
    """``2^bins_log2`` counters, one of which may be incremented in every tick.

    Increment: tick q ``update``, address to the RAM; q + 1 its old count plus one; q + 2 written,
    to be read by updates from q + 3 on. Two updates of one bin closer than that get the count from
    the pipeline instead of the RAM.

    A bin stops counting at 2^31, so that a full bin can be recognised.

    Reads use the RAM's read port in ticks without update: with ``read`` held and no update,
    ``read_done`` is high for one tick 2 ticks later, in which ``read_data`` holds the count,
    without the updates of the last 2 ticks; else it is zero.

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
            reader.en.eq(self.update | reading),
        ]
        busy = [Signal(name=f"busy_{i}") for i in range(2)]
        bins = [Signal(self._bins_log2, name=f"bin_{i}") for i in range(2)]
        same_as_last = Signal()  # the RAM lacks the update one tick before
        same_as_second_last = Signal()  # the RAM lacks the update two ticks before
        m.d.sync += [
            busy[0].eq(self.update),
            busy[1].eq(busy[0]),
            read_issued.eq(reading),
            self.read_done.eq(read_issued),
        ]
        with m.If(self.update):
            m.d.sync += [
                bins[0].eq(self.bin),
                same_as_last.eq(busy[0] & (bins[0] == self.bin)),
                same_as_second_last.eq(busy[1] & (bins[1] == self.bin)),
            ]
        m.d.sync += self.read_data.eq(Mux(read_issued, reader.data, 0))

        # ---- tick q + 1: add ---------------------------------------------------------------
        count = Signal(COUNT_BITS)  # of the update one tick before
        count_before = Signal(COUNT_BITS)  # of the one before that
        old = Signal(COUNT_BITS)
        m.d.comb += old.eq(
            Mux(same_as_last, count, Mux(same_as_second_last, count_before, reader.data))
        )
        with m.If(busy[0]):
            m.d.sync += [bins[1].eq(bins[0]), count.eq(old + ~old[-1])]
        with m.If(busy[1]):
            m.d.sync += count_before.eq(count)

        # ---- clear -------------------------------------------------------------------------
        clear_bin = Signal(self._bins_log2)
        with m.If(self.clear):
            m.d.sync += clear_bin.eq(clear_bin + 1)

        # ---- tick q + 2: write -------------------------------------------------------------
        m.d.comb += [
            writer.en.eq(self.clear | busy[1]),
            writer.addr.eq(Mux(self.clear, clear_bin, bins[1])),
            writer.data.eq(Mux(self.clear, 0, count)),
            self.quiet.eq(~(self.update | busy[0] | busy[1] | self.read | self.read_done)),
        ]
        return m
