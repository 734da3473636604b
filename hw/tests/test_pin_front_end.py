import math
import random

import pytest

from irqscope_hw.constants import FRONT_END_DELAY
from irqscope_hw.pin_front_end import PIN_DELAY, PinFrontEnd

from .simulation import TICK, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

NONE, FALL, RISE, BOTH = (0, 0), (0, 1), (1, 0), (1, 1)


def setting(edges, core=0, code=0, filter=0):
    rise, fall = edges
    return {"rise": rise, "fall": fall, "core": core, "code": code, "filter": filter}


def record(dut, found, last):
    """A testbench that notes (stamp, core, code) of each marker, ticks counted from reset."""

    async def testbench(ctx):
        for tick in range(1, last + 1):
            await ctx.tick()
            for core in range(len(dut.front_end.markers)):
                if ctx.get(dut.front_end.markers) >> core & 1:
                    found.append((tick - FRONT_END_DELAY, core, ctx.get(dut.front_end.codes[core])))

    return testbench


def sampled(moment):
    """The tick in which the first flip-flop holds what a pin does at this moment, s."""
    return math.ceil((moment - TICK / 2) / TICK) + 1


@pytest.mark.parametrize("filter", [0, 1, 2, 7, 250])
@pytest.mark.parametrize("edges", [FALL, RISE, BOTH])
def test_edges_at_any_phase_are_stamped_by_the_formula(edges, filter):
    dut = PinFrontEnd(pins=1, cores=1, filter_bits=8)
    found, expected = [], []
    spacing = (filter + 1) * TICK
    # Each edge at another phase of the tick, the next one as soon as the filter allows, or later.
    moments = [100e-9]
    for index in range(60):
        moments.append(moments[-1] + spacing + TICK * (0.01 + 0.37 * (index % 4)))

    async def device(ctx):
        ctx.set(dut.settings[0], setting(edges, 0, 5, filter))
        time, level = 0.0, 0
        for moment in moments:
            await ctx.delay(moment - time)
            time, level = moment, level ^ 1
            ctx.set(dut.pins, level)
            if edges[1 - level]:
                expected.append((sampled(moment) + PIN_DELAY + filter, 0, 5))

    simulate(dut, device, record(dut, found, sampled(moments[-1]) + filter + 10))
    assert found == expected


@pytest.mark.parametrize("filter", [1, 3, 20])
def test_what_the_filter_sees_for_its_length_or_less_is_no_edge(filter):
    dut = PinFrontEnd(pins=1, cores=1)
    found = []

    async def device(ctx):
        ctx.set(dut.settings[0], setting(BOTH, 0, 1, filter))
        await ctx.tick().repeat(10)
        for ticks in range(1, filter + 1):
            for level in (1, 0):
                ctx.set(dut.pins, level)
                await ctx.tick().repeat(ticks)
            await ctx.tick().repeat(2)
            assert ctx.get(dut.levels) == 0
        await ctx.tick().repeat(10)
        assert ctx.get(dut.quiet)
        ctx.set(dut.pins, 1)
        await ctx.tick().repeat(filter + 1)
        ctx.set(dut.pins, 0)
        await ctx.tick().repeat(2 * filter + 10)
        over.append(True)

    over = []

    async def watch(ctx):
        while not over:
            await ctx.tick()
            if ctx.get(dut.front_end.markers):
                found.append(ctx.get(dut.levels))
        assert len(found) == 2  # the one pulse that was long enough

    simulate(dut, device, watch)


def test_bounce_is_one_edge_stamped_from_where_it_ends():
    dut = PinFrontEnd(pins=1, cores=1)
    found = []

    async def device(ctx):
        ctx.set(dut.settings[0], setting(RISE, 0, 2, 9))
        await ctx.tick().repeat(20)
        for level in (1, 0, 1, 0, 1):
            ctx.set(dut.pins, level)
            await ctx.tick().repeat(3)

    simulate(dut, device, record(dut, found, 80))
    last = 20 + 4 * 3  # tick in which the pin rose for good
    assert found == [(last + 1 + PIN_DELAY + 9, 0, 2)]


def test_each_pin_has_a_core_a_code_and_edges_of_its_own():
    dut = PinFrontEnd(pins=8, cores=4)
    found, expected = [], []
    rng = random.Random(3)

    async def device(ctx):
        settings = []
        for pin in range(8):
            edges = [NONE, FALL, RISE, BOTH][rng.randrange(4)]
            settings.append(setting(edges, rng.randrange(4), rng.randrange(8), rng.randrange(4)))
            ctx.set(dut.settings[pin], settings[pin])
        levels = 0
        await ctx.tick().repeat(10)
        for index in range(64):
            pin = index * 5 % 8
            levels ^= 1 << pin
            ctx.set(dut.pins, levels)
            chosen = settings[pin]
            if chosen["rise" if levels >> pin & 1 else "fall"]:
                tick = 10 + 10 * index + 1 + PIN_DELAY + chosen["filter"]
                expected.append((tick, chosen["core"], chosen["code"]))
            await ctx.tick().repeat(10)
            assert ctx.get(dut.levels) == levels

    simulate(dut, device, record(dut, found, 700))
    assert expected and found == expected


