"""Stand-ins for parts of the instrument, for proofs about the logic between them.

The solver chooses each part's registers freely, except for two properties that are proven of the
real part. They keep their values over a tick in which the part is quiet and ``calm``: its inputs
are as its own stillness theorem requires. And ``facts`` hold whenever it is quiet; the theorem
``Facts`` of test_instrument shows these of the real parts. ``quiet`` means here quiet with no valid
target near, the condition of the parts' theorems.
"""

from __future__ import annotations

from amaranth.asserts import AnySeq
from amaranth.hdl import Assume, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import Component, In, Out

from irqscope_hw import (
    event_recorder,
    latency_channel,
    line,
    placement,
    register_file,
    regmap,
    timebase,
)
from irqscope_hw.register_file import ACCESS_DELAY

from .contract import past

#: Ticks after a reset in which an access from before it may still pass the links of the register
#: file, and in which none begins.
RESET_TICKS = ACCESS_DELAY + 2
#: Ticks for which the configuration has not changed when the register file is quiet.
HELD = 2


def ports(component: Component, flow) -> dict[tuple, Value]:
    """The component's inputs or outputs, by path."""
    return {
        path: Value.cast(port)
        for path, member, port in component.signature.flatten(component)
        if member.flow == flow
    }


class Part:
    """Behaviour of all stand-ins; a mix-in for the real component, whose interface they share."""

    def elaborate(self, platform):
        m = Module()
        self.calm = Signal()
        own = self.drive(m)
        m.d.comb += self.calm.eq(self.is_calm(m))
        for path, port in ports(self, Out).items():
            if path == ("quiet",):
                m.d.comb += port.eq(AnySeq(1) & self.facts(m))
            elif path not in own:
                kept = self.quiet & self.calm
                m.d.sync += port.eq(Mux(kept, port, AnySeq(len(port))))
        return m

    def is_calm(self, m):
        """The inputs as the part's stillness theorem asks."""
        return Const(1)

    def facts(self, m):
        """Facts that hold whenever the part is quiet."""
        return Const(1)

    def drive(self, m):
        """Drives outputs that follow a rule of their own, and gives their paths."""
        return ()


class Timebase(Part, timebase.Timebase):
    """Any time: nobody else may depend on it while quiet."""

    def drive(self, m):
        for port in ports(self, Out).values():
            m.d.comb += port.eq(AnySeq(64))
        return ports(self, Out)


class Line(Part, line.Line):
    def is_calm(self, m):
        return ~(self.go | self.stop | self.clear | self.markers.any())

    def facts(self, m):
        ended = past(m, self.stop | self.clear, "ending")
        return ~(self.rose | self.fell | ended)


class Placement(Part, placement.Placement):
    def is_calm(self, m):
        return ~(self.go | self.stop | self.clear | self.markers.any())

    def facts(self, m):
        return ~(self.line_go | self.counting)


class LatencyChannel(Part, latency_channel.LatencyChannel):
    def is_calm(self, m):
        events = self.events
        return (
            ~(events.rises.any() | events.falls.any() | events.markers.any())
            & (self.armed == past(m, self.armed, "armed"))
            & ~(self.clear | self.read)
        )

    def facts(self, m):
        return ~(self.served | self.timed_out | self.read | self.read_done)

    def drive(self, m):
        # A read goes on as in the Histogram, whose update may put it off.
        self.reading, self.issued = Signal(), Signal()
        under_way = self.reading | self.issued | self.read_done
        m.d.sync += [
            self.reading.eq(self.read & ~under_way & AnySeq(1)),
            self.issued.eq(self.reading),
            self.read_done.eq(self.issued),
            self.read_data.eq(Mux(self.issued, AnySeq(32), 0)),
        ]
        return ("read_done",), ("read_data",)


class EventRecorder(Part, event_recorder.EventRecorder):
    def is_calm(self, m):
        events = self.events
        return ~(
            events.rises.any()
            | events.falls.any()
            | events.markers.any()
            | self.served.any()
            | self.timed_out.any()
            | self.clear
        )


def fields_that(kind: str) -> set[str]:
    """Names of the fields of which ``kind`` is true, as the file's groups have them."""
    return {
        f"{register.path.rpartition('.')[2]}_{field.name}"
        for register in regmap.IRQSCOPE.registers
        for field in register.fields
        if getattr(field, kind)
    }


def configuration(file: Component) -> dict[tuple, Value]:
    """Registers that only software changes, by path."""
    moving = fields_that("singlepulse") | fields_that("woclr")
    return {
        path: port
        for path, port in ports(file, Out).items()
        if len(path) > 1 and path[0] != "bus"
        if path[-1] not in moving and not path[-1].endswith("_written")
    }


def strobes(file: Component) -> Value:
    """Strobes of the register file, which are high for one tick."""
    pulses = fields_that("singlepulse")
    ticks = [
        port
        for path, port in ports(file, Out).items()
        if path[-1] in pulses or path[-1].endswith("_written")
    ]
    return Cat(*ticks, file.write_while_armed, file.bad_address)


class RegisterFile(Part, register_file.RegisterFile):
    def is_calm(self, m):
        sets = [port for path, port in ports(self, In).items() if path[-1].endswith("_set")]
        return ~(self.reset | self.bus.request | Cat(*sets).any() | self.window_done) & (
            self.since_reset == RESET_TICKS
        )

    def facts(self, m):
        return ~strobes(self).any() & ~self.window_read & (self.held >= HELD)

    def drive(self, m):
        self.since_reset = since = Signal(range(RESET_TICKS + 1))
        self.held = held = Signal(range(HELD + 1))
        m.d.sync += since.eq(Mux(self.reset, 0, since + (since != RESET_TICKS)))
        settled = since == RESET_TICKS
        change = Signal()
        m.d.comb += change.eq(AnySeq(1) & ~(settled & self.window_read))
        m.d.comb += Assume(~(self.quiet & self.calm) | ~change)
        m.d.sync += held.eq(Mux(change, 0, held + (held != HELD)))
        settings = configuration(self)
        for port in settings.values():
            m.d.sync += port.eq(Mux(change, AnySeq(len(port)), port))
        begins = settled & (held == HELD) & ~change & ~(self.quiet & self.calm) & AnySeq(1)
        m.d.sync += self.window_read.eq(
            Mux(self.window_read, ~self.window_done, begins) & ~self.reset
        )
        return (*settings, ("window_read",))


#: Modules that these stand in for, and where in the top the parts are.
MODULES = ("timebase", "line", "placement", "latency_channel", "event_recorder", "register_file")
PLACES = {
    "timebase.": "timebase",
    "registers.": "register_file",
    "pattern.placement.": "placement",
    **{f"pattern.line_{i}.": "line" for i in range(8)},
    **{f"channel_{i}.": "latency_channel" for i in range(8)},
    "recorder.": "event_recorder",
}
