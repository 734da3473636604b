"""A line after a marker: each time a step later, and nothing else of the pattern changes."""

import pytest
from amaranth.hdl import Module
from hypothesis import given
from hypothesis import strategies as st

from irqscope_hw.constants import (
    EVENT_DELAY,
    LEAD,
    OUTPUT_DELAY,
    SHORTEST_PHASE,
    SHORTEST_PLACEMENT,
)
from irqscope_hw.pattern_generator import PatternGenerator
from irqscope_hw.registers import encoded

from .simulation import Timed, drawn, set_fields, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

SINGLE = encoded("line_mode", "single_shot")
START, HANDLER = encoded("marker", "start"), encoded("marker", "handler")
PLACED, OTHER = 1, 2
GO = 40
START_TICK = 100
LONGEST = (1 << 32) - 1


def expected(
    markers, *, first, step, last, count, start_delay=0, high=SHORTEST_PHASE, low=SHORTEST_PHASE
):
    """Reference: rises of the placed line, by stamp of the marker, and markers ignored."""
    delay, rises, ignored, free_from = first, [], 0, 0
    for stamp in sorted(markers):
        if len(rises) == count or stamp + 1 < free_from:
            ignored += 1
            continue
        rises.append(stamp + delay + start_delay)
        # The line is done OUTPUT_DELAY ticks before the end shows at the pins; a marker is matched
        # a tick after it is presented.
        free_from = rises[-1] + high + low - OUTPUT_DELAY - EVENT_DELAY
        delay += step
        if delay > last:
            delay = first
    return rises, ignored


class Placed(Timed):
    """A generator of three lines, whose ticks are OUTPUT_DELAY ahead of the pins'."""

    def __init__(self):
        super().__init__(PatternGenerator(lines=3, cores=4))

    def elaborate(self, platform):
        m = Module()
        m.submodules.timebase = timebase = self.timebase
        m.submodules.dut = dut = self.dut
        m.d.comb += [
            dut.ahead.eq(timebase.line_ahead),
            dut.now.eq(timebase.line_now),
            dut.stamp.eq(timebase.stamp),
        ]
        return m

    async def advance(self, ctx, until, *, skip=False):
        while self.now(ctx) < until:
            valid = ctx.get(self.dut.targets_valid)
            targets = [ctx.get(t) - LEAD for i, t in enumerate(self.dut.targets) if valid >> i & 1]
            goal = min([until, *targets])
            if skip and ctx.get(self.dut.quiet) and goal > self.now(ctx) + 1:
                ctx.set(self.timebase.skip_to, goal)
                ctx.set(self.timebase.skip, 1)
            await ctx.tick()
            ctx.set(self.timebase.skip, 0)

    async def configure(self, ctx, *, enable=1, start_delay=0, **placement):
        """Lines 1 and 2 enabled, line 1 placed; cleared."""
        for index, registers in enumerate(self.dut.registers):
            set_fields(
                ctx,
                registers,
                config_enable=index != 0,
                config_mode=SINGLE,
                high_ticks=SHORTEST_PHASE,
                low_ticks=SHORTEST_PHASE,
                start_delay_ticks=start_delay if index == PLACED else 7,
            )
        names = {"cores": "config_cores", "code": "config_code", "line": "config_line"}
        values = {"line": PLACED, "cores": 1, "code": START, "step": 1, "last": 40} | placement
        for name, value in values.items():
            kind = "count_value" if name == "count" else f"{name}_ticks"
            ctx.set(getattr(self.dut.placement, names.get(name, kind)), value)
        ctx.set(self.dut.placement.config_enable, enable)
        ctx.set(self.dut.start_tick, START_TICK)
        ctx.set(self.dut.clear_in, 1)
        await ctx.tick().repeat(8)
        ctx.set(self.dut.clear_in, 0)
        await ctx.tick().repeat(8)


