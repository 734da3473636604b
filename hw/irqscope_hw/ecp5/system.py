"""PicoRV32, its memory, a UART, a timer and the instrument, in one clock."""

from dataclasses import dataclass

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..constants import CODE_BITS
from ..shells.soft_pins import SoftPins, members
from .reset import Reset
from .uart import DIVISOR_BITS, Uart

#: Module of the shell.
INSTRUMENT = "irqscope_soft_pins"
#: Ticks of a bit until software says otherwise.
FIRST_DIVISOR = 868


@dataclass(frozen=True)
class Parameters:
    """Parameters of a system, from the description of the machine (board.py).

    ``memory_base``: of a memory of 2^``memory_log2`` bytes, in bytes, where the core starts.
    ``bins_log2``, ``depth_log2``, ``lines``, ``channels``: see
    :class:`~..instrument.Instrument`. ``tick_hz``: of the clock.
    ``timer``, ``uart``, ``output``: bits of the core's interrupt inputs; that of output 0.
    """

    memory_base: int
    memory_log2: int
    bins_log2: int
    depth_log2: int
    lines: int
    channels: int
    tick_hz: int
    timer: int
    uart: int
    output: int


def shell(parameters: Parameters, **further: int) -> SoftPins:
    """The instrument of a system."""
    return SoftPins(
        bins_log2=parameters.bins_log2,
        depth_log2=parameters.depth_log2,
        lines=parameters.lines,
        channels=parameters.channels,
        **further,
    )


class _Instrument(wiring.Component):
    """The module INSTRUMENT, Verilog of its own, with the ports of the shell."""

    def __init__(self):
        super().__init__(members())

    def elaborate(self, platform):
        m = Module()
        ports = {
            f"{'i' if member.flow == In else 'o'}_{'__'.join(map(str, path))}": value
            for path, member, value in self.signature.flatten(self)
        }
        m.submodules.instrument = Instance(INSTRUMENT, **ports)
        return m


