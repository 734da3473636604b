"""The CLIC's registers in memory as the draft of 2021-07-20 has them.

The CLIC of the paper CV32RT is built on this draft. Later drafts moved and removed registers, and
the final specification reaches them through CSRs; that would be another front end.
"""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .arbiter import CONTROL_BITS
from .configuration import BusSignature, ConfigurationSignature

DATE = "2021-07-20"
ADDRESS_BITS = 13  # words: two regions of 16 KB
_CLICCFG, _CLICINFO, _CLICINT = 0x0000 // 4, 0x0004 // 4, 0x1000 // 4
_MACHINE_MODE = 0b11


class Draft202107(wiring.Component):
    """Front end of a CLIC for a core that has machine mode only.

    ``cliccfg`` at 0 (``nlbits``; ``nmbits`` is 0, ``nvbits`` 1), ``clicinfo`` at 4, and from 0x1000
    on a word for each ID with the bytes ``clicintip``, ``clicintie``, ``clicintattr`` and
    ``clicintctl``. An address without a register, or with the ID of no source, reads 0, and
    a write to it does nothing. There are no triggers.

    Args:
        ids: IDs of the sources, ascending.
        version: ``clicinfo.version``: 4 bits for the architecture, 4 for the implementation.

    Latency: a write shows at ``configuration`` in the tick after it, but at ``write`` and ``value``
    in its own tick. Every field begins as 0.
    """

    def __init__(self, ids: tuple[int, ...], version: int = 0):
        self.ids = ids
        self.version = version
        super().__init__(
            {
                "bus": In(BusSignature(ADDRESS_BITS)),
                "configuration": Out(ConfigurationSignature(len(ids))),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bus, configuration = self.bus, self.configuration
        m.d.comb += self.quiet.eq(~bus.access)
        info = (max(self.ids) + 1) | self.version << 13 | CONTROL_BITS << 21
        word = Signal(32)
        write = Signal(4)
        m.d.comb += write.eq(bus.bytes & (bus.access & bus.write).replicate(4))
        data = [bus.write_data.word_select(n, 8) for n in range(4)]
        with m.Switch(bus.address):
            with m.Case(_CLICCFG):
                m.d.comb += word.eq(Cat(Const(1, 1), configuration.level_bits))
                with m.If(write[0]):
                    # More than 8 bits of level: there are no more (WARL).
                    wanted = data[0][1:5]
                    m.d.sync += configuration.level_bits.eq(wanted)
                    with m.If(wanted > CONTROL_BITS):
                        m.d.sync += configuration.level_bits.eq(CONTROL_BITS)
            with m.Case(_CLICINFO):
                m.d.comb += word.eq(info)
            for n, number in enumerate(self.ids):
                with m.Case(_CLICINT + number):
                    self._source(m, n, word, write, data)
        with m.If(bus.access):
            m.d.sync += bus.read_data.eq(word)
        return m

    def _source(self, m, n, word, write, data):
        c = self.configuration
        attributes = Cat(c.shv[n], c.edge[n], c.negative[n], Const(0, 3), Const(_MACHINE_MODE, 2))
        m.d.comb += [
            word.eq(
                Cat(c.pending[n], Const(0, 7), c.enable[n], Const(0, 7), attributes, c.control[n])
            ),
            c.write[n].eq(write[0]),
            c.value[n].eq(data[0][0]),
        ]
        with m.If(write[1]):
            m.d.sync += c.enable[n].eq(data[1][0])
        with m.If(write[2]):
            m.d.sync += Cat(c.shv[n], c.edge[n], c.negative[n]).eq(data[2][:3])
        with m.If(write[3]):
            m.d.sync += c.control[n].eq(data[3])