def run(markers, *, until, skip=False, stop=None, **config):
    """Runs the lines with markers {stamp: {core: code}}.

    Rises as (tick at the pins, line), accepted, ignored, and whether all is done at the end.
    """
    timed = Placed()
    dut = timed.dut
    found, rises = [], []

    async def testbench(ctx):
        await timed.configure(ctx, **config)
        presented = {stamp + EVENT_DELAY: sent for stamp, sent in markers.items()}
        for moment in sorted({GO, until, *presented} | ({stop} - {None})):
            await timed.advance(ctx, moment, skip=skip)
            sent = presented.get(moment, {})
            ctx.set(dut.go, moment == GO)
            ctx.set(dut.stop, moment == stop)
            ctx.set(dut.armed, moment >= GO and (stop is None or moment < stop))
            ctx.set(dut.markers, sum(1 << core for core in sent))
            for core, code in sent.items():
                ctx.set(dut.codes[core], code)
            await ctx.tick()
            for port in (dut.go, dut.stop, dut.markers):
                ctx.set(port, 0)
        counts = dut.placement.accepted_value, dut.placement.ignored_value, dut.done
        found.extend(ctx.get(count) for count in counts)

    async def watch(ctx):
        while not found:
            await ctx.tick()
            rose = ctx.get(dut.rose)
            rises.extend(
                (timed.now(ctx) + OUTPUT_DELAY, line) for line in range(3) if rose >> line & 1
            )

    simulate(timed, testbench, watch)
    return rises, *found


def of_placed(rises):
    return [tick for tick, line in rises if line == PLACED]


@drawn(15)
@given(
    gaps=st.lists(st.one_of(st.integers(1, 90), st.just(200)), min_size=1, max_size=12),
    first=st.integers(SHORTEST_PLACEMENT, 30),
    step=st.integers(0, 15),
    more=st.integers(0, 30),
    count=st.integers(1, 6),
    start_delay=st.integers(0, 12),
    skip=st.booleans(),
)
def test_each_marker_that_finds_the_line_done_starts_it_a_step_later(
    gaps, first, step, more, count, start_delay, skip
):
    stamps = [START_TICK + sum(gaps[: i + 1]) for i in range(len(gaps))]
    config = {"first": first, "step": step, "last": first + more, "count": count}
    wanted, ignored = expected(stamps, start_delay=start_delay, **config)
    rises, *counts = run(
        {stamp: {0: START} for stamp in stamps},
        until=stamps[-1] + 120,
        skip=skip,
        start_delay=start_delay,
        **config,
    )
    assert of_placed(rises) == wanted
    assert counts == [len(wanted), ignored, len(wanted) == count]
    assert [tick for tick, line in rises if line == OTHER] == [START_TICK + 7]


@pytest.mark.parametrize("last", [28, 30, 31])
def test_the_delay_begins_again_behind_the_last(last):
    stamps = [START_TICK + 200 * i for i in range(1, 8)]
    rises, *_ = run(
        {stamp: {0: START} for stamp in stamps}, until=2000, first=20, step=4, last=last, count=7
    )
    delays = [tick - stamp for tick, stamp in zip(of_placed(rises), stamps, strict=True)]
    assert delays == [20, 24, 28, 20, 24, 28, 20]


def test_the_longest_delay_does_not_wrap():
    stamps = [100, 100 + (1 << 33), 100 + (1 << 34)]
    config = {"first": LONGEST, "step": LONGEST, "last": LONGEST, "count": 3}
    rises, *counts = run({s: {0: START} for s in stamps}, until=1 << 35, skip=True, **config)
    assert of_placed(rises) == [stamp + LONGEST for stamp in stamps]
    assert counts == [3, 0, 1]


def test_only_the_named_cores_and_code_start_it():
    sent = [{0: HANDLER}, {1: START}, {2: HANDLER, 3: START}, {0: START}, {0: HANDLER, 1: START}]
    stamps = [START_TICK + 200 * i for i in range(1, 6)]
    config = {"first": 20, "step": 0, "count": 9, "cores": 0b1010}
    rises, accepted, ignored, done = run(dict(zip(stamps, sent, strict=True)), until=1500, **config)
    assert of_placed(rises) == [stamps[i] + 20 for i in (1, 2, 4)]
    assert (accepted, ignored, done) == (3, 0, 0)


def test_a_line_that_is_not_placed_starts_with_the_others():
    rises, *counts = run({200: {0: START}}, until=400, enable=0, first=0, count=0)
    assert rises == [(START_TICK, PLACED), (START_TICK + 7, OTHER)]
    assert counts == [0, 0, 1]


