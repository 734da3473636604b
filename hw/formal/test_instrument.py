"""A skip loses no state between the parts of the top module either.

Parts whose stillness has a separate proof are replaced by ``parts``. That leaves all other
registers of the instrument, and the parts' assumptions about their inputs.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Elaboratable, Fragment, Module
from amaranth.lib.wiring import In

from . import parts, stand_in
from .contract import add_dut, past, still
from .prover import Gateware, Mutation, bound, prove, reach, refute, registers

BINS_LOG2 = 4  # the clear, of as many ticks as bins, outlasts the reset's way along the links
STAND_INS = dict.fromkeys(parts.MODULES, parts)


def build(gateware: Gateware):
    return gateware.instrument.Instrument(marker_delay=2, bins_log2=BINS_LOG2, depth_log2=3)


def between(found: dict) -> dict:
    """Those registers of the top that are in none of the parts."""
    return {path: r for path, r in found.items() if not path.startswith(tuple(parts.PLACES))}


def stand_ins(fragment: Fragment, path: str = "") -> dict[str, parts.Part]:
    """The parts that are in, by path."""
    found = {}
    for inner, name, _ in fragment.subfragments:
        for origin in inner.origins or ():
            if isinstance(origin, parts.Part):
                found[f"{path}{name}."] = origin
        found |= stand_ins(inner, f"{path}{name}.")
    return found


class Facts(Elaboratable):
    """The real parts have the properties of the stand-ins for all inputs."""

    def __init__(self, gateware: Gateware, part: str):
        self.gateware = gateware
        self.part = part

    def elaborate(self, platform):
        m = Module()
        sizes = {"bins_log2": 2, "lines": 1} if self.part == "LatencyChannel" else {}
        module = getattr(self.gateware, FACTS[self.part])
        dut = getattr(module, self.part)(cores=1, **sizes)
        inner = registers(add_dut(m, dut))
        for port in parts.ports(dut, In).values():
            m.d.comb += port.eq(AnySeq(len(port)))
        begun = past(m, 1, "begun")
        facts = getattr(parts, self.part).facts(dut, m)
        m.d.comb += [Assert(~begun | ~dut.quiet | facts), Cover(begun & dut.quiet)]
        if self.part == "LatencyChannel":
            reading, issued = inner["histogram.reading"], inner["histogram.read_issued"]
            asked = past(m, dut.read & ~(reading | issued | dut.read_done), "asked")
            m.d.comb += [
                Assert(~reading | asked),
                Assert(issued == past(m, reading, "reading")),
                Assert(dut.read_done == past(m, issued, "issued")),
                Assert(dut.read_done | (dut.read_data == 0)),
            ]
        return m


#: Parts that say something of the ticks in which they are quiet, and their modules.
FACTS = {"Line": "line", "Placement": "placement", "LatencyChannel": "latency_channel"}


#: Stages of the window's read, in a channel.
STAGES = ("reading", "issued", "read_done")


class Stillness(Elaboratable):
    """After a quiet tick no register between the parts has changed, and every part was calm.

    Nobody asks, no marker comes, and reset is over: port and front end are quiet.
    """

    flat = True

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        dut = build(self.gateware)
        fragment = Fragment.get(dut, platform=None)
        m.submodules.dut = fragment
        for port in parts.ports(dut, In).values():
            m.d.comb += port.eq(AnySeq(len(port)))
        rest = ~(
            dut.bus.request | dut.front_end.markers.any() | dut.pin_collided | dut.rst | dut.reset
        )
        quiet = dut.quiet & rest
        replaced = stand_ins(fragment)
        assert replaced.keys() == parts.PLACES.keys()
        own = between(registers(fragment))
        still(m, quiet, own)
        for part in replaced.values():
            m.d.comb += Assert(~quiet | part.calm)
        m.d.comb += Cover(quiet & past(m, ~dut.quiet, "busy"))
        self._known(m, own, replaced)
        return m

    def _known(self, m, own, replaced):
        """Invariants for the induction: the clear after a reset, and the window's read."""
        file = replaced["registers."]
        first, left = own["pattern.clear_0"], own["control.left"]
        most = (1 << BINS_LOG2) - 1
        clearing, elsewhere = own["control.clearing"], own["elsewhere"]
        chain = Cat(
            *(own[f"pattern.clear_{i}"] for i in range(7)),
            own["pattern.clear_out"],
            own["pattern.clear"],
            own["clear"],
        )
        since = file.since_reset
        m.d.comb += [
            Assert(since <= parts.RESET_TICKS),
            Assert((since == parts.RESET_TICKS) | (clearing & (left == most - since))),
            Assert(clearing | (left == most)),
            Assert(~clearing | (left == most) | first),
            Assert(first == own["pattern.clear"]),
            Assert(clearing | elsewhere | ~chain.any()),
        ]
        channels = [replaced[f"channel_{i}."] for i in range(8)]
        recent = since < 5
        selected = own["selected"]
        ways = [Cat(getattr(c, stage) for c in channels) for stage in STAGES]
        flying = [*(way.any() for way in ways), own["window_done"]]
        m.d.comb += [
            Assert(recent | (sum(flying) <= 1)),
            Assert(recent | ~Cat(flying).any() | file.window_read),
            Assert(own["window_done"] | (own["window_data"] == 0)),
            Assert(~file.window_read | ((file.held == parts.HELD) & (since == parts.RESET_TICKS))),
            Assert((file.held == 0) | (selected == (1 << file.root.hist_select_channel)[:8])),
            *(Assert(recent | (way & ~selected == 0)) for way in ways),
            *(Assert(c.read_done | (c.read_data == 0)) for c in channels),
        ]


