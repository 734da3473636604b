import pytest

from irqscope_hw.constants import ARM_AHEAD, COUNTERS_DELAY
from irqscope_hw.control import Control

from .simulation import Timed, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

BINS_LOG2 = 4
BEGIN = 40  # the clear that reset starts is over


class TimedControl(Timed):
    """A control block never announces targets."""

    async def advance(self, ctx, until):
        while self.now(ctx) < until:
            await ctx.tick()


def run(testbench, **inputs):
    dut = Control(lines=2, channels=2, bins_log2=BINS_LOG2)
    timed = TimedControl(dut)

    async def wrapped(ctx):
        for name, value in inputs.items():
            ctx.set(getattr(dut, name), value)
        await timed.advance(ctx, BEGIN)
        await testbench(ctx, timed, dut)

    simulate(timed, wrapped)


async def pulse(ctx, signal):
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)


async def errors_of(ctx, dut, ticks=6):
    """Every error pulse of the next ticks, as (tick, name, value)."""
    found = []
    for tick in range(ticks):
        for name in ("line_errors", "channel_errors", "start_error", "command_error"):
            if ctx.get(getattr(dut, name)):
                found.append((tick, name, ctx.get(getattr(dut, name))))
        await ctx.tick()
    return found


def test_reset_clears_every_bin_once():
    dut = Control(lines=2, channels=2, bins_log2=BINS_LOG2)
    ticks = []

    async def testbench(ctx):
        while ctx.get(dut.clearing):
            ticks.append(1)
            assert ctx.get(dut.busy) and not ctx.get(dut.quiet)
            await ctx.tick()
        assert ctx.get(dut.quiet) and not ctx.get(dut.busy)
        ctx.set(dut.clearing_elsewhere, 1)
        assert ctx.get(dut.busy) and not ctx.get(dut.quiet)

    simulate(dut, testbench)
    assert len(ticks) == 1 << BINS_LOG2


def test_arm_goes_four_ticks_later():
    async def testbench(ctx, timed, dut):
        await pulse(ctx, dut.arm)
        for _ in range(3):
            assert not ctx.get(dut.armed) and not ctx.get(dut.go) and not ctx.get(dut.quiet)
            await ctx.tick()
        assert ctx.get(dut.armed) and ctx.get(dut.go)
        await ctx.tick()
        assert ctx.get(dut.armed) and not ctx.get(dut.go)
        assert await errors_of(ctx, dut) == []

    run(testbench, start_tick=1000, lines_done=1)


@pytest.mark.parametrize("ahead", [-1, 0, 1, ARM_AHEAD - 1, ARM_AHEAD, ARM_AHEAD + 1, 1 << 40])
def test_a_start_tick_in_the_past_or_too_near_is_an_error_and_no_wait(ahead):
    async def testbench(ctx, timed, dut):
        ctx.set(dut.start_tick, timed.now(ctx) + ahead)
        await pulse(ctx, dut.arm)
        errors = await errors_of(ctx, dut)
        assert errors == ([(3, "start_error", 1)] if ahead < ARM_AHEAD else [])
        assert ctx.get(dut.armed) == (ahead >= ARM_AHEAD)

    run(testbench)


@pytest.mark.parametrize(
    ("refused", "error"),
    [
        ({"lines_refused": 0b10}, [(3, "line_errors", 0b10)]),
        ({"channels_refused": 0b01}, [(3, "channel_errors", 0b01)]),
        (
            {"lines_refused": 0b11, "channels_refused": 0b10, "start_tick": 0},
            [(3, "line_errors", 0b11), (3, "channel_errors", 0b10), (3, "start_error", 1)],
        ),
    ],
)
def test_what_is_refused_is_named_and_nothing_is_armed(refused, error):
    async def testbench(ctx, timed, dut):
        await pulse(ctx, dut.arm)
        assert await errors_of(ctx, dut) == error
        assert not ctx.get(dut.armed)

    run(testbench, **{"start_tick": 1000, **refused})


