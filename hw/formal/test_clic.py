"""The CLIC offers the enabled pending interrupt of the highest level and priority.

No pending interrupt is lost or invented, whatever the register values and the claims of the core.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Array, Assert, Assume, Cat, Const, Cover, Elaboratable, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .contract import add_dut, past, still
from .prover import Gateware, Mutation, prove, reach, refute, registers

#: Six sources: the tree has a rest in its second row.
IDS = (3, 7, 11, 16, 17, 23)


class Source(Elaboratable):
    """A pending bit stays set until served, and is set only by its input."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = getattr(self.gateware, "clic.gateway").Gateway()
        inner = registers(add_dut(m, dut))
        for name in ("irq", "edge", "negative", "claim", "write", "value"):
            m.d.comb += getattr(dut, name).eq(AnySeq(1))
        begun = past(m, 1, "begun")
        # An edge: the input has changed, to what counts as active.
        edge = dut.edge & (dut.irq ^ dut.negative) & (dut.irq != past(m, dut.irq, "irq"))
        had = past(m, dut.edge & dut.pending, "had") & dut.edge  # pending by edge, all the time
        came = past(m, edge, "came") & dut.edge
        left = past(m, dut.claim | dut.write, "left")
        given = past(m, dut.edge & dut.write & dut.value, "given") & dut.edge
        m.d.comb += [
            Assert(dut.edge | (dut.pending == dut.irq ^ dut.negative)),
            Assert(~edge | dut.pending),
            Assert(~came | dut.pending),
            Assert(~(had & ~left) | dut.pending),
            Assert(~given | dut.pending),
            # Nothing else makes it pending, and a claim or a write of 0 ends it.
            Assert(~(begun & dut.edge & dut.pending) | edge | came | given | (had & ~left)),
            Assert(inner["before"] == past(m, dut.irq, "input")),
            Cover(had & left & ~dut.pending),
            Cover(had & left & came & dut.pending),
            Cover(dut.edge & dut.negative & dut.pending),
        ]
        still(m, dut.quiet, inner)
        return m


