import pytest

from irqscope_hw.constants import COMPARE_DELAY, DECISION_DELAY, LEAD, OUTPUT_DELAY
from irqscope_hw.timebase import Timebase

from .simulation import simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

WRAP = 1 << 64


def offsets_hold(ctx, dut):
    now = ctx.get(dut.now)
    assert ctx.get(dut.ahead) == (now + COMPARE_DELAY) % WRAP
    assert ctx.get(dut.line_now) == (now + OUTPUT_DELAY) % WRAP
    assert ctx.get(dut.line_ahead) == (now + LEAD) % WRAP
    assert ctx.get(dut.stamp) == (now - DECISION_DELAY) % WRAP


@pytest.mark.parametrize("initial", [0, 2, (1 << 32) - 4, WRAP - 5])
def test_counts_and_wraps_with_its_offsets(initial):
    dut = Timebase(initial=initial)

    async def testbench(ctx):
        for tick in range(initial, initial + 10):
            assert ctx.get(dut.now) == tick % WRAP
            offsets_hold(ctx, dut)
            await ctx.tick()

    simulate(dut, testbench)


@pytest.mark.parametrize("skip_to", [0, 1, 1 << 40, WRAP - 2])
def test_skip_numbers_the_next_tick_and_counting_goes_on_from_there(skip_to):
    dut = Timebase(initial=1000)

    async def testbench(ctx):
        ctx.set(dut.skip_to, skip_to)
        await ctx.tick()
        assert ctx.get(dut.now) == 1001
        ctx.set(dut.skip, 1)
        await ctx.tick()
        ctx.set(dut.skip, 0)
        for tick in range(skip_to, skip_to + 5):
            assert ctx.get(dut.now) == tick % WRAP
            offsets_hold(ctx, dut)
            await ctx.tick()

    simulate(dut, testbench)


def test_reset_begins_anew():
    dut = Timebase(initial=7)

    async def testbench(ctx):
        await ctx.tick().repeat(5)
        ctx.set(dut.reset, 1)
        for _ in range(3):
            await ctx.tick()
            assert ctx.get(dut.now) == 7
            offsets_hold(ctx, dut)
        ctx.set(dut.reset, 0)
        await ctx.tick()
        assert ctx.get(dut.now) == 8

    simulate(dut, testbench)