@pytest.mark.parametrize("command", ["arm", "clear"])
def test_arm_and_clear_are_refused_while_armed(command):
    async def testbench(ctx, timed, dut):
        await pulse(ctx, dut.arm)
        await ctx.tick().repeat(5)
        await pulse(ctx, getattr(dut, command))
        assert await errors_of(ctx, dut) == [(0, "command_error", 1)]
        assert ctx.get(dut.armed) and not ctx.get(dut.clearing)

    run(testbench, start_tick=1000)


@pytest.mark.parametrize("command", ["arm", "clear"])
def test_arm_and_clear_are_refused_while_clearing(command):
    async def testbench(ctx, timed, dut):
        await pulse(ctx, dut.clear)
        assert ctx.get(dut.clearing)
        await ctx.tick().repeat(3)
        await pulse(ctx, getattr(dut, command))
        assert await errors_of(ctx, dut) == [(0, "command_error", 1)]
        assert ctx.get(dut.clearing) and not ctx.get(dut.armed)

    run(testbench, start_tick=1000)


@pytest.mark.parametrize("after", range(1, 9))
def test_disarm_at_every_tick_after_arm(after):
    async def testbench(ctx, timed, dut):
        await pulse(ctx, dut.arm)
        for _ in range(after - 1):
            await ctx.tick()
        await pulse(ctx, dut.disarm)
        assert ctx.get(dut.stop) and not ctx.get(dut.armed) and not ctx.get(dut.go)
        for _ in range(6):
            await ctx.tick()
            assert not ctx.get(dut.stop) and not ctx.get(dut.armed) and not ctx.get(dut.go)

    run(testbench, start_tick=1000)


def test_finished_is_armed_with_all_lines_done_and_no_stimulus_open():
    async def testbench(ctx, timed, dut):
        async def finished(**inputs):
            for name, value in inputs.items():
                ctx.set(getattr(dut, name), value)
            for _ in range(COUNTERS_DELAY + 1):
                await ctx.tick()
            assert ctx.get(dut.quiet)
            return ctx.get(dut.finished)

        assert not await finished(lines_done=1)
        await pulse(ctx, dut.arm)
        while not ctx.get(dut.go):
            await ctx.tick()
        ctx.set(dut.lines_done, 0)  # lines leave DONE in the tick after go
        await ctx.tick()
        assert not ctx.get(dut.finished)
        assert not await finished(pending=0b10)
        assert not await finished(lines_done=1)
        assert await finished(pending=0)
        assert not await finished(lines_done=0)
        assert await finished(lines_done=1)
        await pulse(ctx, dut.disarm)
        await ctx.tick()
        assert not ctx.get(dut.finished)

    run(testbench, start_tick=1000)


def test_finished_waits_until_the_counters_know_what_came_before_the_lines_end():
    async def testbench(ctx, timed, dut):
        await pulse(ctx, dut.arm)
        await ctx.tick().repeat(20)
        ctx.set(dut.lines_done, 1)
        for _ in range(COUNTERS_DELAY):
            await ctx.tick()
            assert not ctx.get(dut.finished) and not ctx.get(dut.quiet)
        await ctx.tick()
        assert ctx.get(dut.finished) and ctx.get(dut.quiet)

    run(testbench, start_tick=1000)


@pytest.mark.parametrize("names", [("arm", "clear"), ("arm", "disarm"), ("clear", "disarm")])
def test_of_several_commands_the_disarm_alone_is_carried_out(names):
    async def testbench(ctx, timed, dut):
        for was_armed in (False, True):
            for name in names:
                ctx.set(getattr(dut, name), 1)
            await ctx.tick()
            for name in names:
                ctx.set(getattr(dut, name), 0)
            assert ctx.get(dut.stop) == ("disarm" in names)
            assert await errors_of(ctx, dut) == [(0, "command_error", 1)]
            assert ctx.get(dut.armed) == (was_armed and "disarm" not in names)
            assert not ctx.get(dut.clearing)
            await pulse(ctx, dut.arm)
            await ctx.tick().repeat(5)

    run(testbench, start_tick=1000)
