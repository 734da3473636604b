"""A pin's level is new when it has stood for the filter; each chosen edge of it is one marker."""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from pathlib import Path

import pytest
from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Assert, Cover, Elaboratable, Module, Mux, Signal, Value

from .contract import add_dut, past, still
from .prover import Gateware, Mutation, prove, reach, refute, registers

FILTER_BITS = 2
LONGEST = (1 << FILTER_BITS) - 1


class Edges(Elaboratable):
    """Two pins in any phase, with any settings, compared with windows of their past levels."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        constants, front_end = self.gateware.constants, self.gateware.pin_front_end
        dut = front_end.PinFrontEnd(pins=2, cores=2, filter_bits=FILTER_BITS)
        inner = registers(add_dut(m, dut))
        settings = Value.cast(dut.settings)
        pins, takes = Signal(2), Signal(2)
        m.d.comb += [
            settings.eq(AnyConst(len(settings))),
            pins.eq(AnySeq(2)),
            takes.eq(AnySeq(2)),
            dut.pins.eq(pins),
            dut.takes.eq(takes),
        ]
        # Sampled at the end of tick t, held by the first flip-flop in k = t + 1, fired in
        # k + 2 + filter:
        age = Signal(5)
        m.d.sync += age.eq(age + ~age.all())
        begun, settled = age > 0, age > 5
        fired = []
        for index in range(2):
            chosen = dut.settings[index]
            core = (1 << chosen.core)[:2]
            for name, edge in (("rises", chosen.rise), ("falls", chosen.fall)):
                digested = core & edge.replicate(2)
                m.d.comb += Assert(~begun | (inner[f"{name}_{index}"] == digested))
            was = [pins[index]]
            for tick in range(2 + LONGEST + 1):
                was.append(past(m, was[-1], f"pin_{index}_{tick}"))
            level = dut.levels[index]
            before = past(m, level, f"level_{index}")
            # The level changed with this tick if the filter's length of samples and one more, the
            # last of which the second flip-flop held in the tick before, all differed from it.
            stood = [was[3 + i] != before for i in range(LONGEST + 1)]
            new = reduce(
                or_,
                ((chosen.filter == n) & reduce(and_, stood[: n + 1]) for n in range(LONGEST + 1)),
            )
            m.d.comb += Assert(~settled | (level == before ^ new))
            fired.append(new & Mux(level, chosen.rise, chosen.fall))
            # Makes it inductive: counted samples did differ.
            for n in range(1, LONGEST + 1):
                counted = inner[f"stood_{index}"] >= n
                m.d.comb += Assert(
                    ~settled | ~counted | reduce(and_, (w != level for w in was[3 : 3 + n]))
                )
                more = reduce(and_, (w != level for w in was[3 : 3 + n]))
                m.d.comb += Assert(~settled | ~more | (chosen.filter < n) | counted)
            m.d.comb += Assert(~settled | (inner[f"stood_{index}"] <= chosen.filter))
        for core in range(2):
            of_core = [fired[i] & (dut.settings[i].core == core) for i in range(2)]
            m.d.comb += [
                Assert(~settled | (dut.front_end.markers[core] == (of_core[0] | of_core[1]))),
                Assert(
                    ~(settled & of_core[0]) | (dut.front_end.codes[core] == dut.settings[0].code)
                ),
                Assert(
                    ~(settled & of_core[1] & ~of_core[0])
                    | (dut.front_end.codes[core] == dut.settings[1].code)
                ),
                Assert(
                    ~past(m, settled & dut.front_end.markers[core], f"given_{core}")
                    | dut.front_end.seen[core]
                ),
            ]
        cores = [(1 << dut.settings[i].core)[:2] for i in range(2)]
        lost = past(m, cores[0] & cores[1] & (fired[0] & fired[1]).replicate(2), "both")
        m.d.comb += [
            Assert(~settled | (dut.collided == past(m, (lost & takes).any(), "told"))),
            Assert(
                constants.FRONT_END_DELAY + front_end.PIN_DELAY == 2
            ),  # from k to the marker, no filter
            Cover(age.all() & dut.collided & (dut.settings[0].filter == LONGEST)),
            Cover(age.all() & dut.front_end.markers.all() & dut.settings[1].fall & ~dut.levels[1]),
        ]
        still(m, dut.quiet & begun, inner)
        return m


MUTATIONS = [
    Mutation(
        "one_sample_less",
        "pin_front_end",
        "ticks == chosen.filter",
        "ticks + 1 >= chosen.filter",
    ),
    Mutation("glitches_add_up", "pin_front_end", "                ticks.eq(0),\n", ""),
    Mutation(
        "rises_for_falls",
        "pin_front_end",
        "Mux(new, rises[index], falls[index])",
        "Mux(new, falls[index], rises[index])",
    ),
    Mutation(
        "collision_untold",
        "pin_front_end",
        "more | (here & taken)",
        "more | (here & 0)",
    ),
    Mutation("collision_told_to_none", "pin_front_end", "(lost & self.takes)", "lost"),
    Mutation("quiet_while_new", "pin_front_end", "            & (second == self.levels)\n", ""),
]


def test_edges_are_proved(tmp_path: Path) -> None:
    prove(Edges, 8, tmp_path)


def test_edges_are_reached(tmp_path: Path) -> None:
    reach(Edges, 36, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_edges_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Edges, mutation, 18, tmp_path)
