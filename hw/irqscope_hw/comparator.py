"""Announces one tick of the Timebase."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

SLICES = 4
SLICE_BITS = 16


class Comparator(wiring.Component):
    """Holds a target and is high in the tick before it, so that a register can change in it.

    In tick ``target - 3`` all slices are compared with ``ahead`` at once, in ``target - 2`` their
    results meet, in ``target - 1`` ``hit`` is high. A target has to be loaded at least 4 ticks
    before it; one that is loaded later waits for the wrap.

    Members:
        ahead: The Timebase's ``ahead``.
        load, value: With ``load`` high, ``value`` is the target from the next tick on; the pipeline
            drops its state about the previous target.
        clear: Drops the target and the pipeline's state, including ``hit`` of the next tick.
            ``load`` wins over ``clear``.
        target, valid: Registers: the tick waited for, and whether it is set. ``valid`` falls in the
            tick that equals the target.
        hit: Register: high for one tick, ``target - 1``.
    """

    ahead: In(64)
    load: In(1)
    value: In(64)
    clear: In(1)
    target: Out(64)
    valid: Out(1)
    hit: Out(1)

    def elaborate(self, platform):
        m = Module()
        equal = Signal(SLICES)
        m.d.sync += self.hit.eq(equal.all() & self.valid)
        with m.If(self.valid):
            m.d.sync += [
                equal[i].eq(
                    self.ahead.word_select(i, SLICE_BITS) == self.target.word_select(i, SLICE_BITS)
                )
                for i in range(SLICES)
            ]
        with m.If(self.hit):
            m.d.sync += self.valid.eq(0)
        with m.If(self.load | self.clear):
            m.d.sync += [equal.eq(0), self.hit.eq(0), self.valid.eq(self.load)]
        with m.If(self.load):
            m.d.sync += self.target.eq(self.value)
        return m
