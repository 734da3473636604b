"""The instrument: all that is the same on every machine. A shell connects it to one."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from . import constants, regmap
from .control import Control
from .event_recorder import EventRecorder
from .events import EventAlignment, MarkerSignature
from .latency_channel import LatencyChannel
from .pattern_generator import PatternGenerator
from .pin_front_end import FILTER_BITS, setting
from .register_bus import RegisterBus
from .register_file import RegisterFile
from .registers import groups
from .routing import PINS, Routing
from .timebase import Timebase


def identity(register: str, field: str) -> int:
    """A constant that software reads, from the register source."""
    return regmap.IRQSCOPE[register].field(field).reset


LINES = identity("geometry", "lines")
CHANNELS = identity("geometry", "channels")
CORES = identity("geometry", "cores")
_TARGETS = LINES + CHANNELS
#: Pins that have a register.
PIN_REGISTERS = 8


def surroundings() -> dict[str, wiring.Member]:
    """Members that a shell passes on as they are: who drives it, and a simulation's hold on time.

    source_id, source_hash, tick_hz
        What drives this gateware, and the rate of its clock; read as registers. Constants.
    skip, skip_to
        See :class:`~.timebase.Timebase`. 0 on a board.
    now
        Register: this tick.
    target_0 to target_15, target_valid
        Registers: ticks waited for, of lines 0 to 7 and channels 0 to 7.
    """
    return {
        "source_id": In(32),
        "source_hash": In(32),
        "tick_hz": In(32, init=identity("tick_hz", "value")),
        "skip": In(1),
        "skip_to": In(64),
        "now": Out(64),
        "target_valid": Out(_TARGETS),
        **{f"target_{i}": Out(64) for i in range(_TARGETS)},
    }


class Instrument(wiring.Component):
    """Pattern, channels, recorder and registers, in one clock domain without a reset.

    ``rst`` is an input like any other, and reaches what has to be known when it ends: Timebase,
    Control, the configuration, and by ``reset`` the port and the front end. Everything else is
    brought into a known state by the clear that follows a reset. Reset and clear pass from
    component to component, a tick each: so each has its own register with no other load, and no
    tool may merge two of them.

    Latency: an access takes ACCESS_DELAY (12) ticks from ``bus.request`` to ``bus.done``; an access
    to the histogram window takes longer while the channel's RAM is busy. A line's edge is at the
    outputs OUTPUT_DELAY (2) ticks after the line's register, and has the tick in which the output
    changes for its stamp.

    Args:
        marker_delay: Ticks from the first flip-flop that samples a marker to its stamp, of the
            shell's front.
        pins: Inputs of the shell whose edges can be markers.
        build_hash: Value of the register of that name.
        initial_tick: Number of the first tick after reset.
        bins_log2, depth_log2, lines, channels: Smaller memories, and fewer lines and channels, than
            the register source states: for short simulations, and for a shell that reports its
            size. Omitted parts have no registers, and their bits never change.

    Members:
        rst: Reset, for at least 8 ticks. Registers begin as if it had been high.
        reset: Register: the same for port and front end.
        bus: From a port.
        front: From a capture front end.
        loopback: The front end is to take its first input from ``levels[0]``.
        pin_cores, pin_settings: For a shell with pins: cores whose markers are to come from them,
            and of each pin :func:`~.pin_front_end.setting`.
        pin_levels, pin_collided: From the front end of such a shell.
        levels: Registers: the lines as a pin to which each were routed would show them.
        shared, private, pmod, trace: Registers: lines as routed, to interrupts that any core takes,
            to one of each core, to pins, to a trace unit; an edge of tick T changes them in T.
        armed, finished, error, fifo_some, fifo_high, fifo_overflow: Registers, of status, errors
            and recorder, for ports that show them without an access.
        quiet: No internal activity: if it is high, and so are port's and front end's, and no valid
            target lies in [now, skip_to + LEAD - 1], then skipping changes no edge, stamp, count or
            record. Combinational.

    :func:`surroundings` has the others.
    """

    def __init__(
        self,
        *,
        marker_delay: int,
        pins: int = 0,
        build_hash: int = 0,
        initial_tick: int = 0,
        bins_log2: int | None = None,
        depth_log2: int | None = None,
        lines: int = LINES,
        channels: int = CHANNELS,
    ):
        self._marker_delay = marker_delay
        self._pins = pins
        self._build_hash = build_hash
        self._initial_tick = initial_tick
        self._bins_log2 = bins_log2 or identity("sizes", "hist_bins_log2")
        self._depth_log2 = depth_log2 or identity("sizes", "fifo_depth_log2")
        self._lines = lines
        self._channels = channels
        for stated, built in (
            (identity("geometry", "lead"), constants.LEAD),
            (identity("sizes", "shortest_phase"), constants.SHORTEST_PHASE),
            (LINES, groups()["lines"]),
            (CHANNELS, groups()["channels"]),
            (
                identity("sizes", "hist_bins_log2"),
                regmap.IRQSCOPE.memories[0].words.bit_length() - 1,
            ),
        ):
            if stated != built:
                raise ValueError(f"the register source states {stated} where {built} is built")
        super().__init__(
            {
                "rst": In(1),
                "reset": Out(1, init=1),
                "bus": In(RegisterBus()),
                "front_end": In(MarkerSignature(CORES)),
                "loopback": Out(1),
                "pin_cores": Out(CORES),
                "pin_settings": Out(data.ArrayLayout(setting(CORES, FILTER_BITS), PIN_REGISTERS)),
                "pin_levels": In(PIN_REGISTERS),
                "pin_collided": In(1),
                "levels": Out(LINES),
                **{pin: Out(width) for pin, width in PINS.items()},
                "armed": Out(1),
                "finished": Out(1),
                "error": Out(1),
                "fifo_some": Out(1),
                "fifo_high": Out(1),
                "fifo_overflow": Out(1),
                "quiet": Out(1),
                **surroundings(),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.timebase = timebase = Timebase(initial=self._initial_tick)
        m.submodules.registers = registers = RegisterFile(
            lines=self._lines, channels=self._channels
        )
        m.submodules.control = control = Control(
            lines=self._lines, channels=self._channels, bins_log2=self._bins_log2
        )
        m.submodules.pattern = pattern = PatternGenerator(lines=self._lines, cores=CORES)
        m.submodules.alignment = alignment = EventAlignment(lines=self._lines, cores=CORES)
        channels = [
            LatencyChannel(lines=self._lines, cores=CORES, bins_log2=self._bins_log2)
            for _ in range(self._channels)
        ]
        for index, channel in enumerate(channels):
            m.submodules[f"channel_{index}"] = channel
        m.submodules.recorder = recorder = EventRecorder(
            lines=self._lines,
            cores=CORES,
            channels=self._channels,
            depth_log2=self._depth_log2,
        )
        m.submodules.routing = routing = Routing(lines=self._lines)
        root = registers.root

        # ---- time --------------------------------------------------------------------------
        m.d.comb += [
            timebase.reset.eq(self.rst),
            timebase.skip.eq(self.skip),
            timebase.skip_to.eq(self.skip_to),
            self.now.eq(timebase.now),
        ]

        # ---- reset and clear, from component to component ------------------------------------
        m.d.sync += self.reset.eq(self.rst)
        for component in (registers, control):
            m.d.comb += component.reset.eq(self.reset)
        cleared = [*channels, recorder]
        clear = Signal(len(cleared), init=(1 << len(cleared)) - 1)
        elsewhere = Signal(init=1)
        m.d.sync += [
            clear.eq(Cat(pattern.clear_out, clear[:-1])),
            elsewhere.eq(pattern.clearing | clear.any()),
        ]
        m.d.comb += [
            pattern.clear_in.eq(control.clearing),
            control.clearing_elsewhere.eq(elsewhere),
            *(component.clear.eq(clear[index]) for index, component in enumerate(cleared)),
        ]

        # ---- what ports show without an access -----------------------------------------------
        error_now = Signal()
        told = Signal()
        m.d.sync += self.error.eq(error_now)
        m.d.comb += [
            error_now.eq(
                Cat(
                    root.errors_line_refused,
                    root.errors_channel_refused,
                    root.errors_start_in_past,
                    root.errors_write_while_armed,
                    root.errors_command_refused,
                    root.errors_bad_address,
                    root.errors_marker_collided,
                ).any()
            ),
            told.eq(self.error == error_now),
            self.levels.eq(routing.levels_at_pins),
            self.fifo_some.eq(recorder.some),
            self.fifo_high.eq(recorder.high),
            self.fifo_overflow.eq(recorder.overflow),
            self.armed.eq(control.armed),
            self.finished.eq(control.finished),
        ]

        # ---- registers of no component -----------------------------------------------------
        wiring.connect(m, wiring.flipped(self.bus), registers.bus)
        m.d.comb += [
            registers.armed.eq(control.armed),
            root.build_hash_value.eq(self._build_hash),
            root.version_pins.eq(self._pins),
            root.tick_hz_value.eq(self.tick_hz),
            root.sizes_marker_delay.eq(self._marker_delay),
            Cat(
                getattr(root, f"source_{field.name}") for field in regmap.IRQSCOPE["source"].fields
            ).eq(self.source_id),
            root.source_hash_value.eq(self.source_hash),
            root.now_value.eq(timebase.now),
            root.status_armed.eq(control.armed),
            root.status_finished.eq(control.finished),
            root.status_clearing.eq(control.busy),
            root.status_core_seen.eq(self.front_end.seen),
            root.errors_line_refused_set.eq(control.line_errors),
            root.errors_channel_refused_set.eq(control.channel_errors),
            root.errors_start_in_past_set.eq(control.start_error),
            root.errors_command_refused_set.eq(control.command_error),
            root.errors_write_while_armed_set.eq(registers.write_while_armed),
            root.errors_bad_address_set.eq(registers.bad_address),
            root.errors_marker_collided_set.eq(self.pin_collided),
            registers.pins.levels_value.eq(self.pin_levels),
            self.pin_cores.eq(root.capture_pin_cores),
            *(
                getattr(self.pin_settings[index], name).eq(
                    getattr(registers.pins, f"pin{index}_{name}")
                )
                for index in range(PIN_REGISTERS)
                for name in self.pin_settings[index].shape().members
            ),
        ]

        # ---- control -----------------------------------------------------------------------
        m.d.comb += [
            control.ahead.eq(timebase.ahead),
            control.arm.eq(root.command_arm),
            control.disarm.eq(root.command_disarm),
            control.clear.eq(root.command_clear),
            control.start_tick.eq(root.start_tick_value),
            control.lines_refused.eq(pattern.refused),
            control.channels_refused.eq(
                Cat(channel.refused & channel.registers.config_enable for channel in channels)
            ),
            control.lines_done.eq(pattern.done),
            control.pending.eq(
                Cat(
                    channel.registers.pending_value & channel.registers.config_enable
                    for channel in channels
                )
            ),
        ]

        # ---- what happens ------------------------------------------------------------------
        m.d.comb += [
            self.loopback.eq(root.capture_loopback),
            pattern.ahead.eq(timebase.line_ahead),
            pattern.now.eq(timebase.line_now),
            pattern.stamp.eq(timebase.stamp),
            pattern.armed.eq(control.armed),
            pattern.start_tick.eq(root.start_tick_value),
            pattern.go.eq(control.go),
            pattern.stop.eq(control.stop),
            pattern.markers.eq(alignment.events.markers),
            pattern.codes.eq(alignment.events.codes),
            alignment.rose.eq(pattern.rose),
            alignment.fell.eq(pattern.fell),
            alignment.markers.eq(self.front_end.markers),
            alignment.codes.eq(self.front_end.codes),
            routing.levels.eq(pattern.levels),
            routing.finished.eq(control.finished),
            routing.finished_shared.eq(root.finished_route_spi),
            *(getattr(self, pin).eq(getattr(routing, pin)) for pin in PINS),
        ]
        wiring.connect(m, registers.placement, pattern.placement)
        for index in range(self._lines):
            line = registers.lines[index]
            wiring.connect(m, line, pattern.registers[index])
            m.d.comb += [
                routing.routes[index].shared.eq(line.route_spi),
                routing.routes[index].private.eq(line.route_ppi),
                routing.routes[index].pmod.eq(line.route_pmod),
                routing.routes[index].trace.eq(line.route_stm),
            ]

        # ---- what it means -----------------------------------------------------------------
        def connect_events(component):
            m.d.comb += [
                component.stamp.eq(timebase.stamp),
                component.armed.eq(control.armed),
                component.events.rises.eq(alignment.events.rises),
                component.events.falls.eq(alignment.events.falls),
                component.events.markers.eq(alignment.events.markers),
                component.events.codes.eq(alignment.events.codes),
            ]

        selected = Signal(self._channels)
        m.d.sync += selected.eq(1 << root.hist_select_channel)
        window_data = Signal(regmap.WORD_BITS)
        window_done = Signal()
        for index, channel in enumerate(channels):
            connect_events(channel)
            wiring.connect(m, registers.channels[index], channel.registers)
            m.d.comb += [
                channel.ahead.eq(timebase.ahead),
                channel.read.eq(registers.window_read & ~window_done & selected[index]),
                channel.read_bin.eq(registers.window_address),
                recorder.served[index].eq(channel.served),
                recorder.timed_out[index].eq(channel.timed_out),
                recorder.latencies[index].eq(channel.latency),
            ]
        connect_events(recorder)
        wiring.connect(m, registers.recorder, recorder.registers)
        m.d.sync += [
            window_data.eq(reduce(or_, (channel.read_data for channel in channels))),
            window_done.eq(Cat(channel.read_done for channel in channels).any()),
        ]
        m.d.comb += [
            registers.window_data.eq(window_data),
            registers.window_done.eq(window_done),
        ]

        # ---- a simulation's hold on time -----------------------------------------------------
        parts = [registers, control, pattern, alignment, *channels, recorder]
        m.d.comb += [
            self.quiet.eq(Cat(*(part.quiet for part in [*parts, routing]), told).all()),
            self.target_valid.eq(
                Cat(
                    pattern.targets_valid,
                    *([Const(0, absent)] if (absent := LINES - self._lines) else []),
                    *(channel.target_valid for channel in channels),
                )
            ),
        ]
        places = [*range(self._lines), *range(LINES, LINES + self._channels)]
        targets = [*pattern.targets, *(channel.target for channel in channels)]
        m.d.comb += [
            getattr(self, f"target_{place}").eq(target)
            for place, target in zip(places, targets, strict=True)
        ]
        return m