class AnyFront(wiring.Component):
    """A register front end whose settings the solver chooses freely in each tick."""

    def __init__(self, gateware: Gateware):
        configuration = getattr(gateware, "clic.configuration")
        self.ids = IDS
        super().__init__(
            {
                "bus": In(configuration.BusSignature(1)),
                "configuration": Out(configuration.ConfigurationSignature(len(IDS))),
                "quiet": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        for name, member in self.configuration.signature.members.items():
            if member.flow == Out:
                port = Value.cast(getattr(self.configuration, name))
                m.d.comb += port.eq(AnySeq(len(port)))
        m.d.comb += [self.quiet.eq(AnySeq(1)), Assume(self.configuration.level_bits <= 8)]
        return m


class Offer(Elaboratable):
    """The offer is of the greatest among the sources that are pending and enabled."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        front = AnyFront(self.gateware)
        dut = getattr(self.gateware, "clic.clic").Clic(front)
        fragment = add_dut(m, dut)
        m.d.comb += [
            dut.irq.eq(AnySeq(32)),
            dut.claim.eq(AnySeq(1)),
            dut.claim_id.eq(AnySeq(5)),
            dut.running.eq(AnySeq(8)),
        ]
        settings = front.configuration
        asks = settings.pending & settings.enable
        offered = Cat(dut.valid & (dut.id == number) for number in IDS)
        # One source against the offer, whichever the solver picks.
        any_source = AnyConst(range(len(IDS)))
        m.d.comb += Assume(any_source < len(IDS))
        control = Array(Value.cast(settings.control[n]) for n in range(len(IDS)))
        numbers = Array(Const(number, 5) for number in IDS)
        ours, number = control[any_source], numbers[any_source]
        theirs = sum((Mux(offered[n], control[n], 0) for n in range(len(IDS))), Const(0, 8))[:8]
        ones = Array(Const((1 << 8 - n) - 1, 8) for n in range(9))[settings.level_bits]
        one_asks = asks.bit_select(any_source, 1)
        m.d.comb += [
            Assert(dut.valid == asks.any()),
            Assert(~one_asks | (theirs > ours) | ((theirs == ours) & (dut.id >= number))),
            Assert((offered & ~asks) == 0),
            Assert(dut.valid == offered.any()),
            Assert(~dut.valid | (dut.level == theirs | ones)),
            Assert(~dut.valid | (dut.shv == (offered & settings.shv).any())),
            Assert(dut.valid | ~Cat(dut.id, dut.level, dut.shv).any()),
            Assert(
                dut.open.bit_select(number, 1)
                == (settings.enable.bit_select(any_source, 1) & ((ours | ones) > dut.running))
            ),
            Assert((dut.open & ~Const(sum(1 << number for number in IDS), 32)) == 0),
            Cover((dut.id == 16) & (asks.all()) & (ours == theirs) & (number == 11)),
            Cover((dut.id == 3) & asks.all() & (settings.level_bits == 4)),
        ]
        for n, number in enumerate(IDS):
            # By level: each source is its own input and nobody else's.
            level = dut.irq[number] ^ settings.negative[n]
            m.d.comb += Assert(settings.edge[n] | (settings.pending[n] == level))
        # A claim is that of its own ID: the others by edge are as they were.
        others = past(m, settings.edge & settings.pending & ~settings.write, "others")
        claimed = past(m, Mux(dut.claim, Cat(dut.claim_id == n for n in IDS), 0), "claimed")
        m.d.comb += Assert((others & settings.edge & ~claimed & ~settings.pending) == 0)
        still(m, dut.quiet, registers(fragment))
        return m


MUTATIONS = [
    (Source, Mutation("claim_hides_an_edge", "clic.gateway", "(happened | left)", "left")),
    (Source, Mutation("served_without_a_claim", "clic.gateway", "kept & ~self.claim", "0")),
    (Source, Mutation("claim_is_ignored", "clic.gateway", "kept & ~self.claim", "kept")),
    (Source, Mutation("levels_are_edges", "clic.gateway", "(self.irq ^ before)", "1")),
    (
        Source,
        Mutation(
            "polarity_makes_an_edge", "clic.gateway", "before.eq(self.irq)", "before.eq(active)"
        ),
    ),
    (Source, Mutation("quiet_over_an_edge", "clic.gateway", "(self.irq == before) & ", "")),
    (Offer, Mutation("ties_to_the_lower", "clic.arbiter", ">= lower[2]", "> lower[2]")),
    (Offer, Mutation("last_one_lost", "clic.arbiter", ", *rest]", "]")),
    (Offer, Mutation("absent_one_wins", "clic.arbiter", "upper[0] & (", "(")),
    (Offer, Mutation("absent_one_hides", "clic.arbiter", "~lower[0] | ", "")),
    (
        Offer,
        Mutation(
            "disabled_are_offered",
            "clic.clic",
            "gateway.pending & configuration.enable[n]",
            "gateway.pending",
        ),
    ),
    (Offer, Mutation("open_at_its_own_level", "clic.clic", "| below) >", "| below) >=")),
    (
        Offer,
        Mutation("level_of_priority", "clic.clic", "arbiter.highest | below", "arbiter.highest"),
    ),
    (
        Offer,
        Mutation(
            "claims_of_all", "clic.clic", "self.claim & (self.claim_id == number)", "self.claim"
        ),
    ),
]


def test_source_is_proved(tmp_path: Path) -> None:
    prove(Source, 3, tmp_path)


def test_source_is_reached(tmp_path: Path) -> None:
    reach(Source, 6, tmp_path)


def test_offer_is_proved(tmp_path: Path) -> None:
    prove(Offer, 2, tmp_path)


def test_offer_is_reached(tmp_path: Path) -> None:
    reach(Offer, 4, tmp_path)


@pytest.mark.parametrize(
    ("proof", "mutation"), MUTATIONS, ids=[mutation.name for _, mutation in MUTATIONS]
)
def test_clic_is_refuted(proof, mutation: Mutation, tmp_path: Path) -> None:
    refute(proof, mutation, 4, tmp_path)
