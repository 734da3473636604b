"""A write reaches its register and no other, and a read changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from irqscope_hw import regmap

from . import link, parts
from .contract import add_dut, past, still
from .prover import Gateware, Mutation, bound, prove, reach, refute, registers

WORD = regmap.WORD_BITS
GROUPS = ["", "lines[0]", "channels[0]", "recorder", "placement", "pins"]
#: Registers of a link that follow what passes, and are looked at only with an access.
PASSING = ("after__armed", "after__offset", "after__data", "after__select", "here")


def drive(m: Module, interface) -> None:
    """Gives every input of an interface any value in every tick."""
    for _, member, port in interface.signature.flatten(interface):
        if member.flow == In:
            m.d.comb += Value.cast(port).eq(AnySeq(len(Value.cast(port))))


class Link(Elaboratable):
    """Handling of an access by one link of a chain.

    Every field that software writes is in each tick what its own word's writes made of it: a write
    takes effect 3 ticks after it was in front of the link, in the group that is selected only, and
    not in a register that is locked. The reply says whether the access named a register that it
    can read or write, and whether it was dropped. What passes leaves as it came, ``select`` turned
    by one bit.
    """

    def __init__(self, gateware: Gateware, group: str):
        self.gateware = gateware
        self.group = group

    def elaborate(self, platform):
        m = Module()
        module = self.gateware.register_group
        access = module.Access(2, 10)
        dut = module.RegisterGroup(self.group, access)
        inner = registers(add_dut(m, dut))
        drive(m, dut)
        begun = past(m, 1, "begun")
        for name in ("reset", "read", "write", "armed", "offset", "data"):
            passed = past(m, getattr(dut.before, name), f"before_{name}", init=name == "reset")
            m.d.comb += Assert(getattr(dut.after, name) == passed)
        m.d.comb += Assert(dut.after.select == past(m, dut.before.select.rotate_right(1), "select"))
        here = past(m, dut.before.select[0], "here")
        places = module.range_of(self.group)
        offset = dut.after.offset[: (len(places) - 1).bit_length()]
        named, dropped = Value.cast(0), Value.cast(0)
        written = {}
        for register in module.registers_of(self.group):
            for index in range(register.words):
                at = here & (offset == register.address + index - places[0])
                named |= at & (dut.after.read | (dut.after.write & register.writable))
                if register.writable:
                    lock = dut.after.armed & (not register.live)
                    dropped |= at & dut.after.write & lock
                    written[register, index] = past(
                        m, at & dut.after.write & ~lock, f"written_{register.address + index}"
                    )
        # ``data`` is that of the tick after, for which the access stays.
        for register in module.registers_of(self.group):
            own = register.path.rpartition(".")[2]
            for field in register.fields:
                set_bits = getattr(dut.registers, f"{own}_{field.name}_set", None)
                if "w" not in field.software:
                    continue
                port = getattr(dut.registers, f"{own}_{field.name}")
                for index in range(register.words):
                    low = max(field.lsb, index * WORD)
                    high = min(field.lsb + field.width, (index + 1) * WORD)
                    if low >= high:
                        continue
                    inside = slice(low - field.lsb, high - field.lsb)
                    part = port[inside]
                    data = dut.after.data[low - index * WORD : high - index * WORD]
                    strobe = written[register, index]
                    if field.singlepulse:
                        then = Mux(strobe, data, 0)
                    elif field.woclr:
                        then = Mux(strobe, part & ~data, part) | set_bits[inside]
                    else:
                        then = Mux(strobe, data, part)
                    initial = 0 if field.singlepulse else field.reset
                    initial = initial >> inside.start & (1 << len(part)) - 1
                    then = Mux(dut.after.reset, initial, then)
                    m.d.comb += Assert(
                        ~begun | (part == past(m, then, f"{own}_{field.name}_{index}"))
                    )
        for bit, value in (("known", named), ("locked", dropped)):
            said = past(m, value, bit) | getattr(dut.reply_before, bit)
            m.d.comb += Assert(~begun | (getattr(dut.reply, bit) == past(m, said, f"said_{bit}")))
        # What the stand-in for a link says, and that a link at rest is still.
        decided = ("chosen", "known", "locked", "strobe")
        deciding = Cat(value for path, value in inner.items() if path.startswith(decided)).any()
        m.d.comb += Assert(~deciding | past(m, dut.after.read | dut.after.write, "access"))
        joined = past(m, deciding, "joined")
        before = past(m, Value.cast(dut.reply_before), "reply_before")
        m.d.comb += Assert(~begun | joined | (Value.cast(dut.reply) == before))
        wrote = past(m, Cat(written.values()).any(), "wrote")
        for own, port in link.ports(dut, Out).items():
            if own.endswith("_written"):
                m.d.comb += Assert(~port | wrote)
        kept = {path: r for path, r in inner.items() if path not in PASSING}
        still(m, link.calm(dut, m, deciding), kept)
        m.d.comb += Cover(begun & dut.after.write & ~dut.after.reset)
        return m


class Way(Elaboratable):
    """Routing of accesses along the chains, and the combination of replies.

    A read or write is at the first link of its chain in the tick after its request, a read unless
    its address is the window's; the first links of the other chains see zeros. No group is
    selected but the one that the address belongs to. The answer contains any later reply of a link;
    ``done`` reports accesses that no link serves, and dropped ones.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        module = self.gateware.register_file
        dut = module.RegisterFile()
        fragment = add_dut(m, dut)
        inner = registers(fragment)
        drive(m, dut)
        bus = dut.bus
        begun = past(m, 1, "begun")
        address = bus.address
        window = regmap.IRQSCOPE.memories[0]
        in_window = (address >= window.address) & (address < window.address + window.words)
        for name, value in (
            ("reading", bus.request & ~bus.write & ~in_window),
            ("writing", bus.request & bus.write),
        ):
            m.d.comb += Assert(~begun | (inner[name] == past(m, value, name)))
        links = {name: inside.origins[0] for inside, name, _ in fragment.subfragments}
        said = Value.cast(0)
        for number, chain in enumerate(module.chains()):
            for bit, group in enumerate(chain):
                places = module.range_of(group)
                own = (address >= places[0]) & (address < places[0] + len(places))
                selected = inner[f"select_{number}"][bit]
                m.d.comb += Assert(~begun | (selected == past(m, own, f"own_{number}_{bit}")))
            first = links[module.instance_name(chain[0])].before
            here = inner[f"select_{number}"].any()
            for passing, value in (
                (first.read, inner["reading"]),
                (first.write, inner["writing"]),
                (first.armed, dut.armed),
                (first.offset, address[: len(first.offset)]),
                (first.data, bus.write_data),
            ):
                m.d.comb += Assert(passing == Mux(here, value, 0))
            said |= Value.cast(links[module.instance_name(chain[-1])].reply)
        answer = Signal(module.REPLY)
        m.d.sync += Value.cast(answer).eq(
            Mux(bus.request, 0, Value.cast(answer) | Mux(begun, said, 0))
        )
        last = inner["stage"][-1]
        m.d.comb += [
            Assert(~begun | (Value.cast(inner["answer"]) == Value.cast(answer))),
            Assert(dut.bad_address == (last & ~answer.known)),
            Assert(dut.write_while_armed == (last & answer.locked)),
            Assert(~last | (bus.done & (bus.read_data == answer.data))),
            Cover(dut.bad_address),
            Cover(dut.write_while_armed),
        ]
        return m


