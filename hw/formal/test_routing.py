"""Each pin is the lines that are routed to it, and nothing else, OUTPUT_DELAY ticks later."""

from __future__ import annotations

from pathlib import Path

import pytest
from amaranth.asserts import AnySeq
from amaranth.hdl import Assert, Cat, Cover, Elaboratable, Module, Value

from .contract import past
from .prover import Gateware, Mutation, prove, reach, refute

LINES = 8
#: Pins that follow a mask of each route.
PINS = ("shared", "private", "pmod")


class Pins(Elaboratable):
    """A pin is high if a line that is routed to it was, or if it shows ``finished``."""

    def __init__(self, gateware: Gateware):
        self.gateware = gateware

    def elaborate(self, platform):
        m = Module()
        m.submodules.dut = dut = self.gateware.routing.Routing(lines=LINES)
        m.d.comb += [
            dut.levels.eq(AnySeq(LINES)),
            dut.finished.eq(AnySeq(1)),
            dut.finished_shared.eq(AnySeq(16)),
        ]
        for route in dut.routes:
            m.d.comb += Value.cast(route).eq(AnySeq(len(Value.cast(route))))
        begun = past(m, past(m, 1, "begun"), "begun_before")

        def before(value, name):
            """The value OUTPUT_DELAY ticks ago."""
            for tick in range(self.gateware.constants.OUTPUT_DELAY):
                value = past(m, value, f"{name}_{tick}")
            return value

        for pin in PINS:
            port = getattr(dut, pin)
            for bit in range(len(port)):
                high = Cat(
                    dut.levels[line] & getattr(dut.routes[line], pin)[bit] for line in range(LINES)
                ).any()
                if pin == "shared":
                    high |= dut.finished & dut.finished_shared[bit]
                m.d.comb += Assert(~begun | (port[bit] == before(high, f"{pin}_{bit}")))
        for line in range(LINES):
            event = dut.levels[line] & dut.routes[line].trace
            m.d.comb += Assert(~begun | (dut.trace[line] == before(event, f"trace_{line}")))
        m.d.comb += Assert(~begun | (dut.levels_at_pins == before(dut.levels, "levels")))
        pins = Cat(dut.shared, dut.private, dut.pmod, dut.trace)
        inputs = Cat(dut.levels, dut.finished, dut.finished_shared)
        inputs = Cat(inputs, *(Value.cast(route) for route in dut.routes))
        still = past(m, dut.quiet & begun, "quiet") & (inputs == past(m, inputs, "inputs"))
        same = inputs == past(m, inputs, "inputs_before")
        for tick in range(2):
            same = past(m, same, f"still_{tick}")
            still &= same
        m.d.comb += [
            Assert(~still | ~begun | (pins == past(m, pins, "pins"))),
            Cover(begun & dut.shared[15] & ~dut.shared[:8].any() & (dut.pmod == 0x81)),
        ]
        return m


MUTATIONS = [
    Mutation(
        "finished_on_every_output",
        "routing",
        "(self.finished_shared & self.finished.replicate(16))",
        "self.finished.replicate(16)",
    ),
    Mutation(
        "private_follows_pmod",
        "routing",
        'chosen.private.eq(routed("private"))',
        'chosen.private.eq(routed("pmod"))',
    ),
    Mutation(
        "events_without_mask",
        "routing",
        "self.routes[i].trace & self.levels[i]",
        "self.levels[i]",
    ),
    Mutation(
        "one_line_forgotten",
        "routing",
        "                    for i in range(self._lines)\n                ),\n            )",
        "                    for i in range(1, self._lines)\n                ),\n            )",
    ),
]


def test_pins_are_proved(tmp_path: Path) -> None:
    prove(Pins, 3, tmp_path)


def test_pins_are_reached(tmp_path: Path) -> None:
    reach(Pins, 4, tmp_path)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_pins_are_refuted(mutation: Mutation, tmp_path: Path) -> None:
    refute(Pins, mutation, 4, tmp_path)
