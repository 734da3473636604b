"""Runs components in Amaranth's simulator, with the Timebase where they want it."""

import os
from collections.abc import Callable, Coroutine
from typing import Any

from amaranth.hdl import Elaboratable, Module
from amaranth.sim import Simulator
from hypothesis import settings

from irqscope_hw.constants import COMPARE_DELAY
from irqscope_hw.timebase import Timebase

TICK = 4e-9  #: seconds; also the unit of the tests' asynchronous delays

#: Settings of drawn inputs whose outcome is kept: the same test draws the same.
REPEATED = {"derandomize": True} if os.environ.get("IRQSCOPE_CACHE") != "" else {}

Testbench = Callable[[Any], Coroutine[Any, Any, None]]


class Simulation:
    """A component that is compiled once, which takes longer than most runs.

    Each run begins where the first one did: signals and memories have their initial values.
    """

    def __init__(self, dut: Elaboratable):
        self._simulator = Simulator(dut)
        self._simulator.add_clock(TICK)
        self._testbenches: tuple[Testbench, ...] = ()
        self._places = 0

    def run(self, *testbenches: Testbench) -> None:
        """Runs until every testbench has ended."""
        self._simulator.reset()
        self._testbenches = testbenches
        while self._places < len(testbenches):
            self._simulator.add_testbench(self._placed(self._places))
            self._places += 1
        self._simulator.run()

    def _placed(self, place: int) -> Testbench:
        async def testbench(ctx: Any) -> None:
            if place < len(self._testbenches):
                await self._testbenches[place](ctx)

        return testbench


def simulate(dut: Elaboratable, *testbenches: Testbench) -> None:
    """Runs until every testbench has ended."""
    Simulation(dut).run(*testbenches)


class Timed(Elaboratable):
    """A component with a Timebase on its inputs ``ahead``, ``now`` and ``stamp``."""

    def __init__(self, dut, initial: int = 0):
        self.dut = dut
        self.timebase = Timebase(initial=initial)

    def elaborate(self, platform):
        m = Module()
        m.submodules.timebase = self.timebase
        m.submodules.dut = self.dut
        for name in ("ahead", "now", "stamp"):
            if name in self.dut.signature.members:
                m.d.comb += getattr(self.dut, name).eq(getattr(self.timebase, name))
        return m

    def now(self, ctx) -> int:
        return ctx.get(self.timebase.now)

    async def advance(self, ctx, until: int, *, skip: bool = False) -> None:
        """Ticks until ``now`` equals ``until``, with every skip that the theorem allows."""
        while self.now(ctx) < until:
            goal = until
            if ctx.get(self.dut.target_valid):
                goal = min(goal, ctx.get(self.dut.target) - COMPARE_DELAY)
            if skip and ctx.get(self.dut.quiet) and goal > self.now(ctx) + 1:
                ctx.set(self.timebase.skip_to, goal)
                ctx.set(self.timebase.skip, 1)
            await ctx.tick()
            ctx.set(self.timebase.skip, 0)


def set_fields(ctx, interface, **values: int) -> None:
    """Sets members of a register interface."""
    for name, value in values.items():
        ctx.set(getattr(interface, name), value)


def drawn(examples: int) -> settings:
    """Settings of a test with so many drawn inputs. Without the user's cache they are new ones."""
    return settings(max_examples=examples, deadline=None, **REPEATED)