@pytest.mark.parametrize("takes", [0b11, 0b10, 0b01, 0b00])
def test_of_two_pins_of_one_core_in_one_tick_the_lowest_is_given_and_the_other_told(takes):
    dut = PinFrontEnd(pins=3, cores=2)
    told = []

    async def device(ctx):
        for pin, (core, code) in enumerate([(1, 4), (1, 5), (0, 6)]):
            ctx.set(dut.settings[pin], setting(RISE, core, code))
        ctx.set(dut.takes, takes)
        await ctx.tick().repeat(10)
        for levels in (0b110, 0b000, 0b111, 0b000, 0b011):
            ctx.set(dut.pins, levels)
            for _ in range(8):
                await ctx.tick()
                if markers := ctx.get(dut.front_end.markers):
                    codes = [ctx.get(dut.front_end.codes[n]) for n in range(2) if markers >> n & 1]
                    await ctx.tick().repeat(2)
                    told.append((markers, codes, ctx.get(dut.collided)))

    simulate(dut, device)
    taken = takes >> 1  # that of the pins that meet
    assert told == [(0b11, [6, 5], 0), (0b11, [6, 4], taken), (0b10, [4], taken)]


@pytest.mark.parametrize("levels", [0b00, 0b01, 0b11])
def test_levels_that_are_high_when_reset_ends_are_no_edges(levels):
    dut = PinFrontEnd(pins=2, cores=1)
    found = []

    async def device(ctx):
        for pin in range(2):
            ctx.set(dut.settings[pin], setting(BOTH, 0, 3))
        ctx.set(dut.reset, 1)
        ctx.set(dut.pins, levels)
        await ctx.tick().repeat(10)
        ctx.set(dut.reset, 0)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.levels) == levels
        assert ctx.get(dut.front_end.seen) == 0
        assert ctx.get(dut.quiet)
        ctx.set(dut.pins, levels ^ 1)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.front_end.seen) == 1

    simulate(dut, device, record(dut, found, 40))
    assert [(core, code) for _, core, code in found] == [(0, 3)]


@pytest.mark.parametrize("ticks", [8, 9, 20])
def test_a_level_that_changes_while_a_later_reset_lasts_is_no_edge(ticks):
    dut = PinFrontEnd(pins=2, cores=1)
    found = []

    async def device(ctx):
        for pin in range(2):
            ctx.set(dut.settings[pin], setting(BOTH, 0, 3, 2))
        await ctx.tick().repeat(10)
        ctx.set(dut.pins, 0b01)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.front_end.seen) == 1
        ctx.set(dut.reset, 1)
        for tick in range(ticks):  # the last one in the reset's last tick
            ctx.set(dut.pins, tick & 0b11 ^ ticks & 0b11)
            await ctx.tick()
        ctx.set(dut.reset, 0)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.levels) == (ticks - 1) & 0b11 ^ ticks & 0b11
        assert ctx.get(dut.front_end.seen) == 0
        assert ctx.get(dut.quiet)

    simulate(dut, device, record(dut, found, 10 + 10 + ticks + 10))
    assert [(core, code) for _, core, code in found] == [(0, 3)]


def test_loopback_takes_pin_0_from_the_level():
    dut = PinFrontEnd(pins=2, cores=1)
    found = []

    async def device(ctx):
        ctx.set(dut.settings[0], setting(BOTH, 0, 2, 4))
        ctx.set(dut.loopback, 1)
        ctx.set(dut.pins, 1)  # does nothing
        await ctx.tick().repeat(20)
        ctx.set(dut.level, 1)  # as a register that changes in tick 20
        await ctx.tick().repeat(20)
        ctx.set(dut.level, 0)

    simulate(dut, device, record(dut, found, 80))
    assert found == [(tick + 1 + PIN_DELAY + 4, 0, 2) for tick in (20, 40)]


def test_quiet_waits_for_the_filter_and_for_the_marker():
    dut = PinFrontEnd(pins=1, cores=1)

    async def device(ctx):
        ctx.set(dut.settings[0], setting(RISE, 0, 2, 6))
        await ctx.tick().repeat(10)
        assert ctx.get(dut.quiet)
        ctx.set(dut.pins, 1)
        while not ctx.get(dut.front_end.markers):
            assert not ctx.get(dut.quiet)
            await ctx.tick()
        assert not ctx.get(dut.quiet)
        await ctx.tick()
        assert ctx.get(dut.quiet)

    simulate(dut, device)
