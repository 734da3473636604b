"""The instrument next to a soft core, in its clock, with pins for other devices."""

from amaranth.hdl import ClockDomain, Const, Module, Mux
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .. import regmap
from ..bus_port import BusPort, WishboneSignature
from ..constants import CODE_BITS
from ..instrument import CORES, PIN_REGISTERS, Instrument
from ..pin_front_end import PinFrontEnd
from ..pulse_front_end import PULSE_DELAY, PulseFrontEnd
from .shell import pass_on, surroundings


def members() -> dict[str, wiring.Member]:
    """Ports of the shell."""
    return {
        "clk": In(1),
        "rst": In(1),
        "wishbone": In(WishboneSignature()),
        "pulse_valid": In(CORES),
        "pulse_codes": In(data.ArrayLayout(CODE_BITS, CORES)),
        "irq": Out(16),
        "pmod": Out(8),
        "pmod_in": In(PIN_REGISTERS),
        "armed": Out(1),
        "error": Out(1),
        **surroundings(),
    }


class SoftPins(wiring.Component):
    """Instrument with pulse front end, pin front end and Wishbone port; one clock.

    The registers ``sizes`` and ``geometry`` tell what is built, not what the source states. Each
    core's markers come from one of the front ends, as the register ``capture`` says. Timing is that
    of :class:`~.soft.Soft` and of :class:`~..pin_front_end.PinFrontEnd`.

    Parameters are those of the Instrument; what may be smaller has to be given.

    Members:
        clk: The one clock.
        wishbone, pulse_valid, pulse_codes, irq: See :class:`~.soft.Soft`.
        pmod: Registers: lines as routed to pins; an edge of tick T changes them in T.
        pmod_in: Pins for markers, asynchronous; see :class:`~..pin_front_end.PinFrontEnd`.
        armed, error: Registers, of status and errors.
        rst and :func:`~..instrument.surroundings`: See :class:`~.soft.Soft`.
    """

    def __init__(
        self, *, bins_log2: int, depth_log2: int, lines: int, channels: int, **parameters: int
    ):
        self._built = {
            "sizes": {"hist_bins_log2": bins_log2, "fifo_depth_log2": depth_log2},
            "geometry": {"lines": lines, "channels": channels},
        }
        self._instrument = Instrument(
            marker_delay=PULSE_DELAY,
            pins=PIN_REGISTERS,
            bins_log2=bins_log2,
            depth_log2=depth_log2,
            lines=lines,
            channels=channels,
            **parameters,
        )
        super().__init__(members())

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        domain.clk = self.clk
        m.submodules.instrument = instrument = self._instrument
        m.submodules.port = port = BusPort()
        m.submodules.front_end = front_end = PulseFrontEnd(cores=CORES)
        m.submodules.pin_front_end = pin_front_end = PinFrontEnd(pins=PIN_REGISTERS, cores=CORES)
        pass_on(m, self, instrument)
        wiring.connect(m, wiring.flipped(self.wishbone), port.wishbone)
        self._connect_bus(m, port.bus, instrument.bus)
        m.d.comb += [
            port.reset.eq(instrument.reset),
            front_end.reset.eq(instrument.reset),
            front_end.valid.eq(self.pulse_valid),
            front_end.codes.eq(self.pulse_codes),
            front_end.loopback.eq(instrument.loopback),
            front_end.level.eq(instrument.levels[0]),
            pin_front_end.reset.eq(instrument.reset),
            pin_front_end.pins.eq(self.pmod_in),
            pin_front_end.settings.eq(instrument.pin_settings),
            pin_front_end.loopback.eq(instrument.loopback),
            pin_front_end.level.eq(instrument.levels[0]),
            # A marker that would not have counted is not reported as lost.
            pin_front_end.takes.eq(instrument.pin_cores & instrument.armed.replicate(CORES)),
            instrument.pin_levels.eq(pin_front_end.levels),
            instrument.pin_collided.eq(pin_front_end.collided),
            instrument.front_end.seen.eq(front_end.front_end.seen),
        ]
        for core in range(CORES):
            chosen = instrument.pin_cores[core]
            pins, pulses = pin_front_end.front_end, front_end.front_end
            m.d.comb += [
                instrument.front_end.markers[core].eq(
                    Mux(chosen, pins.markers[core], pulses.markers[core])
                ),
                instrument.front_end.codes[core].eq(
                    Mux(chosen, pins.codes[core], pulses.codes[core])
                ),
            ]
        m.d.comb += [
            self.irq.eq(instrument.shared),
            self.pmod.eq(instrument.pmod),
            self.armed.eq(instrument.armed),
            self.error.eq(instrument.error),
        ]
        return m

    def _connect_bus(self, m, port, instrument):
        """The register space, with sizes and geometry as they are."""
        m.d.comb += [
            instrument.request.eq(port.request),
            instrument.address.eq(port.address),
            instrument.write.eq(port.write),
            instrument.write_data.eq(port.write_data),
            port.done.eq(instrument.done),
            port.read_data.eq(instrument.read_data),
        ]
        for name, fields in self._built.items():
            register = regmap.IRQSCOPE[name]
            with m.If(port.address == register.address):
                for field, value in ((register.field(key), fields[key]) for key in fields):
                    m.d.comb += port.read_data[field.lsb : field.lsb + field.width].eq(
                        Const(value, field.width)
                    )
