"""Markers from logic of the same clock: a soft core's store, or an instruction that retires."""

from amaranth.hdl import Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .constants import CODE_BITS, FRONT_END_DELAY
from .events import MarkerSignature
from .registers import encoded

#: From the tick in which a pulse is high to its stamp: none, nothing has to be synchronised.
PULSE_DELAY = 0


class PulseFrontEnd(wiring.Component):
    """Each tick in which ``valid[n]`` is high is one marker of core n, with ``codes[n]``.

    No crossing: the pulses are logic of this clock. So all cores may send a marker in one tick, and
    one core in ticks next to each other.

    Latency: a pulse that is high in tick k has the stamp ``k + PULSE_DELAY`` (k); ``markers`` is
    high in ``k + PULSE_DELAY + FRONT_END_DELAY`` (k + 1). From a line that changes in tick T the
    latency is k - T, exact.

    Members:
        reset: While high no core has been seen. Pulses are markers nevertheless: the user holds
            them low.
        valid, codes: The pulses.
        loopback, level: With ``loopback`` high, core 0 is taken from ``level`` with code handler:
            each edge of the level in tick T gives a marker of core 0 with stamp T + 1, as the
            nearest pulse that follows from it would.
        front: See :class:`~.events.MarkerSignature`.
        quiet: No pulse is high and no marker is under way.
    """

    def __init__(self, *, cores: int = 4):
        self._cores = cores
        super().__init__(
            {
                "reset": In(1),
                "valid": In(cores),
                "codes": In(data.ArrayLayout(CODE_BITS, cores)),
                "loopback": In(1),
                "level": In(1),
                "front_end": Out(MarkerSignature(cores)),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        pulses = data.StructLayout(
            {"valid": self._cores, "codes": data.ArrayLayout(CODE_BITS, self._cores)}
        )
        stages = [
            Signal(pulses, name=f"stage_{i}") for i in range(1 + PULSE_DELAY + FRONT_END_DELAY)
        ]
        level_before = Signal()
        level_seen = Signal()

        m.d.comb += [stages[0].valid.eq(self.valid), stages[0].codes.eq(self.codes)]
        with m.If(self.loopback):
            m.d.comb += [
                stages[0].valid[0].eq(level_before ^ level_seen),
                stages[0].codes[0].eq(encoded("marker", "handler")),
            ]
        m.d.sync += [
            level_before.eq(self.level),
            level_seen.eq(level_before),
            *(after.eq(before) for before, after in zip(stages, stages[1:], strict=False)),
            self.front_end.seen.eq(self.front_end.seen | stages[0].valid),
        ]
        with m.If(self.reset):
            m.d.sync += self.front_end.seen.eq(0)
        m.d.comb += [
            self.front_end.markers.eq(stages[-1].valid),
            self.front_end.codes.eq(stages[-1].codes),
            self.quiet.eq(
                (self.level == level_before)
                & (level_before == level_seen)
                & ~sum((stage.valid.any() for stage in stages), start=0).any()
            ),
        ]
        return m