class Stillness(Elaboratable):
    """A skip loses no state: no register changes while quiet.

    Also the assumptions of ``parts`` about the file: while it is quiet no strobe is high, and for
    two ticks no configuration has changed; nor while a read of the window goes on. The port has one
    access at a time and holds its words until the next; none begins just after a reset.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        module = self.gateware.register_file
        dut = module.RegisterFile()
        fragment = add_dut(m, dut)
        inner = registers(fragment)
        drive(m, dut)
        bus, stage = dut.bus, inner["stage"]
        dut.since_reset = since = Signal(range(parts.RESET_TICKS + 1))
        settled = since == parts.RESET_TICKS
        m.d.sync += since.eq(Mux(dut.reset, 0, since + ~settled))
        words = Cat(bus.address, bus.write, bus.write_data)
        under_way = stage.any() | dut.window_read | ~settled
        m.d.comb += [
            Assume(bus.request | (words == past(m, words, "words"))),
            Assume(~bus.request | ~under_way),
        ]
        links = {name: inside.origins[0] for inside, name, _ in fragment.subfragments}
        held = Signal(range(parts.HELD + 1))
        m.d.sync += held.eq(
            Mux(Cat(one.moves for one in links.values()).any(), 0, held + (held != parts.HELD))
        )
        dut.held = held
        self.since, self.inner = since, inner

        quiet = dut.quiet & parts.RegisterFile.is_calm(dut, m)
        still(m, quiet, {path: r for path, r in inner.items() if not path.endswith(PASSING)})
        m.d.comb += [Assert(~quiet | one.calm) for one in links.values()]
        m.d.comb += [
            Assert(~(dut.quiet & settled) | parts.RegisterFile.facts(dut, m)),
            Assert(~dut.window_read | ((dut.held == parts.HELD) & settled)),
            Assert(
                ~past(m, dut.window_read & ~dut.window_done & ~dut.reset, "reads") | dut.window_read
            ),
            Cover(quiet & past(m, ~dut.quiet, "busy")),
        ]

        # ---- what makes it inductive: where an access is, also one from before a reset ------
        def follows(value, ticks):
            """``value`` is high so many ticks after a request only."""
            value = Value.cast(value).any()
            return Assert(~value | stage[ticks - 1] | (since < ticks))

        m.d.comb += [
            Assert(since <= parts.RESET_TICKS),
            Assert(held <= parts.HELD),
            Assert(settled | ~stage.any()),
            Assert(~dut.window_read | ~stage.any()),
            Assert((held == parts.HELD) | stage[2:].any() | ~settled),
            follows(inner["reading"], 1),
            follows(inner["writing"], 1),
        ]
        for chain in module.chains():
            for place, group in enumerate(chain):
                own = {
                    path.rpartition(".")[2]: Value.cast(r)
                    for path, r in inner.items()
                    if path.startswith(f"{module.instance_name(group)}.")
                }
                m.d.comb += [
                    Assert(~own["after__reset"] | (since <= place)),
                    follows(own["after__read"], place + 2),
                    follows(own["after__write"], place + 2),
                    follows(own["decided_read"] | own["decided_write"], place + 3),
                    follows(own["reply"], place + 4),
                ]
                one = links[module.instance_name(group)]
                for name, port in link.ports(one, Out).items():
                    if link.is_strobe(one, name):
                        m.d.comb += follows(port, place + 4)
        return m


class Settled(Stillness):
    """The same, begun just before the first access after a reset: a bug shows sooner there."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        self.since._init = parts.RESET_TICKS - 2  # of which the address takes its way
        for path, register in self.inner.items():
            if path.endswith("after__reset"):
                register._init = 0
        return m