def test_stop_at_every_tick_behind_a_marker():
    timed, found = Placed(), []
    dut = timed.dut

    async def pulse(ctx, port, tick, *, armed=0):
        """High in a tick of each 100."""
        while timed.now(ctx) % 100 != tick:
            await ctx.tick()
            found[-1] += ctx.get(dut.rose) >> PLACED & 1
        ctx.set(dut.armed, armed)
        ctx.set(port, 1)
        await ctx.tick()
        ctx.set(port, 0)
        found[-1] += ctx.get(dut.rose) >> PLACED & 1

    async def testbench(ctx):
        await timed.configure(ctx, first=20, count=2)
        ctx.set(dut.codes[0], START)
        for tick in range(41, 90):
            found.append(0)
            await pulse(ctx, dut.go, 10, armed=1)
            await pulse(ctx, dut.markers, 40, armed=1)
            await pulse(ctx, dut.stop, tick)
            await pulse(ctx, dut.clear_in, 95)
            assert ctx.get(dut.done) and not ctx.get(dut.levels)

    simulate(timed, testbench)
    # Presented in 40, the marker is of 38, and the pins rise in 58, OUTPUT_DELAY after the line.
    assert found == [int(tick >= 56) for tick in range(41, 90)]


@pytest.mark.parametrize("behind", [1, 2, 3, 4, 5, 50])
def test_clear_zeroes_the_counts_and_ends_what_is_under_way(behind):
    timed, counts, rises = Placed(), [], []
    dut = timed.dut

    async def testbench(ctx):
        await timed.configure(ctx, first=20, count=3)
        ctx.set(dut.armed, 1)
        ctx.set(dut.go, 1)
        await ctx.tick()
        ctx.set(dut.go, 0)
        ctx.set(dut.codes[0], START)
        for gap in (100, 100, 1):  # to a marker; two are accepted, the third is ignored
            while gap := gap - 1:
                await ctx.tick()
            ctx.set(dut.markers, 1)
            await ctx.tick()
            ctx.set(dut.markers, 0)
        await ctx.tick().repeat(behind)
        ctx.set(dut.clear_in, 1)
        placement = dut.placement
        for ticks in (8, 100):
            await ctx.tick().repeat(ticks)
            counts.append((ctx.get(placement.accepted_value), ctx.get(placement.ignored_value)))
            ctx.set(dut.clear_in, 0)
        assert ctx.get(dut.done)

    async def watch(ctx):
        while len(counts) < 2:
            await ctx.tick()
            rises.append(ctx.get(dut.rose) >> PLACED & 1)

    simulate(timed, testbench, watch)
    assert counts == [(0, 0)] * 2
    assert sum(rises) == 1 + (behind == 50)  # the second pulse is 20 ticks after its marker


def test_go_begins_with_the_first_delay_again():
    timed, rises = Placed(), []
    dut = timed.dut

    async def testbench(ctx):
        await timed.configure(ctx, first=20, step=5, count=3)
        for pulse in ("go", "marker", "marker", "stop", "go", "marker"):
            ctx.set(dut.armed, pulse != "stop")
            ctx.set(dut.go, pulse == "go")
            ctx.set(dut.stop, pulse == "stop")
            ctx.set(dut.markers, pulse == "marker")
            ctx.set(dut.codes[0], START)
            stamp = timed.now(ctx) - EVENT_DELAY
            for _ in range(100):
                await ctx.tick()
                for port in (dut.go, dut.stop, dut.markers):
                    ctx.set(port, 0)
                if ctx.get(dut.rose) >> PLACED & 1:
                    rises.append(timed.now(ctx) + OUTPUT_DELAY - stamp)

    simulate(timed, testbench)
    assert rises == [20, 25, 20]


@pytest.mark.parametrize(
    ("refused", "config"),
    [
        (0b000, {"first": 20, "last": 20, "count": 1}),
        (0b010, {"first": 19, "last": 30, "count": 1}),
        (0b010, {"first": 21, "last": 20, "count": 1}),
        (0b010, {"first": 20, "last": 20, "count": 0}),
        (0b001, {"first": 20, "last": 20, "count": 1, "line": 0}),  # which is not enabled
        (0b000, {"first": 0, "last": 0, "count": 0, "enable": 0}),
    ],
)
def test_what_is_refused(refused, config):
    timed = Placed()

    async def testbench(ctx):
        await timed.configure(ctx, **config)
        assert ctx.get(timed.dut.refused) == refused

    simulate(timed, testbench)
