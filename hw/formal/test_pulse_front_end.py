"""Each pulse is one marker, with its code, FRONT_END_DELAY ticks after its stamp."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Elaboratable, Module, Mux, Signal, Value

from irqscope_hw.registers import encoded

from .contract import add_dut, past, still
from .prover import Gateware, Mutation, prove, reach, refute, registers


class OneMarkerEach(Elaboratable):
    """Any pulses, any loop-back."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        constants, front_end = self.gateware.constants, self.gateware.pulse_front_end
        dut = front_end.PulseFrontEnd(cores=2)
        inner = registers(add_dut(m, dut))
        inputs = Cat(dut.valid, Value.cast(dut.codes), dut.loopback, dut.level)
        m.d.comb += inputs.eq(AnySeq(len(inputs)))
        delay = front_end.PULSE_DELAY + constants.FRONT_END_DELAY
        age = Signal(3)
        m.d.sync += age.eq(age + ~age.all())
        before = past(m, dut.level, "level")
        edge = before ^ past(m, before, "level_before")
        for core in range(2):
            valid, code = dut.valid[core], dut.codes[core]
            if core == 0:
                valid = Mux(dut.loopback, edge, valid)
                code = Mux(dut.loopback, encoded("marker", "handler"), code)
            for tick in range(delay):
                valid = past(m, valid, f"valid_{core}_{tick}")
                code = past(m, code, f"code_{core}_{tick}")
            known = age > delay
            m.d.comb += [
                Assert(~known | (dut.front_end.markers[core] == valid)),
                Assert(~(known & valid) | (dut.front_end.codes[core] == code)),
                Assert(~(known & valid) | dut.front_end.seen[core] | past(m, dut.reset, "reset")),
            ]
        m.d.comb += Cover((age == 7) & dut.front_end.markers.all() & (dut.front_end.codes[0] == 6))
        # A code without its pulse is data that nothing looks at.
        valid = {name: signal[:2] if "stage" in name else signal for name, signal in inner.items()}
        still(m, dut.quiet, valid)
        return m


MUTATIONS = [
    Mutation("one_tick_late", "pulse_front_end", "range(1 + PULSE_DELAY", "range(2 + PULSE_DELAY"),
    Mutation(
        "falls_are_no_edges",
        "pulse_front_end",
        "level_before ^ level_seen",
        "level_before & ~level_seen",
    ),
    Mutation(
        "quiet_before_it_is_given",
        "pulse_front_end",
        "for stage in stages)",
        "for stage in stages[:-1])",
    ),
]


def test_one_marker_each_is_proved(tmp_path: Path) -> None:
    prove(OneMarkerEach, 5, tmp_path)


def test_markers_are_reached(tmp_path: Path) -> None:
    reach(OneMarkerEach, 10, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_one_marker_each_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(OneMarkerEach, mutation, 12, tmp_path)
