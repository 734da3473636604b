"""Starts a line after a marker, each time a little later."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .constants import CODE_BITS, SHORTEST_PLACEMENT
from .registers import group_signature


class Placement(wiring.Component):
    """Starts one line at each marker (core, code); its start delay counts from ``start_tick``.

    Let an accepted marker have stamp s. ``line_go`` is high in s + 4. In the two ticks after it
    ``counting`` is high and ``start_tick`` is s + delay. The delay begins as ``first`` and grows by
    ``step`` after each accepted marker; a delay above ``last`` is ``first`` again. ``go`` sets it
    to ``first``, and allows ``count`` markers.

    A marker is accepted while the line is done and no accepted one is under way. Every other marker
    that matches while armed counts as ignored, and does not move the delay.

    Members:
        stamp: The Timebase's: events presented in a tick have the stamp of the next tick.
        registers: The group ``placement``; configuration may change while not armed only.
        armed: As Control says.
        go: Control's, high for one tick: begin, if enabled.
        stop: High for one tick: nothing is accepted from the tick after it on, nothing is under
            way.
        clear: While high, the counters are zero; ends all as ``stop`` does. There is no reset.
        markers, codes: Markers as a capture front end presents them.
        line_done: The placed line is done.
        line_go: Register: high for one tick, the line's ``go``.
        start_tick, counting: The tick that the placed line counts from, a register; high while it
            does.
        waiting: Register: placements are left. Falls no earlier than the last ``line_go``.
        refused: Register, a tick after the configuration: it cannot be carried out.
        quiet: No marker is under way in here.
    """

    def __init__(self, *, cores: int = 4):
        self._cores = cores
        super().__init__(
            {
                "stamp": In(64),
                "registers": In(group_signature("placement")),
                "armed": In(1),
                "go": In(1),
                "stop": In(1),
                "clear": In(1),
                "markers": In(cores),
                "codes": In(data.ArrayLayout(CODE_BITS, cores)),
                "line_done": In(1),
                "line_go": Out(1),
                "start_tick": Out(64),
                "counting": Out(1),
                "waiting": Out(1),
                "refused": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        regs = self.registers
        m.d.sync += self.refused.eq(
            (regs.first_ticks < SHORTEST_PLACEMENT)
            | (regs.last_ticks < regs.first_ticks)
            | (regs.count_value == 0)
        )

        # ---- s + 2: presented; s + 3: matched ------------------------------------------------
        matched = Signal()
        m.d.sync += matched.eq(
            regs.config_enable
            & self.armed
            & Cat(
                self.markers[i] & regs.config_cores[i] & (self.codes[i] == regs.config_code)
                for i in range(self._cores)
            ).any()
        )

        # ---- s + 3: accepted; s + 4: the line goes; s + 5: it knows from when on ---------------
        remaining = Signal(32)
        left = Signal()
        delay = Signal(32)
        base = Signal(64)
        accept = Signal()
        stage = Signal(3)  # after an accepted marker
        m.d.comb += [
            accept.eq(matched & self.waiting & left & self.line_done & ~stage.any()),
            self.line_go.eq(stage[0]),
            self.counting.eq(stage[1] | stage[2]),
            self.quiet.eq(~(matched | stage.any() | (self.waiting ^ left))),
        ]
        m.d.sync += [
            left.eq(remaining != 0),
            stage.eq(Cat(accept, stage[:-1])),
            self.waiting.eq(self.waiting & (left | stage.any())),
        ]
        with m.If(accept):
            m.d.sync += [base.eq(self.stamp), remaining.eq(remaining - 1)]
        with m.If(stage[0]):
            m.d.sync += self.start_tick.eq(base + delay)

        # ---- the next delay, long before it is wanted ------------------------------------------
        longer = Signal(33)
        with m.If(stage[1]):
            m.d.sync += longer.eq(delay + regs.step_ticks)
        with m.If(stage[2]):
            m.d.sync += delay.eq(longer)
            with m.If(longer > regs.last_ticks):
                m.d.sync += delay.eq(regs.first_ticks)

        with m.If(self.go & regs.config_enable):
            m.d.sync += [
                delay.eq(regs.first_ticks),
                remaining.eq(regs.count_value),
                left.eq(1),
                self.waiting.eq(1),
            ]
        with m.If(self.stop | self.clear):
            m.d.sync += [stage.eq(0), left.eq(0), remaining.eq(0), self.waiting.eq(0)]

        with m.If(matched):
            with m.If(accept):
                m.d.sync += regs.accepted_value.eq(regs.accepted_value + 1)
            with m.Else():
                m.d.sync += regs.ignored_value.eq(regs.ignored_value + 1)
        with m.If(self.clear):
            m.d.sync += [regs.accepted_value.eq(0), regs.ignored_value.eq(0)]
        return m
