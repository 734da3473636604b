from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope_hw.record_fifo import RecordFifo

from .simulation import drawn, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

DEPTH_LOG2, BANK_LOG2 = 2, 1
DEPTH = 1 << DEPTH_LOG2
HEAD_DELAY = 4  #: ticks from a push into an empty queue, or a pop, to the head


@drawn(60)
@given(st.lists(st.sampled_from(["push", "pop", "both", "wait"]), max_size=40))
def test_is_a_queue_that_ignores_a_push_when_full_and_a_pop_when_empty(actions):
    dut = RecordFifo(width=8, depth_log2=DEPTH_LOG2, bank_log2=BANK_LOG2)
    model = deque()

    async def testbench(ctx):
        unchanged = 0
        for number, action in enumerate(actions):
            before = model[0] if model else None
            ctx.set(dut.push, action in ("push", "both"))
            ctx.set(dut.pop, action in ("pop", "both"))
            ctx.set(dut.data, number)
            room = len(model) < DEPTH
            if action in ("pop", "both") and model:
                model.popleft()
                unchanged = 0
            if action in ("push", "both") and room:
                model.append(number)
            await ctx.tick()
            unchanged = unchanged + 1 if model and before == model[0] else 1
            assert ctx.get(dut.level) == len(model)
            assert ctx.get(dut.full) == (len(model) == DEPTH)
            if unchanged >= HEAD_DELAY:
                assert ctx.get(dut.head) == model[0]
        ctx.set(dut.push, 0)
        ctx.set(dut.pop, 0)
        await ctx.tick().repeat(HEAD_DELAY)
        assert ctx.get(dut.quiet)
        if model:
            assert ctx.get(dut.head) == model[0]

    simulate(dut, testbench)


def test_fills_wraps_and_is_cleared():
    dut = RecordFifo(width=8, depth_log2=DEPTH_LOG2, bank_log2=BANK_LOG2)

    async def push(ctx, value):
        ctx.set(dut.push, 1)
        ctx.set(dut.data, value)
        await ctx.tick()
        ctx.set(dut.push, 0)

    async def testbench(ctx):
        for base in (0, 50):  # the second round starts from a moved read address
            for value in range(DEPTH + 2):
                await push(ctx, base + value)
            assert ctx.get(dut.full)
            for value in range(DEPTH):
                await ctx.tick().repeat(HEAD_DELAY)
                assert ctx.get(dut.head) == base + value
                ctx.set(dut.pop, 1)
                await ctx.tick()
                ctx.set(dut.pop, 0)
            assert ctx.get(dut.level) == 0
        await push(ctx, 98)
        await push(ctx, 99)
        ctx.set(dut.pop, 1)  # so that neither address is where reset leaves it
        await ctx.tick()
        ctx.set(dut.pop, 0)
        ctx.set(dut.clear, 1)
        await ctx.tick()
        ctx.set(dut.clear, 0)
        assert ctx.get(dut.level) == 0
        await push(ctx, 7)
        await ctx.tick().repeat(HEAD_DELAY)
        assert (ctx.get(dut.level), ctx.get(dut.head)) == (1, 7)

    simulate(dut, testbench)
