"""Events of one tick, as presented to channels and recorder."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .constants import CODE_BITS, EVENT_DELAY, OUTPUT_DELAY

#: Ticks from a line's register to ``events``.
DELAY = OUTPUT_DELAY + EVENT_DELAY


class EventSignature(wiring.Signature):
    """All events of tick s together, presented in tick ``s + EVENT_DELAY``.

    ``rises`` and ``falls`` have one bit a line, ``markers`` one a core; ``codes[core]`` is defined
    where ``markers[core]`` is set. Each is high for one tick.
    """

    def __init__(self, lines: int, cores: int):
        super().__init__(
            {
                "rises": Out(lines),
                "falls": Out(lines),
                "markers": Out(cores),
                "codes": Out(data.ArrayLayout(CODE_BITS, cores)),
            }
        )


class MarkerSignature(wiring.Signature):
    """Output of a capture front end: all markers of tick s, in tick ``s + FRONT_END_DELAY``.

    A capture front end need not end in registers: EventAlignment has them, after the shell's
    selection of a front end. ``markers`` has one bit a core, high for one tick; ``codes[core]`` is
    defined where ``markers[core]`` is set. ``seen`` has one bit a core: it has sent a marker since
    reset.
    """

    def __init__(self, cores: int):
        super().__init__(
            {
                "markers": Out(cores),
                "codes": Out(data.ArrayLayout(CODE_BITS, cores)),
                "seen": Out(cores),
            }
        )


class EventAlignment(wiring.Component):
    """Delays edges and markers so that those of the same stamp are presented together.

    An edge that reaches the pins in tick T, its stamp, is known in T - OUTPUT_DELAY; a marker with
    its code is known FRONT_END_DELAY ticks after its stamp. All of ``events`` are registers.

    Members:
        rose, fell: Registers of the lines, high OUTPUT_DELAY ticks before the stamp of the edge.
        markers, codes: From a capture front end, high ``FRONT_END_DELAY`` ticks after the stamp.
        events: What has the stamp of EVENT_DELAY ticks ago.
        quiet: No event is presented or under way in here.
    """

    def __init__(self, *, lines: int = 8, cores: int = 4):
        self._lines = lines
        self._cores = cores
        super().__init__(
            {
                "rose": In(lines),
                "fell": In(lines),
                "markers": In(cores),
                "codes": In(data.ArrayLayout(CODE_BITS, cores)),
                "events": Out(EventSignature(lines, cores)),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        edges = data.StructLayout({"rises": self._lines, "falls": self._lines})
        stages = [Signal(edges, name=f"edges_{i}") for i in range(DELAY)]
        m.d.sync += [stages[0].rises.eq(self.rose), stages[0].falls.eq(self.fell)]
        m.d.sync += [stages[i].eq(stages[i - 1]) for i in range(1, DELAY)]
        m.d.sync += self.events.markers.eq(self.markers)
        for core in range(self._cores):
            with m.If(self.markers[core]):
                m.d.sync += self.events.codes[core].eq(self.codes[core])
        m.d.comb += [
            self.events.rises.eq(stages[-1].rises),
            self.events.falls.eq(stages[-1].falls),
            self.quiet.eq(
                ~(
                    self.rose.any()
                    | self.fell.any()
                    | self.markers.any()
                    | self.events.markers.any()
                    | sum((stage.as_value().any() for stage in stages), start=0).any()
                )
            ),
        ]
        return m
