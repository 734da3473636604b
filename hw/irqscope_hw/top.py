"""The instrument: everything behind the pins."""

from amaranth.hdl import Array, Cat, ClockDomain, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from . import constants, regmap
from .control import Control
from .emio_port import EmioPort
from .event_recorder import EventRecorder
from .events import EventAlignment
from .latency_channel import LatencyChannel
from .marker_capture import MarkerCapture
from .pattern_generator import PatternGenerator
from .register_file import RegisterFile
from .registers import groups
from .routing import Routing
from .timebase import Timebase


def identity(register: str, field: str) -> int:
    """A constant that software reads, from the register source."""
    return regmap.IRQSCOPE[register].field(field).reset


class Top(wiring.Component):
    """Gateware of irqscope, one clock (250 MHz), synchronous reset.

    The clock domain has no reset. ``rst`` is an input like any other, and reaches what has to be
    known when it ends: Timebase, Control, the crossings and the configuration. Everything else is
    brought into a known state by the clear that follows a reset. Reset and clear pass from
    component to component, a tick each: so each has a register of its own that nothing else loads,
    and no tool may merge two of them.

    Parameters
    ----------
    build_hash
        What the register of that name reads.
    initial_tick
        Number of the first tick after reset.
    bins_log2, depth_log2
        Smaller memories than the register source states, for simulations that are to be short.

    Members
    -------
    clk
        The one clock.
    rst
        Reset, for at least 8 ticks. Registers begin as if it had been high.
    emio_o3, emio_o4, emio_i3, emio_i4
        EMIO GPIO banks 3 and 4, from and to the processor; the bits stand in the register source,
        address map ``emio``. Inputs are asynchronous.
    pl_ps_irq0, pl_ps_irq1, pl_ps_apugic_irq, pmod, stm_event
        Registers: lines as routed; an edge of tick T changes them in T.
    source_id, source_hash, tick_hz
        What drives this gateware, and the rate of its clock; read as registers. Constants.
    skip, skip_to
        See :class:`~.timebase.Timebase`. 0 on the board.
    now
        Register: this tick.
    quiet
        Nothing is under way: if it is high and no valid target lies in
        [now, skip_to + LEAD - 1], then skipping changes no edge, stamp, count or record.
        Combinational from registers and ``emio_o3``, and so of this tick.
    target_0 to target_15, target_valid
        Registers: ticks waited for, of lines 0 to 7 and channels 0 to 7.
    """

    def __init__(
        self,
        *,
        build_hash: int = 0,
        initial_tick: int = 0,
        bins_log2: int | None = None,
        depth_log2: int | None = None,
    ):
        self._build_hash = build_hash
        self._initial_tick = initial_tick
        self._lines = identity("geometry", "lines")
        self._channels = identity("geometry", "channels")
        self._cores = identity("geometry", "cores")
        self._bins_log2 = bins_log2 or identity("sizes", "hist_bins_log2")
        self._depth_log2 = depth_log2 or identity("sizes", "fifo_depth_log2")
        for stated, built in (
            (identity("geometry", "lead"), constants.LEAD),
            (identity("sizes", "marker_delay"), constants.MARKER_DELAY),
            (identity("sizes", "shortest_phase"), constants.SHORTEST_PHASE),
            (self._lines, groups()["lines"]),
            (self._channels, groups()["channels"]),
            (
                identity("sizes", "hist_bins_log2"),
                regmap.IRQSCOPE.memories[0].words.bit_length() - 1,
            ),
        ):
            if stated != built:
                raise ValueError(f"the register source states {stated} where {built} is built")
        targets = self._lines + self._channels
        super().__init__(
            {
                "clk": In(1),
                "rst": In(1),
                "emio_o3": In(32),
                "emio_o4": In(32),
                "emio_i3": Out(32),
                "emio_i4": Out(32),
                "pl_ps_irq0": Out(8),
                "pl_ps_irq1": Out(8),
                "pl_ps_apugic_irq": Out(4),
                "pmod": Out(8),
                "stm_event": Out(8),
                "source_id": In(32),
                "source_hash": In(32),
                "tick_hz": In(32, init=identity("tick_hz", "value")),
                "skip": In(1),
                "skip_to": In(64),
                "now": Out(64),
                "quiet": Out(1),
                "target_valid": Out(targets),
                **{f"target_{i}": Out(64) for i in range(targets)},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        domain.clk = self.clk
        m.submodules.timebase = timebase = Timebase(initial=self._initial_tick)
        m.submodules.port = port = EmioPort()
        m.submodules.registers = registers = RegisterFile()
        m.submodules.control = control = Control(
            lines=self._lines, channels=self._channels, bins_log2=self._bins_log2
        )
        m.submodules.capture = capture = MarkerCapture(cores=self._cores)
        m.submodules.pattern = pattern = PatternGenerator(lines=self._lines, cores=self._cores)
        m.submodules.alignment = alignment = EventAlignment(lines=self._lines, cores=self._cores)
        channels = [
            LatencyChannel(lines=self._lines, cores=self._cores, bins_log2=self._bins_log2)
            for _ in range(self._channels)
        ]
        for index, channel in enumerate(channels):
            m.submodules[f"channel_{index}"] = channel
        m.submodules.recorder = recorder = EventRecorder(
            lines=self._lines,
            cores=self._cores,
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
        reset = Signal(init=1)
        m.d.sync += reset.eq(self.rst)
        for component in (registers, control, port, capture):
            m.d.comb += component.reset.eq(reset)
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

        # ---- pins of the EMIO port ---------------------------------------------------------
        def pins(register, value):
            """The fields of a register of the map ``emio`` as slices of ``value``."""
            return {
                field.name: value[field.lsb : field.lsb + field.width]
                for field in regmap.EMIO[register].fields
            }

        request = pins("bank3_out", self.emio_o3)
        m.d.comb += [
            port.request.eq(request["request"]),
            port.address.eq(request["address"]),
            port.write.eq(request["write"]),
            port.write_data.eq(self.emio_o4),
            capture.nibbles.as_value().eq(request["markers"]),
            self.emio_i4.eq(port.read_data),
        ]
        errors = Signal()
        m.d.sync += errors.eq(
            Cat(
                root.errors_line_refused,
                root.errors_channel_refused,
                root.errors_start_in_past,
                root.errors_write_while_armed,
                root.errors_command_refused,
                root.errors_bad_address,
            ).any()
        )
        reply = {
            "acknowledge": port.acknowledge,
            "echo": capture.toggles,
            "levels": routing.levels_at_pins,
            "fifo_some": recorder.some,
            "fifo_high": recorder.high,
            "fifo_overflow": recorder.overflow,
            "error": errors,
            "armed": control.armed,
            "finished": control.finished,
        }
        m.d.comb += [pin.eq(reply[name]) for name, pin in pins("bank3_in", self.emio_i3).items()]

        # ---- registers of no component -----------------------------------------------------
        wiring.connect(m, port.bus, registers.bus)
        m.d.comb += [
            registers.armed.eq(control.armed),
            root.build_hash_value.eq(self._build_hash),
            root.tick_hz_value.eq(self.tick_hz),
            Cat(
                getattr(root, f"source_{field.name}") for field in regmap.IRQSCOPE["source"].fields
            ).eq(self.source_id),
            root.source_hash_value.eq(self.source_hash),
            root.now_value.eq(timebase.now),
            root.status_armed.eq(control.armed),
            root.status_finished.eq(control.finished),
            root.status_clearing.eq(control.busy),
            root.status_core_seen.eq(capture.seen),
            root.errors_line_refused_set.eq(control.line_errors),
            root.errors_channel_refused_set.eq(control.channel_errors),
            root.errors_start_in_past_set.eq(control.start_error),
            root.errors_command_refused_set.eq(control.command_error),
            root.errors_write_while_armed_set.eq(registers.write_while_armed),
            root.errors_bad_address_set.eq(registers.bad_address),
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
            control.pending.eq(Cat(channel.registers.pending_value for channel in channels)),
        ]

        # ---- what happens ------------------------------------------------------------------
        m.d.comb += [
            capture.loopback.eq(root.capture_loopback),
            capture.level.eq(routing.levels_at_pins[0]),
            pattern.ahead.eq(timebase.line_ahead),
            pattern.now.eq(timebase.line_now),
            pattern.start_tick.eq(root.start_tick_value),
            pattern.go.eq(control.go),
            pattern.stop.eq(control.stop),
            pattern.markers.eq(capture.markers),
            pattern.codes.eq(capture.codes),
            alignment.rose.eq(pattern.rose),
            alignment.fell.eq(pattern.fell),
            alignment.markers.eq(capture.markers),
            alignment.codes.eq(capture.codes),
            routing.levels.eq(pattern.levels),
            routing.finished.eq(control.finished),
            routing.finished_spi.eq(root.finished_route_spi),
            self.pl_ps_irq0.eq(routing.irq0),
            self.pl_ps_irq1.eq(routing.irq1),
            self.pl_ps_apugic_irq.eq(routing.apugic_irq),
            self.pmod.eq(routing.pmod),
            self.stm_event.eq(routing.stm_event),
        ]
        for index in range(self._lines):
            line = registers.lines[index]
            wiring.connect(m, line, pattern.registers[index])
            m.d.comb += [
                routing.routes[index].spi.eq(line.route_spi),
                routing.routes[index].ppi.eq(line.route_ppi),
                routing.routes[index].pmod.eq(line.route_pmod),
                routing.routes[index].stm.eq(line.route_stm),
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

        selected = root.hist_select_channel
        window_data = Signal(regmap.WORD_BITS)
        window_done = Signal()
        for index, channel in enumerate(channels):
            connect_events(channel)
            wiring.connect(m, registers.channels[index], channel.registers)
            m.d.comb += [
                channel.ahead.eq(timebase.ahead),
                channel.read.eq(registers.window_read & ~window_done & (selected == index)),
                channel.read_bin.eq(registers.window_address),
                recorder.served[index].eq(channel.served),
                recorder.timed_out[index].eq(channel.timed_out),
                recorder.latencies[index].eq(channel.latency),
            ]
        connect_events(recorder)
        wiring.connect(m, registers.recorder, recorder.registers)
        m.d.sync += [
            window_data.eq(Array(channel.read_data for channel in channels)[selected]),
            window_done.eq(Array(channel.read_done for channel in channels)[selected]),
        ]
        m.d.comb += [
            registers.window_data.eq(window_data),
            registers.window_done.eq(window_done),
        ]

        # ---- the twin's window on time -----------------------------------------------------
        parts = [port, registers, control, capture, pattern, alignment, *channels, recorder]
        m.d.comb += [
            self.quiet.eq(Cat(part.quiet for part in [*parts, routing]).all()),
            self.target_valid.eq(
                Cat(pattern.targets_valid, *(channel.target_valid for channel in channels))
            ),
        ]
        targets = [*pattern.targets, *(channel.target for channel in channels)]
        m.d.comb += [
            getattr(self, f"target_{index}").eq(target) for index, target in enumerate(targets)
        ]
        return m
