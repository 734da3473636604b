"""A write reaches its register and no other, and a read changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cover, Elaboratable, Module, Mux, Signal, Value

from irqscope_hw import regmap

from .contract import past
from .prover import Gateware, Mutation, prove, reach, refute, soak

WORD = regmap.WORD_BITS


def member(dut, register, name):
    """The member of a register's group in the register file, or None."""
    group, _, own = register.path.rpartition(".")
    interface = dut.root if not group else getattr(dut, group.partition("[")[0])
    if group.endswith("]"):
        interface = interface[int(group.partition("[")[2][:-1])]
    return getattr(interface, f"{own}_{name}", None)


class Writes(Elaboratable):
    """Every field that software writes is in each tick what its own word's writes made of it.

    A write takes effect 2 ticks after its request, and only if its register is live or nothing is
    armed. The access before is done by then: addresses and data stay from the request to ``done``.
    """

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        m.submodules.dut = dut = self.gateware.register_file.RegisterFile()
        bus = dut.bus
        busy = Signal()
        m.d.sync += busy.eq(bus.request | (busy & ~bus.done))
        m.d.comb += [
            bus.request.eq(AnySeq(1)),
            bus.address.eq(AnySeq(len(bus.address))),
            bus.write.eq(AnySeq(1)),
            bus.write_data.eq(AnySeq(WORD)),
            dut.armed.eq(AnySeq(1)),
            dut.window_done.eq(AnySeq(1)),
            dut.window_data.eq(AnySeq(WORD)),
            Assume(~bus.request | ~busy),
            Assume(~dut.window_done | dut.window_read),
        ]
        for signal in (bus.address, bus.write, bus.write_data):
            m.d.comb += Assume(~busy | (signal == past(m, signal, f"{signal.name}_held")))
        begun = past(m, 1, "begun")
        requested = past(m, bus.request & bus.write, "requested")
        armed = dut.armed
        unlocked = past(m, ~armed, "unlocked")
        for register in regmap.IRQSCOPE.registers:
            for field in register.fields:
                port = member(dut, register, field.name)
                set_bits = member(dut, register, f"{field.name}_set")
                if set_bits is not None:
                    m.d.comb += Value.cast(set_bits).eq(AnySeq(field.width))
                if "w" not in field.software:
                    continue
                for index in range(register.words):
                    low = max(field.lsb, index * WORD)
                    high = min(field.lsb + field.width, (index + 1) * WORD)
                    if low >= high:
                        continue
                    part = port[low - field.lsb : high - field.lsb]
                    data = bus.write_data[low - index * WORD : high - index * WORD]
                    written = requested & (bus.address == register.address + index)
                    if not register.live:
                        written &= unlocked
                    if field.singlepulse:
                        then = Mux(written, data, 0)
                    elif field.woclr:
                        added = set_bits[low - field.lsb : high - field.lsb]
                        then = Mux(written, part & ~data, part) | added
                    else:
                        then = Mux(written, data, part)
                    name = f"{register.path}_{field.name}_{index}".translate(PLAIN)
                    m.d.comb += Assert(~begun | (part == past(m, then, name)))
        m.d.comb += Cover(dut.root.scratch_value == 0x12345678)
        return m


PLAIN = str.maketrans(".[]", "___")


MUTATIONS = [
    Mutation(
        "writes_while_armed",
        "register_file",
        "writing.eq(bus.write & ~self.armed)",
        "writing.eq(bus.write)",
    ),
    Mutation(
        "reads_write",
        "register_file",
        "                m.d.sync += writing.eq(bus.write)\n",
        "                m.d.sync += writing.eq(1)\n",
    ),
    Mutation(
        "forgets_the_second_word",
        "register_file",
        "m.If(bus.address == register.address + index)",
        "m.If(bus.address == register.address)",
    ),
    Mutation(
        "clearing_wins_over_setting",
        "register_file",
        "part.eq((part & ~bits) | set_bits)",
        "part.eq((part | set_bits) & ~bits)",
    ),
]


@soak
def test_writes_are_proved(tmp_path: Path) -> None:
    prove(Writes, 5, tmp_path)


def test_writes_are_reached(tmp_path: Path) -> None:
    reach(Writes, 4, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_writes_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Writes, mutation, 4, tmp_path)
