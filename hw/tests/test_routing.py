import random

import pytest

from irqscope_hw.constants import OUTPUT_DELAY
from irqscope_hw.routing import PINS, Routing

from .simulation import simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

NOWHERE = dict.fromkeys(PINS, 0)


def pins(ctx, dut):
    return {name: ctx.get(getattr(dut, name)) for name in PINS}


def test_any_line_reaches_any_pin():
    random.seed(1)
    dut = Routing(lines=8)

    async def testbench(ctx):
        for _ in range(200):
            routes = [
                {
                    "shared": random.getrandbits(16) & random.getrandbits(16),
                    "private": random.getrandbits(4),
                    "pmod": random.getrandbits(8),
                    "trace": random.getrandbits(1),
                }
                for _ in range(8)
            ]
            levels = random.getrandbits(8) & random.getrandbits(8)
            finished, finished_shared = random.getrandbits(1), random.getrandbits(16)
            for line, route in enumerate(routes):
                ctx.set(dut.routes[line], route)
            ctx.set(dut.levels, levels)
            ctx.set(dut.finished, finished)
            ctx.set(dut.finished_shared, finished_shared)
            await ctx.tick().repeat(OUTPUT_DELAY)
            assert ctx.get(dut.levels_at_pins) == levels

            def routed(name, routes=routes, levels=levels):
                value = 0
                for line, route in enumerate(routes):
                    value |= route[name] if levels >> line & 1 else 0
                return value

            assert pins(ctx, dut) == {
                "shared": routed("shared") | (finished_shared if finished else 0),
                "private": routed("private"),
                "pmod": routed("pmod"),
                "trace": sum(routes[i]["trace"] << i for i in range(8)) & levels,
            }

    simulate(dut, testbench)


def test_each_route_bit_alone():
    dut = Routing(lines=8)

    async def testbench(ctx):
        for line in range(8):
            for pin in ("shared", "private", "pmod"):
                for bit in range(PINS[pin]):
                    ctx.set(dut.routes[line], NOWHERE | {pin: 1 << bit})
                    ctx.set(dut.levels, 1 << line)
                    await ctx.tick().repeat(OUTPUT_DELAY)
                    expected = dict.fromkeys(PINS, 0)
                    expected[pin] = 1 << bit
                    assert pins(ctx, dut) == expected
                    ctx.set(dut.levels, 0xFF ^ 1 << line)
                    await ctx.tick().repeat(OUTPUT_DELAY)
                    assert pins(ctx, dut) == dict.fromkeys(PINS, 0)
            ctx.set(dut.routes[line], NOWHERE)

    simulate(dut, testbench)


@pytest.mark.parametrize("name", ["finished", "levels"])
def test_quiet_waits_until_what_changes_has_reached_the_pins(name):
    dut = Routing(lines=1)

    async def testbench(ctx):
        await ctx.tick()
        assert ctx.get(dut.quiet)
        ctx.set(getattr(dut, name), 1)
        for _ in range(OUTPUT_DELAY):
            assert not ctx.get(dut.quiet)
            await ctx.tick()
        assert ctx.get(dut.quiet)

    simulate(dut, testbench)
