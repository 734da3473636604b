"""A write reaches its register and no other, and a read changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Value
from amaranth.lib.wiring import In

from irqscope_hw import regmap

from .contract import add_dut, past
from .prover import Gateware, Mutation, prove, reach, refute, registers

WORD = regmap.WORD_BITS
GROUPS = ["", "lines[0]", "channels[0]", "recorder", "placement"]


def drive(m: Module, interface) -> None:
    """Gives every input of an interface any value in every tick."""
    for _, member, port in interface.signature.flatten(interface):
        if member.flow == In:
            m.d.comb += Value.cast(port).eq(AnySeq(len(Value.cast(port))))


class Link(Elaboratable):
    """What one link of a chain does with an access that passes it.

    Every field that software writes is in each tick what its own word's writes made of it: a write
    takes effect 2 ticks after it was in front of the link, and only in the group that is selected.
    What passes leaves as it came, ``select`` turned by one bit.
    """

    def __init__(self, gateware: Gateware, group: str):
        self.gateware = gateware
        self.group = group

    def elaborate(self, platform):
        m = Module()
        module = self.gateware.register_group
        access = module.Access(2, 10)
        m.submodules.dut = dut = module.RegisterGroup(self.group, access)
        drive(m, dut)
        begun = past(m, 1, "begun")
        for name in ("reset", "read", "write", "offset", "data"):
            passed = past(m, getattr(dut.before, name), f"before_{name}", init=name == "reset")
            m.d.comb += Assert(getattr(dut.after, name) == passed)
        m.d.comb += Assert(dut.after.select == past(m, dut.before.select.rotate_right(1), "select"))
        here = past(m, dut.before.select[0], "here")
        places = module.range_of(self.group)
        offset = dut.after.offset[: (len(places) - 1).bit_length()]
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
                    place = register.address + index - places[0]
                    written = dut.after.write & here & (offset == place)
                    if field.singlepulse:
                        then = Mux(written, data, 0)
                    elif field.woclr:
                        then = Mux(written, part & ~data, part) | set_bits[inside]
                    else:
                        then = Mux(written, data, part)
                    initial = 0 if field.singlepulse else field.reset
                    initial = initial >> inside.start & (1 << len(part)) - 1
                    then = Mux(dut.after.reset, initial, then)
                    m.d.comb += Assert(
                        ~begun | (part == past(m, then, f"{own}_{field.name}_{index}"))
                    )
        m.d.comb += Cover(begun & dut.after.write & ~dut.after.reset)
        return m


class Decision(Elaboratable):
    """Which accesses are sent along the chains, and to whom.

    A write is two ticks after its request, if its register can be written and, unless it is live,
    nothing is armed in the tick between; a read is one tick after, if its address is not the
    window's; what was dropped is told; no group is selected but the one that the address belongs
    to.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        module = self.gateware.register_file
        dut = module.RegisterFile()
        inner = registers(add_dut(m, dut))
        drive(m, dut)
        bus = dut.bus
        m.d.comb += Assume(~dut.reset)
        begun = past(m, 1, "begun")
        address = bus.address
        kinds = {"live": Value.cast(0), "locked": Value.cast(0)}
        for register in regmap.IRQSCOPE.registers:
            if register.writable:
                for index in range(register.words):
                    kind = "live" if register.live else "locked"
                    kinds[kind] = kinds[kind] | (address == register.address + index)
        window = regmap.IRQSCOPE.memories[0]
        in_window = (address >= window.address) & (address < window.address + window.words)
        locked = past(m, kinds["locked"], "locked")
        known = Cat(
            in_window,
            *(
                address == register.address + index
                for register in regmap.IRQSCOPE.registers
                for index in range(register.words)
            ),
        ).any()
        read_nothing = past(m, bus.request & ~bus.write & ~known, "reads")
        reading = bus.request & ~bus.write & ~in_window
        m.d.comb += Assert(~begun | (inner["reading"] == past(m, reading, "reading")))
        # A write is decided in the tick after its request; Control may change its mind until then.
        asked = past(m, bus.request & bus.write, "asked")
        begun_before = past(m, begun, "begun_before")
        for name, value in (
            ("writing", past(m, kinds["live"], "live") | (locked & ~dut.armed)),
            ("write_while_armed", locked & dut.armed),
            ("bad_address", ~past(m, kinds["live"] | kinds["locked"], "known")),
        ):
            decided = past(m, asked & value, f"decided_{name}")
            if name == "bad_address":
                decided = decided | past(m, read_nothing, "read_nothing")
            m.d.comb += Assert(~begun_before | (inner[name] == decided))
        for number, chain in enumerate(module.chains()):
            for bit, group in enumerate(chain):
                places = module.range_of(group)
                own = (address >= places[0]) & (address < places[0] + len(places))
                selected = inner[f"select_{number}"][bit]
                m.d.comb += Assert(~begun | (selected == past(m, own, f"own_{number}_{bit}")))
        m.d.comb += Cover(inner["writing"])
        return m


LINK = [
    Mutation(
        "reads_write",
        "register_group",
        "m.If(self.after.write & here & (offset == place))",
        "m.If((self.after.write | self.after.read) & here & (offset == place))",
    ),
    Mutation(
        "whatever_is_selected",
        "register_group",
        "m.If(self.after.write & here & (offset == place))",
        "m.If(self.after.write & (offset == place))",
    ),
    Mutation(
        "forgets_the_second_word",
        "register_group",
        "                        self._store(m, register, index)\n",
        "                        self._store(m, register, 0)\n",
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
DECISION = [
    Mutation(
        "writes_while_armed",
        "register_file",
        "live | (locked & ~self.armed)",
        "live | locked",
    ),
    Mutation(
        "reads_write",
        "register_file",
        "m.d.sync += live.eq(bus.write)",
        "m.d.sync += live.eq(1)",
    ),
]


def of(group: str):
    return lambda gateware: Link(gateware, group)


def name(mutation: Mutation) -> str:
    return mutation.name


@pytest.mark.parametrize("group", GROUPS)
def test_links_are_proved(group: str, tmp_path: Path) -> None:
    prove(of(group), 2, tmp_path)


def test_links_are_reached(tmp_path: Path) -> None:
    reach(of(""), 4, tmp_path)


@pytest.mark.parametrize("mutation", LINK, ids=name)
def test_links_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(of(""), mutation, 5, tmp_path)


def test_decision_is_proved(tmp_path: Path) -> None:
    prove(Decision, 3, tmp_path)


def test_decision_is_reached(tmp_path: Path) -> None:
    reach(Decision, 4, tmp_path)


@pytest.mark.parametrize("mutation", DECISION, ids=name)
def test_decision_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Decision, mutation, 5, tmp_path)
