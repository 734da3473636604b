"""The instrument at the pins of a Zynq UltraScale+ processor system."""

from amaranth.hdl import Cat, ClockDomain, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .. import constants, regmap
from ..emio_port import EmioPort
from ..instrument import CORES, PIN_REGISTERS, Instrument
from ..marker_capture import MarkerCapture
from ..pin_front_end import PinFrontEnd
from .shell import pass_on, surroundings


def pins(register: str, value):
    """The fields of a register of the map ``emio`` as slices of ``value``."""
    return {
        field.name: value[field.lsb : field.lsb + field.width]
        for field in regmap.EMIO[register].fields
    }


class ZynqMP(wiring.Component):
    """Instrument with EMIO front, pin front end and EMIO port; one clock, 250 MHz.

    Each core's markers come from one of the front ends, as the register ``capture`` says: the port
    serves whoever sets the instrument up, the pins whatever it measures.

    Parameters are those of the Instrument.

    Members:
        clk: The one clock.
        rst: Reset, for at least 8 ticks. Registers begin as if it had been high.
        emio_o3, emio_o4, emio_i3, emio_i4: EMIO GPIO banks 3 and 4, from and to the processor; the
            bits are in the register source, address map ``emio``. Inputs are asynchronous.
        pl_ps_irq0, pl_ps_irq1: Registers: the shared outputs 7:0 and 15:8. An edge of tick T
            changes them in T, as it does all outputs.
        pl_ps_apugic_irq, pmod, stm_event: Registers: the private outputs, one a core; pins; lines
            for the trace macrocell.
        pmod_in: Pins for markers, asynchronous; see :class:`~..pin_front_end.PinFrontEnd`.
        quiet: Nothing is under way: if it is high and no valid target lies in
            [now, skip_to + LEAD - 1], then skipping changes no edge, stamp, count or record.
            Combinational from registers, ``emio_o3`` and ``pmod_in``, and so of this tick.

    :func:`~..instrument.surroundings` has the others.
    """

    def __init__(self, **parameters: int | None):
        stated = regmap.IRQSCOPE["sizes"].field("marker_delay").reset
        if stated != constants.MARKER_DELAY:  # what firmware and host of this machine are built for
            raise ValueError(f"the register source states a marker_delay of {stated}")
        self._instrument = Instrument(
            marker_delay=constants.MARKER_DELAY, pins=PIN_REGISTERS, **parameters
        )
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
                "pmod_in": In(PIN_REGISTERS),
                "stm_event": Out(8),
                "quiet": Out(1),
                **surroundings(),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        domain.clk = self.clk
        m.submodules.instrument = instrument = self._instrument
        m.submodules.port = port = EmioPort()
        m.submodules.capture = capture = MarkerCapture(cores=CORES)
        m.submodules.pin_front_end = pin_front_end = PinFrontEnd(pins=PIN_REGISTERS, cores=CORES)
        pass_on(m, self, instrument)

        # ---- front end and port ------------------------------------------------------------------
        request = pins("bank3_out", self.emio_o3)
        wiring.connect(m, port.bus, instrument.bus)
        m.d.comb += [
            port.reset.eq(instrument.reset),
            port.request.eq(request["request"]),
            port.address.eq(request["address"]),
            port.write.eq(request["write"]),
            port.write_data.eq(self.emio_o4),
            self.emio_i4.eq(port.read_data),
            capture.reset.eq(instrument.reset),
            capture.nibbles.as_value().eq(request["markers"]),
            capture.loopback.eq(instrument.loopback),
            capture.level.eq(instrument.levels[0]),
            pin_front_end.reset.eq(instrument.reset),
            pin_front_end.pins.eq(self.pmod_in),
            pin_front_end.settings.eq(instrument.pin_settings),
            pin_front_end.loopback.eq(instrument.loopback),
            pin_front_end.level.eq(instrument.levels[0]),
            instrument.pin_levels.eq(pin_front_end.levels),
            # A marker that would not have counted is not reported as lost.
            pin_front_end.takes.eq(instrument.pin_cores & instrument.armed.replicate(CORES)),
            instrument.pin_collided.eq(pin_front_end.collided),
            instrument.front_end.seen.eq(capture.seen),
        ]
        for core in range(CORES):
            by_pin = instrument.pin_cores[core]
            m.d.comb += [
                instrument.front_end.markers[core].eq(
                    Mux(by_pin, pin_front_end.front_end.markers[core], capture.markers[core])
                ),
                instrument.front_end.codes[core].eq(
                    Mux(by_pin, pin_front_end.front_end.codes[core], capture.codes[core])
                ),
            ]
        reply = {
            "acknowledge": port.acknowledge,
            "echo": capture.toggles,
            "levels": instrument.levels,
            "fifo_some": instrument.fifo_some,
            "fifo_high": instrument.fifo_high,
            "fifo_overflow": instrument.fifo_overflow,
            "error": instrument.error,
            "armed": instrument.armed,
            "finished": instrument.finished,
        }
        m.d.comb += [pin.eq(reply[name]) for name, pin in pins("bank3_in", self.emio_i3).items()]

        # ---- outputs -------------------------------------------------------------------------
        m.d.comb += [
            self.pl_ps_irq0.eq(instrument.shared[:8]),
            self.pl_ps_irq1.eq(instrument.shared[8:]),
            self.pl_ps_apugic_irq.eq(instrument.private),
            self.pmod.eq(instrument.pmod),
            self.stm_event.eq(instrument.trace),
            self.quiet.eq(
                Cat(port.quiet, capture.quiet, pin_front_end.quiet, instrument.quiet).all()
            ),
        ]
        return m
