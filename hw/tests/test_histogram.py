from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope_hw.histogram import Histogram

from .simulation import drawn, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

BINS_LOG2 = 3
BINS = 1 << BINS_LOG2
WRITTEN = 4  #: ticks after an update's until its count is in the RAM


async def read_bin(ctx, dut, index):
    """The count by the read port, and the ticks that it took."""
    ctx.set(dut.read, 1)
    ctx.set(dut.read_bin, index)
    for ticks in range(50):
        await ctx.tick()
        if ctx.get(dut.read_done):
            ctx.set(dut.read, 0)
            count = ctx.get(dut.read_data)
            await ctx.tick()
            return count, ticks + 1
    raise AssertionError("the read is never done")


async def update(ctx, dut, index):
    """One tick, with an update unless ``index`` is None."""
    ctx.set(dut.update, index is not None)
    ctx.set(dut.bin, index or 0)
    await ctx.tick()
    ctx.set(dut.update, 0)


@drawn(60)
@given(st.lists(st.one_of(st.none(), st.sampled_from([0, 1, 7])), max_size=60))
def test_counts_exactly_at_any_distance_of_updates(updates):
    dut = Histogram(bins_log2=BINS_LOG2)
    expected = Counter(index for index in updates if index is not None)

    async def testbench(ctx):
        for index in updates:
            await update(ctx, dut, index)
        await ctx.tick().repeat(WRITTEN)
        assert ctx.get(dut.quiet)
        for index in range(BINS):
            assert await read_bin(ctx, dut, index) == (expected[index], 3)

    simulate(dut, testbench)


@pytest.mark.parametrize("distance", range(1, 7))
def test_the_same_bin_twice_at_every_distance_with_another_between(distance):
    dut = Histogram(bins_log2=BINS_LOG2)

    async def testbench(ctx):
        await update(ctx, dut, 3)
        for _ in range(distance - 1):
            await update(ctx, dut, 4)
        await update(ctx, dut, 3)
        await ctx.tick().repeat(WRITTEN)
        assert (await read_bin(ctx, dut, 3))[0] == 2
        assert (await read_bin(ctx, dut, 4))[0] == distance - 1

    simulate(dut, testbench)


def test_a_full_bin_stops_at_2_to_the_31():
    dut = Histogram(bins_log2=1, initial=[(1 << 31) - 2, 5])

    async def testbench(ctx):
        for _ in range(4):
            await update(ctx, dut, 0)
        await ctx.tick().repeat(WRITTEN)
        await update(ctx, dut, 0)
        await ctx.tick().repeat(WRITTEN)
        assert (await read_bin(ctx, dut, 0))[0] == 1 << 31
        assert (await read_bin(ctx, dut, 1))[0] == 5

    simulate(dut, testbench)


@drawn(30)
@given(st.lists(st.sampled_from([None, 2, 5]), min_size=1, max_size=20))
def test_reads_wait_for_updates_and_disturb_none(updates):
    dut = Histogram(bins_log2=BINS_LOG2, initial=[10, 10, 10, 10, 10, 1000, 10, 10])
    reads = []

    async def read(ctx):
        for _ in range(6):
            reads.append((await read_bin(ctx, dut, 2))[0])

    async def count(ctx):
        for index in updates:
            await update(ctx, dut, index)
        await ctx.tick().repeat(40)
        assert (await read_bin(ctx, dut, 2))[0] == 10 + updates.count(2)
        assert (await read_bin(ctx, dut, 5))[0] == 1000 + updates.count(5)

    simulate(dut, count, read)
    assert reads == sorted(reads)
    assert all(10 <= value <= 10 + updates.count(2) for value in reads)


def test_clear_zeroes_every_bin():
    dut = Histogram(bins_log2=BINS_LOG2, initial=range(1, BINS + 1))

    async def testbench(ctx):
        await update(ctx, dut, 1)
        await ctx.tick().repeat(WRITTEN)
        ctx.set(dut.clear, 1)
        await ctx.tick().repeat(BINS)
        ctx.set(dut.clear, 0)
        assert [(await read_bin(ctx, dut, index))[0] for index in range(BINS)] == [0] * BINS

    simulate(dut, testbench)


def test_quiet_only_while_no_update_and_no_read_is_under_way():
    dut = Histogram(bins_log2=BINS_LOG2)

    async def testbench(ctx):
        ctx.set(dut.update, 1)
        for _ in range(1 + WRITTEN):
            await ctx.delay(0)
            assert not ctx.get(dut.quiet)
            await ctx.tick()
            ctx.set(dut.update, 0)
        await ctx.delay(0)
        assert ctx.get(dut.quiet)
        ctx.set(dut.read, 1)
        while not ctx.get(dut.read_done):
            await ctx.delay(0)
            assert not ctx.get(dut.quiet)
            await ctx.tick()
        ctx.set(dut.read, 0)
        await ctx.delay(0)
        assert not ctx.get(dut.quiet)

    simulate(dut, testbench)
