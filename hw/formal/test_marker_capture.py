"""Each change of a toggle is one marker, with the code that came with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Assume, Cat, Cover, Elaboratable, Module, Mux, Signal, Value

from irqscope_hw.registers import encoded

from .contract import add_dut, past, still
from .prover import Gateware, Mutation, prove, reach, refute, registers

DEPTH = 5  # ticks from the pin to the end of the pipeline


def history(m: Module, value: Value, name: str) -> list[Value]:
    """The value now and in each of the ``DEPTH`` ticks before."""
    values = [value]
    for age in range(1, DEPTH + 1):
        values.append(past(m, values[-1], f"{name}_{age}"))
    return values


class OneMarkerEach(Elaboratable):
    """Any pins, any loop-back: a marker is a change of the toggle, four ticks before."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        constants = self.gateware.constants
        dut = self.gateware.marker_capture.MarkerCapture(cores=2)
        inner = registers(add_dut(m, dut))
        nibbles, loop = Signal(8), Signal(2)
        m.d.comb += [
            nibbles.eq(AnySeq(8)),
            loop.eq(AnySeq(2)),
            Value.cast(dut.nibbles).eq(nibbles),
            dut.loopback.eq(loop[0]),
            dut.level.eq(loop[1]),
        ]
        looped = Cat(
            Mux(loop[0], encoded("marker", "handler"), nibbles[:3]),
            Mux(loop[0], loop[1], nibbles[3]),
        )
        age = Signal(4)  # ticks since reset, up to 15
        m.d.sync += age.eq(age + ~age.all())
        delay = constants.MARKER_DELAY + constants.FRONT_END_DELAY
        markers = []
        for core, pins in enumerate([looped, nibbles[4:]]):
            code, toggle = history(m, pins[:3], f"code{core}"), history(m, pins[3], f"toggle{core}")
            # Sampled at the end of tick t: first flip-flop in t + 1, marker in t + 1 + delay.
            changed = toggle[delay + 1] ^ toggle[delay + 2]
            seen = age > delay + 4
            m.d.comb += [
                Assert(~seen | (dut.markers[core] == changed)),
                # the code is sampled two ticks after the toggle was
                Assert(~(seen & dut.markers[core]) | (dut.codes[core] == code[delay - 1])),
                Assert(~dut.markers[core] | dut.seen[core]),
                Assert(~seen | (dut.toggles[core] == toggle[2])),
            ]
            markers.append(changed)
        m.d.comb += [
            Cover(dut.markers.all() & (dut.codes[0] == 5) & (dut.codes[1] == 2)),
        ]
        still(m, dut.quiet, inner)
        return m


class SettledCode(Elaboratable):
    """A store whose bits arrive within one tick of each other gives one marker with its code."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = self.gateware.marker_capture.MarkerCapture(cores=1)
        add_dut(m, dut)
        # A store: in one tick each bit is still old or already new, then all hold for 4 ticks.
        stored, before, age = Signal(4), Signal(4), Signal(3, init=7)
        mixing = Signal(4)
        m.d.comb += mixing.eq(AnySeq(4))
        store = Signal()
        ticks = Signal(4)
        m.d.sync += ticks.eq(ticks + ~ticks.all())
        new = AnySeq(3)
        m.d.comb += [store.eq(AnySeq(1)), Assume(~store | ((age >= 4) & (ticks >= 6)))]
        m.d.sync += age.eq(Mux(store, 0, age + ~age.all()))
        with m.If(store):
            m.d.sync += [before.eq(stored), stored.eq(Cat(new, ~stored[3]))]
        pins = Mux(age == 0, (stored & mixing) | (before & ~mixing), stored)
        m.d.comb += Value.cast(dut.nibbles).eq(pins)

        # The tick in which the pin of the toggle is new, one for each store.
        stored_before = past(m, store, "store")
        arrived = (stored_before & mixing[3]) | (
            past(m, stored_before, "store_2") & ~past(m, mixing[3], "mixing")
        )
        arrivals = history(m, arrived, "arrived")
        codes = history(m, stored[:3], "stored")
        m.d.comb += [
            Assert((ticks < 14) | (dut.markers[0] == arrivals[4])),
            Assert((ticks < 14) | ~dut.markers[0] | (dut.codes[0] == codes[4])),
            Cover((ticks == 15) & dut.markers[0] & (dut.codes[0] == 6) & arrivals[0]),
        ]
        return m


MUTATIONS = [
    Mutation("code_too_early", "marker_capture", "second[i].code", "first[i].code"),
    Mutation(
        "marks_rising_toggles",
        "marker_capture",
        "(self.toggles ^ toggles_before)",
        "(self.toggles & ~toggles_before)",
    ),
    Mutation(
        "one_core_hides_other",
        "marker_capture",
        "self.markers.eq(changed)",
        "self.markers.eq(changed & -changed)",
    ),
    Mutation(
        "quiet_too_early",
        "marker_capture",
        "& ~(changed | self.markers).any()",
        "& ~changed.any()",
    ),
]


def test_one_marker_each_is_proved(tmp_path: Path) -> None:
    prove(OneMarkerEach, 9, tmp_path)


def test_settled_code_is_proved(tmp_path: Path) -> None:
    prove(SettledCode, 14, tmp_path)


def test_markers_are_reached(tmp_path: Path) -> None:
    reach(OneMarkerEach, 16, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_one_marker_each_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(OneMarkerEach, mutation, 16, tmp_path)
