"""The register space, decoded from the compiled register source."""

from collections.abc import Mapping
from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from . import regmap
from .register_bus import RegisterBus
from .register_group import REPLY, REPLY_DELAY, Access, RegisterGroup, range_of
from .registers import group_signature, groups


def chains(built: Mapping[str, int] | None = None) -> list[list[str]]:
    """Groups as they are one after another: each array is a chain, all others are one.

    ``built``: groups as :func:`~.registers.groups` has them, of an instrument with fewer.
    """
    built = groups() if built is None else built
    arrays = [[f"{name}[{i}]" for i in range(number)] for name, number in built.items()]
    return [["", *(name for name, number in built.items() if not number)], *filter(None, arrays)]


#: Ticks from ``request`` to ``done`` of a register: one to the first links, one for each link but
#: the last, those of the last link, and one to join the chains' replies. With shorter chains, too.
ACCESS_DELAY = 1 + (max(map(len, chains())) - 1) + REPLY_DELAY + 1


class RegisterFile(wiring.Component):
    """Sends an access along its chain of RegisterGroups, which decide on it, and joins the replies.

    Timing: an access that is requested in tick r is at the first links in r + 1, and at each
    further one a tick later. It samples its word 2 ticks after that, at the tick's beginning, and
    a write takes effect 3 ticks after it. ``done`` is high in r + ACCESS_DELAY, when all of this
    has happened. A read of the histogram window is done in the tick of ``window_done``.

    A register not marked ``live`` in the source may be written only while ``armed`` is low in
    r + 1; else the write is dropped and ``write_while_armed`` pulses. An address without register,
    or a write to a read-only register, pulses ``bad_address``; such an access ends as any
    other does, and reads as 0, as every write does.

    Args:
        fewer: Elements of an array of groups of which not all are built; others have no register.

    Members:
        reset: While high, nothing is under way. It passes along the chains as accesses do.
        bus: From the EMIO port.
        root, and one member for each group of registers: See :func:`~.registers.group_signature`.
        armed: Configuration is locked.
        write_while_armed, bad_address: High for one tick, that of ``done``; combinational, from
            registers.
        window_read, window_address, window_data, window_done: Histogram window: ``window_read`` is
            held until ``window_done``, in which ``window_data`` is passed on.
        quiet: No access is under way.
    """

    def __init__(self, **fewer: int):
        self._groups = groups() | fewer
        (self._window,) = regmap.IRQSCOPE.memories
        if self._window.address % self._window.words:
            raise ValueError("the register source does not align the window to its size")
        members = {
            "reset": In(1),
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
        for name, number in self._groups.items():
            signature = group_signature(f"{name}[0]" if number else name)
            members[name] = Out(signature).array(number) if number else Out(signature)
        super().__init__(members)

    def _interface(self, group: str):
        """The member of a group."""
        name, _, index = group.rstrip("]").partition("[")
        interface = getattr(self, name or "root")
        return interface[int(index)] if index else interface

    def elaborate(self, platform):
        m = Module()
        bus = self.bus
        in_window = Signal()
        offset_bits = exact_log2(self._window.words)
        m.d.comb += in_window.eq(bus.address[offset_bits:] == self._window.address >> offset_bits)

        # ---- r + 1: at the first links -------------------------------------------------------
        reading = Signal()
        writing = Signal()
        m.d.sync += [
            reading.eq(bus.request & ~bus.write & ~in_window),
            writing.eq(bus.request & bus.write),
        ]

        # ---- along the chains ----------------------------------------------------------------
        stage = Signal(ACCESS_DELAY)
        replies = []
        for number, chain in enumerate(chains(self._groups)):
            ranges = [range_of(group) for group in chain]
            offset_bits_of_chain = exact_log2(max(map(len, ranges)))
            access = Access(len(chain), offset_bits_of_chain)
            select = Signal(len(chain), name=f"select_{number}")
            m.d.sync += select.eq(
                Cat(bus.address >> exact_log2(len(r)) == r[0] >> exact_log2(len(r)) for r in ranges)
            )
            # The other chains pass zeros. Were all to pass the same, a tool would make one of them.
            here = Signal(name=f"here_{number}")
            m.d.comb += here.eq(select.any())
            link = None
            for group in chain:
                before, link = link, RegisterGroup(group, access)
                m.submodules[instance_name(group)] = link
                wiring.connect(m, wiring.flipped(self._interface(group)), link.registers)
                if before is None:
                    m.d.comb += [
                        link.before.reset.eq(self.reset),
                        link.before.read.eq(reading & here),
                        link.before.write.eq(writing & here),
                        link.before.armed.eq(self.armed & here),
                        link.before.select.eq(select),
                        link.before.offset.eq(Mux(here, bus.address, 0)),
                        link.before.data.eq(Mux(here, bus.write_data, 0)),
                    ]
                else:
                    wiring.connect(m, before.after, link.before)
                    m.d.comb += link.reply_before.eq(before.reply)
            replies.append(link.reply)

        # ---- the reply: each chain has it for one tick, the long ones later --------------------
        answer = Signal(REPLY)
        m.d.sync += [
            stage.eq(Cat(bus.request & (bus.write | ~in_window), stage[:-1])),
            answer.eq(reduce(or_, (reply.as_value() for reply in replies), answer.as_value())),
        ]
        with m.If(bus.request):
            m.d.sync += answer.eq(0)

        # ---- the histogram window ------------------------------------------------------------
        with m.If(self.window_done):
            m.d.sync += self.window_read.eq(0)
        with m.If(bus.request & ~bus.write & in_window):
            m.d.sync += self.window_read.eq(1)
        with m.If(self.reset):
            m.d.sync += [stage.eq(0), self.window_read.eq(0)]
        m.d.comb += [
            self.window_address.eq(bus.address[:offset_bits]),
            bus.done.eq(stage[-1] | (self.window_read & self.window_done)),
            bus.read_data.eq(Mux(stage[-1], answer.data, self.window_data)),
            self.bad_address.eq(stage[-1] & ~answer.known),
            self.write_while_armed.eq(stage[-1] & answer.locked),
            self.quiet.eq(~(bus.request | stage.any() | self.window_read)),
        ]
        return m


def instance_name(group: str) -> str:
    """Name of a group's instance: ``lines[3]`` becomes ``lines_3``."""
    return group.replace("[", "_").rstrip("]") or "root"
