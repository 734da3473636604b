"""Arm, disarm and clear."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .constants import ARM_AHEAD, COMPARE_DELAY, COUNTERS_DELAY


class Control(wiring.Component):
    """Decides whether a command is carried out.

    An arm command in tick c is checked in c + 1 to c + 3; if nothing is refused, ``go`` is high
    in c + 4 and ``armed`` from then on. A disarm command in tick c gives ``stop`` in c + 1, from
    which on ``armed`` is low. A clear command in tick c starts ``clearing`` in c + 1, for
    ``2^bins_log2`` ticks; so does reset, since block RAM outlives it. ``clearing`` passes from
    component to component, a tick each, and comes back as ``clearing_elsewhere``. If commands come
    in one tick, only a disarm among them is carried out.

    Members:
        reset: While high, nothing is armed and a clear begins.
        ahead: The Timebase's.
        arm, disarm, clear: Command pulses.
        start_tick: Tick of the common start; refused if less than ARM_AHEAD ticks after the arm
            command.
        lines_refused, channels_refused: Enabled lines and channels whose settings cannot be carried
            out.
        lines_done, pending: Whether the pattern has ended; channels with an open stimulus.
        clearing_elsewhere: Some component is still being cleared.
        armed, go, stop, clearing: Registers.
        busy: A clear is in progress, here or elsewhere.
        finished: Register: armed, lines done for COUNTERS_DELAY ticks, no stimulus open. So it
            covers every stimulus that was stamped before the lines' end.
        line_errors, channel_errors, start_error, command_error: Registers: high for one tick, c + 1
            (command) or c + 4, for what was refused.
        quiet: No command or clear is in progress and ``finished`` is up to date.
    """

    def __init__(self, *, lines: int = 8, channels: int = 8, bins_log2: int = 12):
        self._bins_log2 = bins_log2
        super().__init__(
            {
                "reset": In(1),
                "ahead": In(64),
                "arm": In(1),
                "disarm": In(1),
                "clear": In(1),
                "start_tick": In(64),
                "lines_refused": In(lines),
                "channels_refused": In(channels),
                "lines_done": In(1),
                "pending": In(channels),
                "clearing_elsewhere": In(1),
                "armed": Out(1),
                "go": Out(1),
                "stop": Out(1),
                "clearing": Out(1, init=1),
                "busy": Out(1),
                "finished": Out(1),
                "line_errors": Out(lines),
                "channel_errors": Out(channels),
                "start_error": Out(1),
                "command_error": Out(1),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        check = Signal(3)
        earliest = Signal(64)
        late = Signal()
        refused = Signal()
        idle = Signal()
        complete = Signal()
        several = Signal()
        ended = Signal(COUNTERS_DELAY)  # ``lines_done`` of the ticks before
        left = Signal(self._bins_log2, init=(1 << self._bins_log2) - 1)
        m.d.comb += [
            self.busy.eq(self.clearing | self.clearing_elsewhere),
            idle.eq(~(self.armed | self.busy | check.any())),
            refused.eq(late | self.lines_refused.any() | self.channels_refused.any()),
            several.eq((self.arm & self.clear) | (self.disarm & (self.arm | self.clear))),
            complete.eq(
                self.armed & ~self.go & self.lines_done & ended.all() & ~self.pending.any()
            ),
        ]
        m.d.sync += [
            self.go.eq(0),
            self.stop.eq(0),
            self.finished.eq(complete),
            self.line_errors.eq(0),
            self.channel_errors.eq(0),
            self.start_error.eq(0),
            self.command_error.eq(several | ((self.arm | self.clear) & ~idle)),
            check.eq(Cat(self.arm & idle & ~several, check[:-1])),
            ended.eq(Cat(self.lines_done, ended[:-1])),
        ]
        with m.If(check[0]):
            m.d.sync += earliest.eq(self.ahead + (ARM_AHEAD - COMPARE_DELAY - 1))
        with m.If(check[1]):
            m.d.sync += late.eq(self.start_tick < earliest)
        with m.If(check[2]):
            m.d.sync += [
                self.line_errors.eq(self.lines_refused),
                self.channel_errors.eq(self.channels_refused),
                self.start_error.eq(late),
                self.go.eq(~refused),
                self.armed.eq(~refused),
            ]
        with m.If(self.disarm):
            m.d.sync += [self.go.eq(0), self.stop.eq(1), self.armed.eq(0), check.eq(0)]

        with m.If(self.clear & idle & ~several):
            m.d.sync += self.clearing.eq(1)
        with m.If(self.clearing):
            m.d.sync += [left.eq(left - 1), self.clearing.eq(left != 0)]
        with m.If(self.reset):
            m.d.sync += [
                self.go.eq(0),
                self.armed.eq(0),
                check.eq(0),
                self.clearing.eq(1),
                left.eq(left.init),
            ]

        m.d.comb += self.quiet.eq(
            ~(self.arm | self.disarm | self.clear | check.any())
            & ~(self.go | self.stop | self.busy | self.start_error | self.command_error)
            & ~(self.line_errors.any() | self.channel_errors.any())
            & (self.finished == complete)
            & Mux(self.lines_done, ended.all(), ~ended.any())
        )
        return m
