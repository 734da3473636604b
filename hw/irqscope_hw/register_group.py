"""One group of registers: a link of the chain that an access passes."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from . import regmap
from .register_bus import DATA_BITS
from .registers import group_of, group_signature

PLACE_BITS = 2  # of the address: a word is chosen among 2^PLACE_BITS at a time

#: Ticks from a link's input to its reply: its registers hold the access one tick later, the access
#: is decided and the word chosen in the next, and they join the reply in the one after.
REPLY_DELAY = 3

#: What the links say of an access: the word that is read, whether the access names a register that
#: it can read or write, and whether a write was dropped because the register is locked.
REPLY = data.StructLayout({"data": DATA_BITS, "known": 1, "locked": 1})


class Access(wiring.Signature):
    """Signals passed from link to link; bit i of ``select`` selects the i-th link from here.

    ``read`` or ``write`` is high for one tick, in which ``armed`` (registers that are not live are
    locked), ``select`` and ``offset`` (words, within the selected group) are valid. ``data`` is
    valid in the next tick. While ``reset`` is high configuration takes the values of the register
    source.
    """

    def __init__(self, links: int, offset_bits: int):
        super().__init__(
            {
                "reset": Out(1, init=1),
                "read": Out(1),
                "write": Out(1),
                "armed": Out(1),
                "select": Out(links),
                "offset": Out(offset_bits),
                "data": Out(DATA_BITS),
            }
        )


def registers_of(group: str) -> tuple[regmap.Register, ...]:
    """The registers of a group, from its lowest address up."""
    return tuple(r for r in regmap.IRQSCOPE.registers if group_of(r)[0] == group)


def range_of(group: str) -> range:
    """Word addresses that belong to a group, whether all have a register or not.

    Raises:
        ValueError: The source does not align the group to its size.
    """
    registers = registers_of(group)
    first = registers[0].address
    size = 1 << (registers[-1].address + registers[-1].words - 1 - first).bit_length()
    if first % size:
        raise ValueError(f"the register source does not align {group} to its size")
    return range(first, first + size)


class RegisterGroup(wiring.Component):
    """Decides on accesses to one group, holds its configuration and shows its status.

    The group registers all its inputs, so that only neighbours have to be close. Let an access be
    at ``before`` in tick a. It is at ``after`` in a + 1. A write is decided in a + 1 and takes
    effect (new configuration, pulse) in a + 3. A word is sampled at the end of a + 1, and ``reply``
    holds it in a + REPLY_DELAY (3).

    Args:
        group: As in the register source, such as ``lines[0]``; groups of one array are alike.
        access: What passes; its offsets are those of the longest group.

    Members:
        before, after: An access, and the same one tick later.
        reply_before, reply: The reply of the links in front, and the same joined with this link's:
            zero except in one tick. ``reply_before`` is due REPLY_DELAY - 1 ticks after ``before``.
        registers: See :func:`~.registers.group_signature`.
    """

    def __init__(self, group: str, access: Access):
        self._registers = registers_of(group)
        addresses = range_of(group)
        self._base = addresses[0]
        self._offset_bits = exact_log2(len(addresses))
        super().__init__(
            {
                "before": In(access),
                "after": Out(access),
                "reply_before": In(REPLY),
                "reply": Out(REPLY),
                "registers": Out(group_signature(group)),
            }
        )

    def _port(self, register: regmap.Register, field: regmap.Field):
        """The member of a field."""
        return getattr(self.registers, f"{group_of(register)[1]}_{field.name}", None)

    def _words(self, register: regmap.Register):
        """Read values of the register's words."""
        bits = []
        for field in register.fields:
            bits.append(Const(0, field.lsb - sum(len(bit) for bit in bits)))
            if "r" not in field.software:
                bits.append(Const(0, field.width))
            elif field.exchange:
                bits.append(self._beside(register, field, "shown"))
            elif "w" in field.software or "w" in field.hardware:
                bits.append(self._port(register, field))
            else:
                bits.append(Const(field.reset, field.width))
        value = Cat(bits)
        return [value[i * DATA_BITS : (i + 1) * DATA_BITS] for i in range(register.words)]

    def elaborate(self, platform):
        m = Module()
        for name in self.before.signature.members:
            m.d.sync += getattr(self.after, name).eq(getattr(self.before, name))
        here = Signal()
        m.d.sync += [
            here.eq(self.before.select[0]),
            self.after.select.eq(self.before.select.rotate_right(1)),
        ]
        offset = self.after.offset[: self._offset_bits]
        known = Signal()
        locked = Signal()
        strobes = self._decide(m, here, offset, known, locked)
        found = self._choose(m, here, offset)

        # ---- a + 2: carried out --------------------------------------------------------------
        m.d.sync += self.reply.eq(
            self.reply_before.as_value() | Cat(reduce(or_, found), known, locked)
        )
        self._write(m, strobes)
        return m

    def _words_with_places(self):
        """Each word of the group: its place, its register and its index there."""
        for register in self._registers:
            for index in range(register.words):
                yield register.address - self._base + index, register, index

    def _decide(self, m, here, offset, known, locked):
        """A + 1: what becomes of the access. Gives the strobe of each word that can be written."""
        reading = here & self.after.read
        writing = here & self.after.write
        strobes = {
            (register, index): Signal(name=f"strobe_{place}")
            for place, register, index in self._words_with_places()
            if register.writable
        }
        m.d.sync += [strobe.eq(0) for strobe in (known, locked, *strobes.values())]
        with m.Switch(offset):
            for place, register, index in self._words_with_places():
                with m.Case(place):
                    m.d.sync += known.eq(reading)
                    if register.writable:
                        dropped = Const(0) if register.live else self.after.armed
                        m.d.sync += [
                            known.eq(reading | writing),
                            locked.eq(writing & dropped),
                            strobes[register, index].eq(writing & ~dropped),
                        ]
        return strobes

    def _choose(self, m, here, offset):
        """A + 1: the data read by the access, or held until now by the word that it writes.

        Gives a word for each row of places, zero but in one.
        """
        accessed = self.after.read | self.after.write
        rows = {}
        for place, register, index in self._words_with_places():
            row, column = divmod(place, 1 << PLACE_BITS)
            rows.setdefault(row, {})[column] = self._words(register)[index]
        found = []
        for row, columns in rows.items():
            chosen = Signal(name=f"chosen_{row}")
            word = Signal(DATA_BITS, name=f"word_{row}")
            m.d.sync += chosen.eq(accessed & here & (offset[PLACE_BITS:] == row))
            with m.If(accessed), m.Switch(offset[:PLACE_BITS]):
                for column, value in columns.items():
                    with m.Case(column):
                        m.d.sync += word.eq(value)
                with m.Default():
                    m.d.sync += word.eq(0)
            found.append(word & chosen.replicate(DATA_BITS))
        return found

    def _write(self, m, strobes):
        for register in self._registers:
            for field in register.fields:
                port = self._port(register, field)
                if field.singlepulse:
                    m.d.sync += port.eq(0)
                elif field.woclr:
                    m.d.sync += port.eq(port | self._beside(register, field, "set"))
                elif field.strobed:
                    m.d.sync += self._beside(register, field, "written").eq(0)
        for (register, index), strobe in strobes.items():
            with m.If(strobe):
                self._store(m, register, index)
        with m.If(self.after.reset):
            for register in self._registers:
                for field in register.fields:
                    if "w" in field.software:
                        port = self._port(register, field)
                        m.d.sync += port.eq(port.init)

    def _beside(self, register, field, what):
        """A further member of a field: ``..._set``, ``..._written`` or ``..._shown``."""
        return getattr(self.registers, f"{group_of(register)[1]}_{field.name}_{what}")

    def _store(self, m, register, index):
        """Statements that write word ``index`` of a register."""
        low = index * DATA_BITS
        for field in register.fields:
            if "w" not in field.software:
                continue
            port = self._port(register, field)
            first = max(field.lsb, low)
            last = min(field.lsb + field.width, low + DATA_BITS)
            if first >= last:
                continue
            bits = self.after.data[first - low : last - low]
            inside = slice(first - field.lsb, last - field.lsb)
            part = port[inside]
            if field.woclr:
                m.d.sync += part.eq((part & ~bits) | self._beside(register, field, "set")[inside])
            else:
                m.d.sync += part.eq(bits)
                if field.strobed:
                    m.d.sync += self._beside(register, field, "written").eq(1)
