"""The instrument next to a soft core, in its clock."""

from amaranth.hdl import Cat, ClockDomain, Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..bus_port import BusPort, WishboneSignature
from ..constants import CODE_BITS
from ..instrument import CORES, Instrument
from ..pulse_front_end import PULSE_DELAY, PulseFrontEnd
from .shell import pass_on, surroundings


class Soft(wiring.Component):
    """Instrument with pulse front end and Wishbone port; one clock, that of the core.

    Parameters are those of the Instrument.

    A line that rises in tick T is high at ``irq`` in T; a pulse in tick k has the stamp k. So what
    a channel counts, k - T, is in cycles of the core and exact.

    Members:
        clk: The one clock.
        rst: Reset, for at least 8 ticks. Registers begin as if it had been high.
        wishbone: See :class:`~..bus_port.WishboneSignature`.
        pulse_valid, pulse_codes: Markers, see :class:`~..pulse_front_end.PulseFrontEnd`; one bit,
            and 3 bits, a core. A second source of one core, such as its retired instruction in
            addition to its store, takes the place of a further core.
        irq: Registers: the shared outputs.
        irq_private: Registers: the private outputs, one a core.
        quiet: As of :class:`~.zynqmp.ZynqMP`; combinational from registers, wishbone and pulses.

    :func:`~..instrument.surroundings` has the others.
    """

    def __init__(self, **parameters: int | None):
        self._instrument = Instrument(marker_delay=PULSE_DELAY, **parameters)
        super().__init__(
            {
                "clk": In(1),
                "rst": In(1),
                "wishbone": In(WishboneSignature()),
                "pulse_valid": In(CORES),
                "pulse_codes": In(data.ArrayLayout(CODE_BITS, CORES)),
                "irq": Out(16),
                "irq_private": Out(4),
                "quiet": Out(1),
                **surroundings(),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        domain.clk = self.clk
        m.submodules.instrument = instrument = self._instrument
        m.submodules.port = port = BusPort()
        m.submodules.front_end = front_end = PulseFrontEnd(cores=CORES)
        pass_on(m, self, instrument)
        wiring.connect(m, wiring.flipped(self.wishbone), port.wishbone)
        wiring.connect(m, port.bus, instrument.bus)
        wiring.connect(m, front_end.front_end, instrument.front_end)
        m.d.comb += [
            port.reset.eq(instrument.reset),
            front_end.reset.eq(instrument.reset),
            front_end.valid.eq(self.pulse_valid),
            front_end.codes.eq(self.pulse_codes),
            front_end.loopback.eq(instrument.loopback),
            front_end.level.eq(instrument.levels[0]),
            self.irq.eq(instrument.shared),
            self.irq_private.eq(instrument.private),
            self.quiet.eq(Cat(port.quiet, front_end.quiet, instrument.quiet).all()),
        ]
        return m
