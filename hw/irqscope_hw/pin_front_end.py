"""Markers from pins: levels of any other device."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .constants import CODE_BITS
from .events import MarkerSignature

#: Bits of a filter's length. The longest is 65,535 ticks, 262 us at 250 MHz.
FILTER_BITS = 16

#: Ticks from the first flip-flop that holds a pin's new level to the marker's stamp. The filter
#: adds its own.
PIN_DELAY = 1


def setting(cores: int, filter_bits: int) -> data.StructLayout:
    """The setting of one pin.

    Which edges are markers (``rise``, ``fall``, both or none), which ``core`` and ``code`` such a
    marker has, and the length of the ``filter`` in ticks.
    """
    return data.StructLayout(
        {"rise": 1, "fall": 1, "core": range(cores), "code": CODE_BITS, "filter": filter_bits}
    )


class PinFrontEnd(wiring.Component):
    """Each chosen edge of a pin is one marker, once the new level has stood for the filter.

    Crossing: each pin has its own two-stage synchroniser; no pin qualifies another. Its
    level counts as new when it has differed from the old one in ``filter`` + 1 ticks in a row: so
    a glitch that ``filter`` ticks see, or fewer, is no edge. A pulse has to last filter + 1 ticks,
    and as long to the next one. Constraint of a board: the first flip-flops are exempt from timing
    and marked ASYNC_REG, as those of MarkerCapture are.

    Latency: let k be the tick in which the first flip-flop holds the new level. The marker's stamp
    is ``k + PIN_DELAY + filter`` (k + 1 + filter); ``markers`` is high FRONT_END_DELAY (1) ticks
    after it. From the pin to k is at most one tick, plus one where the flip-flop resolved late.

    Markers of one core in one tick: that of the lowest pin is given, and ``collided`` tells that
    another one was not, if anybody ``takes`` that core's. Pins of different cores never meet.

    Members:
        reset: While high no core has been seen. Levels that are high when reset ends do not count
            as edges.
        pins: Asynchronous.
        settings: See :func:`setting`. Constant while anything is armed; takes effect a tick later.
        takes: Cores whose marker would count if presented in this tick.
        loopback, level: With ``loopback`` high, pin 0 is taken from ``level``: an edge of the level
            in tick T is a marker, if such an edge of pin 0 is one, with stamp ``T + 1 + PIN_DELAY +
            filter``.
        levels: Registers: the pins after their filters.
        collided: Register, high for one tick, 2 ticks after ``markers``.
        front: See :class:`~.events.MarkerSignature`.
        quiet: No pin has changed for the depth of synchroniser and filter, and no marker is under
            way.
    """

    def __init__(self, *, pins: int = 8, cores: int = 4, filter_bits: int = FILTER_BITS):
        self._pins = pins
        self._cores = cores
        self._filter_bits = filter_bits
        super().__init__(
            {
                "reset": In(1),
                "pins": In(pins),
                "takes": In(cores),
                "settings": In(data.ArrayLayout(setting(cores, filter_bits), pins)),
                "loopback": In(1),
                "level": In(1),
                "levels": Out(pins),
                "collided": Out(1),
                "front_end": Out(MarkerSignature(cores)),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        pins = Signal(self._pins)
        first = Signal(self._pins)
        second = Signal(self._pins)
        settled = Signal(3)  # until the synchroniser holds what the pins held in reset
        stood = [Signal(self._filter_bits, name=f"stood_{i}") for i in range(self._pins)]
        # For each pin and core: a rise is a marker, a fall is one, and one has come.
        rises, falls, fired = (
            [Signal(self._cores, name=f"{name}_{i}") for i in range(self._pins)]
            for name in ("rises", "falls", "fired")
        )

        m.d.comb += [
            pins.eq(self.pins),
            pins[0].eq(Mux(self.loopback, self.level, self.pins[0])),
        ]
        m.d.sync += [
            first.eq(pins),
            second.eq(first),
            settled.eq(Cat(1, settled[:-1])),
        ]
        for index, ticks in enumerate(stood):
            chosen = self.settings[index]
            new = second[index]
            core = Signal(self._cores, name=f"core_{index}")
            m.d.comb += core.eq(1 << chosen.core)
            m.d.sync += [
                rises[index].eq(core & chosen.rise.replicate(self._cores)),
                falls[index].eq(core & chosen.fall.replicate(self._cores)),
                fired[index].eq(0),
                ticks.eq(0),
            ]
            with m.If(~settled[-1]):
                m.d.sync += self.levels[index].eq(new)
            with m.Elif(new != self.levels[index]):
                with m.If(ticks == chosen.filter):
                    m.d.sync += [
                        self.levels[index].eq(new),
                        fired[index].eq(Mux(new, rises[index], falls[index])),
                    ]
                with m.Else():
                    m.d.sync += ticks.eq(ticks + 1)

        lost = self._give(m, fired)
        with m.If(self.reset):
            m.d.sync += [settled.eq(0), self.front_end.seen.eq(0)]
        m.d.comb += self.quiet.eq(
            settled[-1]
            & (pins == first)
            & (first == second)
            & (second == self.levels)
            & ~Cat(*stood, *fired, lost, self.collided).any()
        )
        return m

    def _give(self, m, fired):
        """Markers of what fired, the lowest pin's of each core. Gives which cores lost one."""
        lost = Signal(self._cores)
        for core in range(self._cores):
            taken, code, more = Const(0), Const(0, CODE_BITS), Const(0)
            for pin in range(self._pins):
                here = fired[pin][core]
                first = here & ~taken
                code = code | (self.settings[pin].code & first.replicate(CODE_BITS))
                more = more | (here & taken)
                taken = taken | here
            m.d.comb += [
                self.front_end.markers[core].eq(taken),
                self.front_end.codes[core].eq(code),
            ]
            m.d.sync += lost[core].eq(more)
            with m.If(taken):
                m.d.sync += self.front_end.seen[core].eq(1)
        m.d.sync += self.collided.eq((lost & self.takes).any())
        return lost
