import itertools
import math

import pytest

from irqscope_hw.constants import FRONT_END_DELAY, MARKER_DELAY
from irqscope_hw.marker_capture import MarkerCapture
from irqscope_hw.registers import encoded

from .simulation import TICK, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

APB = 10e-9  #: period of the clock that moves the markers


def nibble(toggle, code):
    return toggle << 3 | code


def record(dut, found, end):
    """A testbench that notes (tick, core, code) of each marker, ticks counted from reset."""

    async def testbench(ctx):
        tick = 0
        async for _ in ctx.tick():
            tick += 1
            for core in range(len(dut.markers)):
                if ctx.get(dut.markers) >> core & 1:
                    found.append((tick, core, ctx.get(dut.codes[core])))
            if end(ctx, tick):
                return

    return testbench


def test_every_phase_of_a_slower_clock_with_worst_case_skew():
    dut = MarkerCapture(cores=1)
    found, expected = [], []
    phases = [i * 0.25e-9 for i in range(80)]  # 20 ns: the pattern of both clocks repeats
    # Each bit leaves at once or as late as the constraint allows.
    skews = list(itertools.product([0.0, 0.99 * TICK], repeat=4))
    moments = [
        (100e-9 + index * 8 * APB + phase, skew)
        for index, (phase, skew) in enumerate(itertools.product(phases, skews))
    ]

    async def store(ctx):
        time, value = 0.0, 0
        for index, (moment, skew) in enumerate(moments):
            code = (index * 5 + 3) % 8
            new = nibble(~value >> 3 & 1, code)
            for bit in sorted(range(4), key=lambda bit: skew[bit]):
                at = moment + skew[bit] + 1e-12
                await ctx.delay(at - time) if at > time else None
                time = max(time, at)
                value = value & ~(1 << bit) | new & 1 << bit
                ctx.set(dut.nibbles.as_value(), value)
            # Clock edges are at TICK / 2 + i * TICK; tick i + 1 follows edge i.
            sampled = math.ceil((moment + skew[3] + 1e-12 - TICK / 2) / TICK) + 1
            expected.append((sampled + MARKER_DELAY + FRONT_END_DELAY, 0, code))

    last = int((moments[-1][0] + 100e-9) / TICK)
    simulate(dut, store, record(dut, found, lambda ctx, tick: tick > last))
    assert found == expected


def test_the_code_may_settle_one_tick_before_or_after_the_toggle_but_no_later():
    # One tick late is inside the constraint, three are not: the old code is taken.
    for late, code in ((-1, 5), (0, 5), (1, 5), (2, 5), (3, 0)):
        dut = MarkerCapture(cores=1)
        found = []

        async def store(ctx, dut=dut, late=late):
            await ctx.tick().repeat(10)
            if late < 0:
                ctx.set(dut.nibbles.as_value(), nibble(0, 5))
                await ctx.tick().repeat(-late)
            ctx.set(dut.nibbles.as_value(), nibble(1, 5 if late <= 0 else 0))
            if late > 0:
                await ctx.tick().repeat(late)
                ctx.set(dut.nibbles.as_value(), nibble(1, 5))

        simulate(dut, store, record(dut, found, lambda ctx, tick: tick > 30))
        assert [code for _, _, code in found] == [code], late


def test_four_markers_in_one_tick_and_the_shortest_distance_of_the_bus():
    dut = MarkerCapture(cores=4)
    found, expected = [], []

    async def store(ctx):
        await ctx.tick().repeat(10)
        for index in range(8):
            value = sum(nibble(~index & 1, (index + core) % 8) << 4 * core for core in range(4))
            ctx.set(dut.nibbles.as_value(), value)
            tick = 10 + 5 * index + 1 + MARKER_DELAY + FRONT_END_DELAY
            expected.extend((tick, core, (index + core) % 8) for core in range(4))
            await ctx.tick().repeat(5)

    simulate(dut, store, record(dut, found, lambda ctx, tick: tick > 70))
    assert found == expected


def test_one_cores_marker_leaves_the_others_alone():
    dut = MarkerCapture(cores=4)
    found = []

    async def store(ctx):
        await ctx.tick().repeat(10)
        ctx.set(dut.nibbles.as_value(), nibble(1, 6) << 8)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.toggles) == ctx.get(dut.seen) == 0b0100

    simulate(dut, store, record(dut, found, lambda ctx, tick: tick > 30))
    assert [(core, code) for _, core, code in found] == [(2, 6)]


@pytest.mark.parametrize("toggles", range(16))
def test_toggles_that_are_high_when_reset_ends_are_no_markers(toggles):
    dut = MarkerCapture(cores=4)
    found = []
    value = sum(nibble(toggles >> core & 1, 1) << 4 * core for core in range(4))

    async def store(ctx):
        ctx.set(dut.nibbles.as_value(), value)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.seen) == 0
        assert ctx.get(dut.toggles) == toggles
        ctx.set(dut.nibbles.as_value(), value ^ 8)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.seen) == 1

    simulate(dut, store, record(dut, found, lambda ctx, tick: tick > 30))
    assert [(core, code) for _, core, code in found] == [(0, 1)]


def test_loopback_gives_a_marker_for_each_edge_of_the_level_at_a_constant_delay():
    dut = MarkerCapture(cores=2)
    found = []

    async def store(ctx):
        ctx.set(dut.loopback, 1)
        # With loop-back the pins of nibble 0 do nothing.
        ctx.set(dut.nibbles.as_value(), nibble(1, 7))
        await ctx.tick().repeat(20)
        ctx.set(dut.level, 1)  # as a register that changes in tick 20
        await ctx.tick().repeat(15)
        assert ctx.get(dut.toggles) == 1
        ctx.set(dut.level, 0)
        await ctx.tick().repeat(15)
        assert ctx.get(dut.toggles) == 0

    simulate(dut, store, record(dut, found, lambda ctx, tick: tick > 60))
    handler = encoded("marker", "handler")
    stamps = [(tick - FRONT_END_DELAY, core, code) for tick, core, code in found]
    assert stamps == [(20 + 1 + MARKER_DELAY, 0, handler), (35 + 1 + MARKER_DELAY, 0, handler)]


def test_quiet_falls_with_a_changed_input_and_rises_when_its_marker_is_gone():
    dut = MarkerCapture(cores=1)

    async def store(ctx):
        await ctx.tick().repeat(10)
        assert ctx.get(dut.quiet)
        ctx.set(dut.nibbles.as_value(), nibble(1, 2))
        presented = False
        while not presented:
            assert not ctx.get(dut.quiet)
            await ctx.tick()
            presented = ctx.get(dut.markers)
        assert not ctx.get(dut.quiet)
        await ctx.tick()
        assert ctx.get(dut.quiet)
        ctx.set(dut.nibbles.as_value(), nibble(1, 3))  # a code alone is not a marker
        for _ in range(2):
            assert not ctx.get(dut.quiet)
            await ctx.tick()
        assert ctx.get(dut.quiet)

    simulate(dut, store)
