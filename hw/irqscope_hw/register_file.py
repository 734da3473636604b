"""The register space, decoded from the compiled register source."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from . import regmap
from .emio_port import RegisterBus
from .registers import group_of, group_signature, groups

READ_STAGES = 3
GROUP_BITS = 3  # of the address; a stage of the read path chooses among 2^GROUP_BITS words


class RegisterFile(wiring.Component):
    """Holds configuration, gives pulses and shows status; nothing in it is written by hand.

    Timing: a request in tick r takes effect (new configuration, pulse) in r + 2; a register read is
    sampled at the end of tick r; ``done`` is high in r + 3. A read of the histogram
    window asks until ``window_done`` and is done in the tick after that.

    A register not marked ``live`` in the source may be written while ``armed`` is low only; else
    the write is dropped and ``write_while_armed`` pulses. An address without register, or a write
    to what cannot be written, pulses ``bad_address``; it is done as any other, and reads as 0, as
    every write does.

    Members
    -------
    bus
        From the EMIO port.
    root, and one member for each group of registers
        See :func:`~.registers.group_signature`.
    armed
        Configuration is locked.
    write_while_armed, bad_address
        Registers: high for one tick, r + 1.
    window_read, window_address, window_data, window_done
        Histogram window: ``window_read`` is held until ``window_done``, in which ``window_data``
        is sampled.
    quiet
        No access is under way.
    """

    def __init__(self):
        (self._window,) = regmap.IRQSCOPE.memories
        if self._window.address % self._window.words:
            raise ValueError("the register source does not align the window to its size")
        members = {
            "bus": In(RegisterBus()),
            "root": Out(group_signature("")),
            "armed": In(1),
            "write_while_armed": Out(1),
            "bad_address": Out(1),
            "window_read": Out(1),
            "window_address": Out(range(self._window.words)),
            "window_data": In(regmap.WORD_BITS),
            "window_done": In(1),
            "quiet": Out(1),
        }
        for name, number in groups().items():
            signature = group_signature(f"{name}[0]" if number else name)
            members[name] = Out(signature).array(number) if number else Out(signature)
        super().__init__(members)

    def _port(self, register: regmap.Register, field: regmap.Field):
        """The member of a field, and the interface that it stands in."""
        group, name = group_of(register)
        if not group:
            interface = self.root
        elif group.endswith("]"):
            array, _, index = group[:-1].partition("[")
            interface = getattr(self, array)[int(index)]
        else:
            interface = getattr(self, group)
        return interface, f"{name}_{field.name}"

    def _words(self, register: regmap.Register):
        """What the register's words read as."""
        bits = []
        for field in register.fields:
            interface, name = self._port(register, field)
            bits.append(Const(0, field.lsb - sum(len(bit) for bit in bits)))
            if "r" not in field.software:
                bits.append(Const(0, field.width))
            elif "w" in field.software or "w" in field.hardware:
                bits.append(getattr(interface, name))
            else:
                bits.append(Const(field.reset, field.width))
        value = Cat(bits)
        return [
            value[i * regmap.WORD_BITS : (i + 1) * regmap.WORD_BITS] for i in range(register.words)
        ]

    def elaborate(self, platform):
        m = Module()
        bus = self.bus
        in_window = Signal()
        offset_bits = exact_log2(self._window.words)
        m.d.comb += in_window.eq(bus.address[offset_bits:] == self._window.address >> offset_bits)
        self._elaborate_write(m, in_window)

        stage = Signal(READ_STAGES)
        m.d.sync += stage.eq(Cat(bus.request & (bus.write | ~in_window), stage[:-1]))
        register_data = self._elaborate_read(m, Cat(bus.request & ~bus.write, stage[:-1]))

        with m.If(bus.request & ~bus.write & in_window):
            m.d.sync += self.window_read.eq(1)
        window_ready = Signal()
        window_word = Signal(regmap.WORD_BITS)
        m.d.sync += window_ready.eq(self.window_done)
        with m.If(self.window_done):
            m.d.sync += [self.window_read.eq(0), window_word.eq(self.window_data)]
        m.d.comb += [
            self.window_address.eq(bus.address[:offset_bits]),
            bus.done.eq(stage[-1] | window_ready),
            self.quiet.eq(~(bus.request | stage.any() | self.window_read | window_ready)),
        ]
        with m.If(~bus.write):
            m.d.comb += bus.read_data.eq(Mux(stage[-1], register_data, window_word))
        return m

    def _elaborate_read(self, m, enables):
        """The word read, once each of ``enables`` was high in turn.

        Each stage chooses among 2^GROUP_BITS words by the next bits of the address, lowest first.
        """
        words = {}
        for register in regmap.IRQSCOPE.registers:
            for index, word in enumerate(self._words(register)):
                words[register.address + index] = word
        for level in range(READ_STAGES):
            rest = self.bus.address[level * GROUP_BITS :]
            last = level == READ_STAGES - 1
            digit = rest if last else rest[:GROUP_BITS]
            grouped = {}
            for key, word in words.items():
                group, place = (0, key) if last else divmod(key, 1 << GROUP_BITS)
                grouped.setdefault(group, {})[place] = word
            words = {
                group: Signal(regmap.WORD_BITS, name=f"read_{level}_{group}", reset_less=True)
                for group in grouped
            }
            with m.If(enables[level]):
                for group, places in grouped.items():
                    with m.Switch(digit):
                        for place, word in places.items():
                            with m.Case(place):
                                m.d.sync += words[group].eq(word)
                        with m.Default():
                            m.d.sync += words[group].eq(0)
        return words[0]

    def _elaborate_write(self, m, in_window):
        bus = self.bus
        kinds = {"live": [], "locked": [], "fixed": []}
        for register in regmap.IRQSCOPE.registers:
            kind = "live" if register.live else "locked" if register.writable else "fixed"
            kinds[kind] += range(register.address, register.address + register.words)

        # ---- r: may it be written? -----------------------------------------------------------
        writing = Signal()
        m.d.sync += [writing.eq(0), self.write_while_armed.eq(0), self.bad_address.eq(0)]
        with m.If(bus.request), m.Switch(bus.address):
            with m.Case(*kinds["live"]):
                m.d.sync += writing.eq(bus.write)
            with m.Case(*kinds["locked"]):
                m.d.sync += [
                    writing.eq(bus.write & ~self.armed),
                    self.write_while_armed.eq(bus.write & self.armed),
                ]
            with m.Case(*kinds["fixed"]):
                m.d.sync += self.bad_address.eq(bus.write)
            with m.Default():
                m.d.sync += self.bad_address.eq(bus.write | ~in_window)

        # ---- r + 1: write --------------------------------------------------------------------
        for register in regmap.IRQSCOPE.registers:
            for field in register.fields:
                interface, name = self._port(register, field)
                port = getattr(interface, name, None)
                if field.singlepulse:
                    m.d.sync += port.eq(0)
                elif field.woclr:
                    m.d.sync += port.eq(port | getattr(interface, f"{name}_set"))
                elif field.software == "w":
                    m.d.sync += getattr(interface, f"{name}_written").eq(0)
            if register.writable:
                for index in range(register.words):
                    with m.If(writing), m.If(bus.address == register.address + index):
                        self._store(m, register, index)

    def _store(self, m, register, index):
        """Statements that write word ``index`` of a register."""
        low = index * regmap.WORD_BITS
        for field in register.fields:
            if "w" not in field.software:
                continue
            interface, name = self._port(register, field)
            port = getattr(interface, name)
            first = max(field.lsb, low)
            last = min(field.lsb + field.width, low + regmap.WORD_BITS)
            if first >= last:
                continue
            bits = self.bus.write_data[first - low : last - low]
            part = port[first - field.lsb : last - field.lsb]
            if field.woclr:
                set_bits = getattr(interface, f"{name}_set")[first - field.lsb : last - field.lsb]
                m.d.sync += part.eq((part & ~bits) | set_bits)
            else:
                m.d.sync += part.eq(bits)
                if field.software == "w" and not field.singlepulse:
                    m.d.sync += getattr(interface, f"{name}_written").eq(1)
