import random

import pytest

from irqscope_hw.constants import OUTPUT_DELAY
from irqscope_hw.routing import Routing

from .bench import simulate

PINS = {"irq0": 8, "irq1": 8, "apugic_irq": 4, "pmod": 8, "stm_event": 8}


def pins(ctx, dut):
    return {name: ctx.get(getattr(dut, name)) for name in PINS}


def test_any_line_reaches_any_pin():
    random.seed(1)
    dut = Routing(lines=8)

    async def bench(ctx):
        for _ in range(200):
            routes = [
                {
                    "spi": random.getrandbits(16) & random.getrandbits(16),
                    "ppi": random.getrandbits(4),
                    "pmod": random.getrandbits(8),
                    "stm": random.getrandbits(1),
                }
                for _ in range(8)
            ]
            levels = random.getrandbits(8) & random.getrandbits(8)
            finished, finished_spi = random.getrandbits(1), random.getrandbits(16)
            for line, route in enumerate(routes):
                ctx.set(dut.routes[line], route)
            ctx.set(dut.levels, levels)
            ctx.set(dut.finished, finished)
            ctx.set(dut.finished_spi, finished_spi)
            await ctx.tick().repeat(OUTPUT_DELAY)
            assert ctx.get(dut.levels_at_pins) == levels

            def routed(name, routes=routes, levels=levels):
                value = 0
                for line, route in enumerate(routes):
                    value |= route[name] if levels >> line & 1 else 0
                return value

            spi = routed("spi") | (finished_spi if finished else 0)
            assert pins(ctx, dut) == {
                "irq0": spi & 0xFF,
                "irq1": spi >> 8,
                "apugic_irq": routed("ppi"),
                "pmod": routed("pmod"),
                "stm_event": sum(routes[i]["stm"] << i for i in range(8)) & levels,
            }

    simulate(dut, bench)


def test_each_route_bit_alone():
    dut = Routing(lines=8)

    async def bench(ctx):
        for line in range(8):
            for name, pin, width in (("ppi", "apugic_irq", 4), ("pmod", "pmod", 8)):
                for bit in range(width):
                    ctx.set(
                        dut.routes[line], {"spi": 0, "ppi": 0, "pmod": 0, "stm": 0, name: 1 << bit}
                    )
                    ctx.set(dut.levels, 1 << line)
                    await ctx.tick().repeat(OUTPUT_DELAY)
                    expected = dict.fromkeys(PINS, 0)
                    expected[pin] = 1 << bit
                    assert pins(ctx, dut) == expected
                    ctx.set(dut.levels, 0xFF ^ 1 << line)
                    await ctx.tick().repeat(OUTPUT_DELAY)
                    assert pins(ctx, dut) == dict.fromkeys(PINS, 0)
            ctx.set(dut.routes[line], {"spi": 0, "ppi": 0, "pmod": 0, "stm": 0})

    simulate(dut, bench)


@pytest.mark.parametrize("name", ["finished", "levels"])
def test_quiet_waits_until_what_changes_has_reached_the_pins(name):
    dut = Routing(lines=1)

    async def bench(ctx):
        await ctx.tick()
        assert ctx.get(dut.quiet)
        ctx.set(getattr(dut, name), 1)
        for _ in range(OUTPUT_DELAY):
            assert not ctx.get(dut.quiet)
            await ctx.tick()
        assert ctx.get(dut.quiet)

    simulate(dut, bench)