LINK = [
    Mutation(
        "reads_write",
        "register_group",
        "writing = here & self.after.write",
        "writing = here & (self.after.write | self.after.read)",
    ),
    Mutation(
        "whatever_is_selected",
        "register_group",
        "writing = here & self.after.write",
        "writing = self.after.write",
    ),
    Mutation(
        "writes_while_armed",
        "register_group",
        "strobes[register, index].eq(writing & ~dropped)",
        "strobes[register, index].eq(writing)",
    ),
    Mutation(
        "knows_no_write",
        "register_group",
        "known.eq(reading | writing)",
        "known.eq(reading)",
    ),
    Mutation(
        "drops_and_does_not_tell",
        "register_group",
        "locked.eq(writing & dropped)",
        "locked.eq(0)",
    ),
    Mutation(
        "forgets_the_second_word",
        "register_group",
        "                self._store(m, register, index)\n",
        "                self._store(m, register, 0)\n",
    ),
    Mutation(
        "clearing_wins_over_setting",
        "register_group",
        'part.eq((part & ~bits) | self._beside(register, field, "set")[inside])',
        'part.eq((part | self._beside(register, field, "set")[inside]) & ~bits)',
    ),
    Mutation(
        "survives_reset",
        "register_group",
        "                        m.d.sync += port.eq(port.init)\n",
        "                        m.d.sync += port.eq(port)\n",
    ),
]
WAY = [
    Mutation(
        "reads_write",
        "register_file",
        "writing.eq(bus.request & bus.write)",
        "writing.eq(bus.request)",
    ),
    Mutation(
        "sends_it_along_all_chains",
        "register_file",
        "reading & here",
        "reading",
    ),
    Mutation(
        "tells_too_soon",
        "register_file",
        "self.bad_address.eq(stage[-1] & ~answer.known)",
        "self.bad_address.eq(stage[-2] & ~answer.known)",
    ),
]
STILLNESS = [
    Mutation(
        "quiet_behind_the_request",
        "register_file",
        "bus.request | stage.any()",
        "bus.request | stage[1:].any()",
    ),
    Mutation(
        "quiet_before_the_window",
        "register_file",
        " | self.window_read)),",
        ")),",
    ),
]


def of(group: str):
    return lambda gateware: Link(gateware, group)


def name(mutation: Mutation) -> str:
    return mutation.name


@pytest.mark.parametrize("group", GROUPS)
def test_links_are_proved(group: str, tmp_path: Path) -> None:
    prove(of(group), 3, tmp_path)


def test_links_are_reached(tmp_path: Path) -> None:
    reach(of(""), 4, tmp_path)


@pytest.mark.parametrize("mutation", LINK, ids=name)
def test_links_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(of(""), mutation, 5, tmp_path)


def test_way_is_proved(tmp_path: Path) -> None:
    prove(Way, 3, tmp_path, register_group=link)


def test_way_is_reached(tmp_path: Path) -> None:
    reach(Way, 14, tmp_path, register_group=link)


@pytest.mark.parametrize("mutation", WAY, ids=name)
def test_way_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Way, mutation, 14, tmp_path, register_group=link)


def test_stillness_is_proved(tmp_path: Path) -> None:
    prove(Stillness, 3, tmp_path, register_group=link)


def test_stillness_holds_from_behind_the_reset(tmp_path: Path) -> None:
    bound(Settled, 8, tmp_path, register_group=link)


def test_stillness_is_reached(tmp_path: Path) -> None:
    reach(Settled, 8, tmp_path, register_group=link)


@pytest.mark.parametrize("mutation", STILLNESS, ids=name)
def test_stillness_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Settled, mutation, 8, tmp_path, register_group=link)