class System(wiring.Component):
    """The system, in the clock ``sync``; it is in reset until the clock was stable for a while.

    The instrument is the module INSTRUMENT, made of :func:`shell`. The core is PicoRV32 as
    packaged; it takes its registers from memories.v. Everything that it reaches answers two ticks
    after its request, and the register port of the instrument when it is done:

    - the memory, from ``memory_base`` on;
    - 0x80000000: words of the register space;
    - 0xFFFFF800: devices, as rtl/system/devices.h has them, and a UART of bits:
      0x60 data (load: a byte, or bit 31 if there is none), 0x64 state (bit 0: sending; bits 1 and
      2, cleared by a store: a byte was lost, or damaged), 0x68 ticks of a bit.

    Args:
        parameters: See :class:`Parameters`.
        firmware: File for $readmemh with the initial content of the memory.

    Members:
        source_id: Value of the instrument's register for the board. Constant.
        locked: See :class:`~.reset.Reset`.
        rx, tx: UART, high at rest.
        pmod, pmod_in: See :class:`~..shells.soft_pins.SoftPins`.
        running, armed, error: Registers: out of reset; and as of the shell.
    """

    def __init__(self, parameters: Parameters, *, firmware: str):
        self._parameters = parameters
        self._firmware = firmware
        super().__init__(
            {
                "source_id": In(32),
                "locked": In(1),
                "rx": In(1),
                "tx": Out(1, init=1),
                "pmod": Out(8),
                "pmod_in": In(8),
                "running": Out(1),
                "armed": Out(1),
                "error": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        p = self._parameters
        m.submodules.shell = shell = _Instrument()
        m.submodules.uart = uart = Uart()

        # ---- reset ---------------------------------------------------------------------------
        m.submodules.reset = reset = Reset()
        m.d.comb += [reset.locked.eq(self.locked), self.running.eq(reset.running)]
        m.d.comb += [
            shell.clk.eq(ClockSignal()),
            shell.rst.eq(~self.running),
            shell.source_id.eq(self.source_id),
            shell.tick_hz.eq(p.tick_hz),
            shell.pmod_in.eq(self.pmod_in),
            self.pmod.eq(shell.pmod),
            self.armed.eq(shell.armed),
            self.error.eq(shell.error),
            uart.rx.eq(self.rx),
            self.tx.eq(uart.tx),
        ]

        # ---- core and memory -----------------------------------------------------------------
        valid, ready = Signal(), Signal()
        address, write_data, read_data = Signal(32), Signal(32), Signal(32)
        lanes = Signal(4)
        irq = Signal(32)
        opening = Signal()  # the first tick of an access
        started = Signal()
        m.d.comb += opening.eq(valid & ~started)
        m.d.sync += started.eq(valid & ~ready)
        in_memory = Signal()
        m.d.comb += in_memory.eq(~address[31])
        m.submodules.core = Instance(
            "picorv32",
            p_ENABLE_COUNTERS=Const(0, 1),
            p_BARREL_SHIFTER=Const(1, 1),
            p_TWO_CYCLE_COMPARE=Const(1, 1),
            p_TWO_CYCLE_ALU=Const(1, 1),
            p_ENABLE_MUL=Const(1, 1),
            p_ENABLE_DIV=Const(1, 1),
            p_ENABLE_IRQ=Const(1, 1),
            p_ENABLE_IRQ_TIMER=Const(0, 1),
            p_LATCHED_IRQ=Const(7, 32),
            p_PROGADDR_RESET=Const(p.memory_base, 32),
            p_PROGADDR_IRQ=Const(p.memory_base + 0x10, 32),
            i_clk=ClockSignal(),
            i_resetn=self.running,
            o_mem_valid=valid,
            i_mem_ready=ready,
            o_mem_addr=address,
            o_mem_wdata=write_data,
            o_mem_wstrb=lanes,
            i_mem_rdata=read_data,
            i_pcpi_wr=Const(0, 1),
            i_pcpi_rd=Const(0, 32),
            i_pcpi_wait=Const(0, 1),
            i_pcpi_ready=Const(0, 1),
            i_irq=irq,
        )
        of_memory = Signal(32)
        m.submodules.ram = Instance(
            "irqscope_ram",
            p_BITS=p.memory_log2 - 2,
            p_file=self._firmware,
            i_clk=ClockSignal(),
            i_address=address[2 : p.memory_log2],
            i_write=lanes & (opening & in_memory).replicate(4),
            i_write_data=write_data,
            o_read_data=of_memory,
        )

        # ---- devices, and what answers ---------------------------------------------------------
        at_port, at_device = Signal(), Signal()
        m.d.sync += [
            at_port.eq(opening & address[31] & ~address[30]),
            at_device.eq(opening & address[31] & address[30]),
        ]
        of_device = self._devices(m, shell, uart, at_device, lanes.any(), address, write_data, irq)
        asked = Signal()  # the register port
        wishbone = shell.wishbone
        m.d.comb += [
            wishbone.cyc.eq(asked),
            wishbone.stb.eq(asked),
            wishbone.we.eq(lanes.any()),
            wishbone.sel.eq(0xF),
            wishbone.adr.eq(address[2:16]),
            wishbone.dat_w.eq(write_data),
        ]
        second = Signal()
        m.d.sync += [
            second.eq(opening & in_memory),
            ready.eq(second | at_device | wishbone.ack),
            asked.eq((asked | at_port) & ~wishbone.ack),
        ]
        of_port = Signal(32)
        from_memory = Signal()
        m.d.sync += [from_memory.eq(second), of_port.eq(of_device)]
        with m.If(wishbone.ack):
            m.d.sync += of_port.eq(wishbone.dat_r)
        m.d.comb += read_data.eq(Mux(from_memory, of_memory, of_port))
        return m

    def _devices(self, m, shell, uart, here, write, address, data, irq):
        """Returns a load's value in the tick of ``here``, else 0; a store acts in that tick."""
        p = self._parameters
        offset = address[2:7]

        def stored(where: int):
            return here & write & (offset == where >> 2)

        # ---- markers ---------------------------------------------------------------------------
        gate, marker, toggle, code = Signal(init=1), Signal(), Signal(), Signal(CODE_BITS)
        m.d.comb += marker.eq(here & write & (offset[3:] == 0))
        with m.If(stored(0x40)):
            m.d.sync += gate.eq(data != 0)
        with m.If(marker):
            m.d.sync += [toggle.eq(~toggle), code.eq(offset)]
        m.d.comb += [
            shell.pulse_valid[0].eq(marker & gate),
            shell.pulse_codes[0].eq(offset),
        ]

        # ---- interrupts, time ------------------------------------------------------------------
        raised = Signal(32)
        now, compare = Signal(64), Signal(64, init=(1 << 64) - 1)
        low, high, due = Signal(32), Signal(32), Signal()
        with m.If(stored(0x44)):
            m.d.sync += raised.eq(raised | data)
        with m.If(stored(0x48)):
            m.d.sync += raised.eq(raised & ~data)
        with m.If(here & ~write & (offset == 0x50 >> 2)):
            m.d.sync += high.eq(now[32:])
        with m.If(stored(0x58)):
            m.d.sync += low.eq(data)
        with m.If(stored(0x5C)):
            m.d.sync += compare.eq(Cat(low, data))
        m.d.sync += [now.eq(now + 1), due.eq(now >= compare)]
        inputs = Signal(32)
        m.d.comb += [
            inputs[p.timer].eq(due),
            inputs[p.uart].eq(uart.received),
            inputs[p.output : p.output + 8].eq(shell.irq),
            irq.eq((raised | inputs) & ~0x7),  # the core's own
        ]

        # ---- UART ------------------------------------------------------------------------------
        divisor = Signal(DIVISOR_BITS, init=FIRST_DIVISOR)
        lost, damaged = Signal(), Signal()
        with m.If(stored(0x64)):
            m.d.sync += [lost.eq(0), damaged.eq(0)]
        with m.If(uart.lost):
            m.d.sync += lost.eq(1)
        with m.If(uart.damaged):
            m.d.sync += damaged.eq(1)
        with m.If(stored(0x68)):
            m.d.sync += divisor.eq(data)
        m.d.comb += [
            uart.divisor.eq(divisor),
            uart.send.eq(stored(0x60)),
            uart.send_data.eq(data),
            uart.take.eq(here & ~write & (offset == 0x60 >> 2) & uart.received),
        ]

        # ---- loads -----------------------------------------------------------------------------
        read = Signal(32)
        with m.If(here & ~write), m.Switch(offset):
            for where, value in (
                (0x00, Cat(code, toggle)),
                (0x44, irq),
                (0x50, now[:32]),
                (0x54, high),
                (0x60, Cat(uart.received_data, Const(0, 23), ~uart.received)),
                (0x64, Cat(uart.sending, lost, damaged)),
                (0x68, divisor),
            ):
                with m.Case(where >> 2):
                    m.d.comb += read.eq(value)
        return read