class Cleared(Stillness):
    """The same, begun after the clear that follows a reset: a bug shows sooner there.

    Nothing but the registers named here has to change in that clear, so this begins in a state
    that the instrument gets into.
    """

    def _known(self, m, own, replaced):
        super()._known(m, own, replaced)
        over = [r for path, r in own.items() if path in CLEARING or "clear_" in path]
        for register in over:
            register._init = 0
        replaced["registers."].since_reset._init = parts.RESET_TICKS


#: Registers that are high in a reset and until the clear after it is over, and a line's each.
CLEARING = ("reset", "clear", "elsewhere", "control.clearing", "pattern.clear")
MUTATIONS = [
    Mutation("errors_in_no_quiet", "instrument", ", told).all()", ").all()"),
    Mutation(
        "routing_in_no_quiet", "instrument", "for part in [*parts, routing])", "for part in parts)"
    ),
    Mutation(
        "one_more_register",
        "instrument",
        "        m.d.sync += self.error.eq(error_now)\n",
        "        m.d.sync += self.error.eq(error_now)\n"
        "        idle = Signal()\n"
        "        m.d.sync += idle.eq(~idle)\n",
    ),
]


def test_every_register_of_the_top_is_looked_at() -> None:
    """Each register of the real top is in a part that has a theorem, or between the parts."""
    gateware = Gateware()
    real = registers(Fragment.get(build(gateware), platform=None))
    looked_at = Fragment.get(build(Gateware(stand_ins=STAND_INS)), platform=None)
    assert between(real).keys() == between(registers(looked_at)).keys() != set()
    assert all(any(path.startswith(place) for path in real) for place in parts.PLACES)


FACTS_MUTATIONS = [
    Mutation("quiet_behind_a_stop", "line", "(stage.any() | drop |", "(stage.any() |"),
    Mutation(
        "quiet_with_the_go", "placement", "~(matched | stage.any()", "~(matched | stage[1:].any()"
    ),
]


def name(mutation: Mutation) -> str:
    return mutation.name


@pytest.mark.parametrize("part", FACTS)
def test_facts_are_proved(part: str, tmp_path: Path) -> None:
    prove(lambda gateware: Facts(gateware, part), 4, tmp_path, comparator=stand_in)


def test_facts_are_reached(tmp_path: Path) -> None:
    reach(lambda gateware: Facts(gateware, "Line"), 4, tmp_path, comparator=stand_in)


@pytest.mark.parametrize("mutation", FACTS_MUTATIONS, ids=name)
def test_facts_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    part = next(part for part, module in FACTS.items() if module == mutation.module)
    refute(lambda gateware: Facts(gateware, part), mutation, 8, tmp_path, comparator=stand_in)


def test_stillness_is_proved(tmp_path: Path) -> None:
    prove(Stillness, 4, tmp_path, **STAND_INS)


def test_stillness_holds_from_behind_the_clear(tmp_path: Path) -> None:
    bound(Cleared, 8, tmp_path, **STAND_INS)


def test_stillness_is_reached(tmp_path: Path) -> None:
    reach(Cleared, 8, tmp_path, **STAND_INS)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=name)
def test_stillness_is_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Cleared, mutation, 8, tmp_path, **STAND_INS)
