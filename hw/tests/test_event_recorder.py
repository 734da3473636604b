from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope_hw.constants import EVENT_DELAY
from irqscope_hw.event_recorder import EventRecorder

from .simulation import Timed, drawn, set_fields, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

LINES, CORES, CHANNELS = 2, 2, 2
DEPTH_LOG2 = 3
DEPTH = 1 << DEPTH_LOG2
ALL_ONES = (1 << 32) - 1
BEGIN = 30
#: From a stamp to the tick in which the channels show their decision.
OUTCOME_DELAY = 4


@dataclass(frozen=True)
class Tick:
    """Events of one tick; channels that serve, with their latency."""

    rises: int = 0
    falls: int = 0
    codes: dict[int, int] = field(default_factory=dict)
    served: dict[int, int] = field(default_factory=dict)
    timed_out: int = 0


@dataclass(frozen=True)
class Setup:
    """Registers of the recorder."""

    rises: int = 0xFF
    falls: int = 0xFF
    timeouts: int = 0xFF
    markers: int = ALL_ONES
    channel: int = 0
    threshold: int = 0
    limit: int = 0


def reference(setup, ticks):
    """Records, number stamped, number lost."""
    records, stamped, lost = [], 0, 0
    for stamp, tick in sorted(ticks.items()):
        wanted = (
            tick.rises & setup.rises
            or tick.falls & setup.falls
            or tick.timed_out & setup.timeouts
            or any(setup.markers >> (8 * core + code) & 1 for core, code in tick.codes.items())
        )
        expired = tick.timed_out >> setup.channel & 1
        latency = ALL_ONES if expired else tick.served.get(setup.channel, 0)
        if setup.threshold and not expired:
            wanted = wanted and setup.channel in tick.served and latency >= setup.threshold
        if not wanted or (setup.limit and stamped >= setup.limit):
            continue
        stamped += 1
        if lost or len(records) == DEPTH:
            lost += 1
            continue
        cores = sum(1 << core for core in tick.codes)
        codes = sum(code << 3 * core for core, code in tick.codes.items())
        records.append((stamp, latency, tick.rises, tick.falls, cores, codes))
    return records, stamped, lost


async def remove(ctx, dut, number, register="remove"):
    ctx.set(getattr(dut.registers, f"{register}_value"), number)
    ctx.set(getattr(dut.registers, f"{register}_value_written"), 1)
    await ctx.tick()
    ctx.set(getattr(dut.registers, f"{register}_value_written"), 0)
    await ctx.tick().repeat(6)


def head(ctx, regs):
    return (
        ctx.get(regs.head_stamp_ticks),
        ctx.get(regs.head_latency_ticks),
        ctx.get(regs.head_events_rises),
        ctx.get(regs.head_events_falls),
        ctx.get(regs.head_events_cores),
        ctx.get(regs.head_events_codes),
    )


async def play(ctx, timed, setup, ticks, disarm=None):
    """Presents ``ticks`` as alignment and channels do."""
    dut = timed.dut
    set_fields(
        ctx,
        dut.registers,
        select_rises=setup.rises,
        select_falls=setup.falls,
        select_timeouts=setup.timeouts,
        select_markers_markers=setup.markers,
        sample_channel=setup.channel,
        threshold_ticks=setup.threshold,
        limit_value=setup.limit,
    )
    ctx.set(dut.armed, 1)
    last = max(ticks, default=0) + 20
    while timed.now(ctx) < last:
        now = timed.now(ctx)
        if now == disarm:
            ctx.set(dut.armed, 0)
        events = ticks.get(now - EVENT_DELAY, Tick())
        ctx.set(dut.events.rises, events.rises)
        ctx.set(dut.events.falls, events.falls)
        ctx.set(dut.events.markers, sum(1 << core for core in events.codes))
        for core in range(CORES):
            ctx.set(dut.events.codes[core], events.codes.get(core, 5))
        outcome = ticks.get(now - OUTCOME_DELAY, Tick())
        ctx.set(dut.served, sum(1 << channel for channel in outcome.served))
        ctx.set(dut.timed_out, outcome.timed_out)
        for channel in range(CHANNELS):
            ctx.set(dut.latencies[channel], outcome.served.get(channel, 12345))
        await ctx.tick()
    ctx.set(dut.armed, 0)


def run(setup, ticks, disarm=None):
    """Records taken out, number stamped, number lost, level of overflow."""
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)
    timed = Timed(dut)
    records, result = [], []

    async def testbench(ctx):
        await play(ctx, timed, setup, ticks, disarm)
        regs = dut.registers
        waiting = ctx.get(regs.waiting_value)
        assert ctx.get(dut.some) == (waiting > 0)
        assert ctx.get(dut.high) == (waiting >= DEPTH * 3 // 4)
        assert ctx.get(regs.overflow_value) == ctx.get(dut.overflow)
        for number in range(waiting):
            assert ctx.get(regs.head_number_value) == number
            records.append(head(ctx, regs))
            await remove(ctx, dut, number)
        assert ctx.get(regs.waiting_value) == 0
        result.extend([ctx.get(regs.stamped_value), ctx.get(regs.lost_value)])
        assert ctx.get(dut.overflow) == (result[1] > 0)

    simulate(timed, testbench)
    return (records, *result)


ticks = st.dictionaries(
    st.integers(BEGIN, BEGIN + 40),
    st.builds(
        Tick,
        rises=st.integers(0, 3),
        falls=st.integers(0, 3),
        codes=st.dictionaries(st.integers(0, CORES - 1), st.integers(0, 7)),
        # A channel serves or times out, never both.
        served=st.dictionaries(st.just(0), st.integers(1, 40)),
        timed_out=st.sampled_from([0, 0, 0b10]),
    ),
    max_size=14,
)


@drawn(40)
@given(
    setup=st.builds(
        Setup,
        rises=st.integers(0, 3),
        falls=st.integers(0, 3),
        timeouts=st.integers(0, 3),
        markers=st.integers(0, 0xFFFF),
        channel=st.integers(0, 1),
        threshold=st.sampled_from([0, 0, 1, 20]),
        limit=st.integers(0, 6),
    ),
    ticks=ticks,
)
def test_any_sequence_is_recorded_as_the_reference_does(setup, ticks):
    assert run(setup, ticks) == reference(setup, ticks)


def test_a_latency_at_the_threshold_is_recorded():
    latencies = (19, 20, 21)
    happenings = {BEGIN + i: Tick(rises=1, served={0: n}) for i, n in enumerate(latencies)}
    records, stamped, _ = run(Setup(threshold=20), happenings)
    assert [latency for _, latency, *_ in records] == [20, 21]
    assert stamped == 2


def test_a_full_queue_loses_all_later_records_and_counts_them():
    happenings = {BEGIN + i: Tick(rises=1) for i in range(DEPTH + 5)}
    records, stamped, lost = run(Setup(), happenings)
    assert [record[0] for record in records] == list(range(BEGIN, BEGIN + DEPTH))
    assert (stamped, lost) == (DEPTH + 5, 5)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_holds_with_a_record_in_every_tick(limit):
    happenings = {BEGIN + i: Tick(rises=1) for i in range(limit + 4)}
    setup = Setup(limit=limit)
    assert run(setup, happenings) == reference(setup, happenings)


def test_room_made_after_an_overflow_does_not_open_the_recorder_before_clear():
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)
    timed = Timed(dut)

    async def testbench(ctx):
        regs = dut.registers
        await play(ctx, timed, Setup(), {BEGIN + i: Tick(rises=1) for i in range(DEPTH + 1)})
        for number in range(DEPTH):
            await remove(ctx, dut, number)
        now = timed.now(ctx)
        await play(ctx, timed, Setup(), {now + 10: Tick(rises=1)})
        assert ctx.get(regs.waiting_value) == 0
        assert (ctx.get(regs.stamped_value), ctx.get(regs.lost_value)) == (DEPTH + 2, 2)
        ctx.set(dut.clear, 1)
        await ctx.tick().repeat(10)
        ctx.set(dut.clear, 0)
        names = ("stamped", "lost", "waiting", "head_number", "overflow")
        assert [ctx.get(getattr(regs, f"{name}_value")) for name in names] == [0] * 5
        now = timed.now(ctx)
        await play(ctx, timed, Setup(), {now + 10: Tick(falls=2)})
        assert head(ctx, regs) == (now + 10, 0, 0, 2, 0, 0)

    simulate(timed, testbench)


@pytest.mark.parametrize("number", [0, 1, 3, ALL_ONES])
def test_removing_a_record_that_is_not_the_head_does_nothing(number):
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)
    timed = Timed(dut)

    async def testbench(ctx):
        await play(ctx, timed, Setup(), {BEGIN + i: Tick(rises=1) for i in range(4)})
        for head_number in (0, 1):
            await remove(ctx, dut, head_number)
        before = head(ctx, dut.registers)
        assert before[0] == BEGIN + 2
        await remove(ctx, dut, number)
        assert head(ctx, dut.registers) == before
        assert ctx.get(dut.registers.waiting_value) == 2

    simulate(timed, testbench)


def test_the_head_number_of_an_empty_queue_removes_nothing():
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)

    async def testbench(ctx):
        await remove(ctx, dut, 0)
        assert ctx.get(dut.registers.head_number_value) == 0
        assert ctx.get(dut.registers.waiting_value) == 0

    simulate(Timed(dut), testbench)


@pytest.mark.parametrize("disarm", range(BEGIN + 8, BEGIN + 16))
def test_what_is_presented_after_disarm_is_not_recorded(disarm):
    happenings = {BEGIN + 10: Tick(rises=1, timed_out=0)}
    records, stamped, _ = run(Setup(), happenings, disarm)
    assert stamped == len(records) == (disarm > BEGIN + 10 + EVENT_DELAY)


def test_quiet_until_the_head_stands():
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)
    timed = Timed(dut)

    async def testbench(ctx):
        ctx.set(dut.armed, 1)
        ctx.set(dut.registers.select_rises, 1)
        await ctx.tick().repeat(5)
        assert ctx.get(dut.quiet)
        ctx.set(dut.events.rises, 1)
        await ctx.tick()
        ctx.set(dut.events.rises, 0)
        stamp = timed.now(ctx) - 1 - EVENT_DELAY
        while not ctx.get(dut.quiet):
            await ctx.tick()
            assert timed.now(ctx) < stamp + 20
        assert timed.now(ctx) == stamp + 10
        assert ctx.get(dut.registers.head_stamp_ticks) == stamp

    simulate(timed, testbench)


NO_SHORT_FORM = ALL_ONES


def short_form(record, before):
    """Reference: the word of a record whose predecessor was stamped at ``before``."""
    stamp, _, rises, falls, cores, codes = record
    events = [(32 + n, rises >> n & 1) for n in range(LINES)]
    events += [(40 + n, falls >> n & 1) for n in range(LINES)]
    events += [(codes >> 3 * n & 7 | n << 3, cores >> n & 1) for n in range(CORES)]
    happened = [what for what, happens in events if happens]
    if len(happened) != 1 or stamp - before >= 1 << 26:
        return NO_SHORT_FORM
    return happened[0] << 26 | stamp - before


def drained(ticks, far=0):
    """Words that a drain reads, one for each record, by ``take`` if it has a short form.

    ``far``: ticks that the time jumps ahead before the last event.
    """
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)
    timed = Timed(dut)
    words, records = [], []

    async def testbench(ctx):
        regs = dut.registers
        await play(ctx, timed, Setup(), ticks)
        if far:
            while not ctx.get(dut.quiet):
                await ctx.tick()
            ctx.set(timed.timebase.skip_to, timed.now(ctx) + far)
            ctx.set(timed.timebase.skip, 1)
            await ctx.tick()
            ctx.set(timed.timebase.skip, 0)
            last = timed.now(ctx) + 10
            await play(ctx, timed, Setup(), {last: Tick(codes={1: 7})})
        for number in range(ctx.get(regs.waiting_value)):
            await ctx.tick().repeat(8)  # an access takes longer
            records.append(head(ctx, regs))
            words.append(ctx.get(regs.take_value_shown))
            await remove(ctx, dut, number, "take")
            await ctx.tick().repeat(8)
            if words[-1] == NO_SHORT_FORM:
                assert ctx.get(regs.head_number_value) == number
                await remove(ctx, dut, number)
            else:
                assert ctx.get(regs.head_number_value) == number + 1
        await ctx.tick().repeat(8)
        assert ctx.get(regs.take_value_shown) == NO_SHORT_FORM

    simulate(timed, testbench)
    return words, records


@drawn(30)
@given(ticks=ticks)
def test_a_record_has_a_short_form_where_it_is_one_event_soon_after_the_other(ticks):
    words, records = drained(ticks)
    stamps = [0, *(record[0] for record in records)]
    expected = [short_form(r, before) for r, before in zip(records, stamps, strict=False)]
    # What the first one follows is not known: nothing was removed before it.
    assert words[1:] == expected[1:]


@pytest.mark.parametrize("far", [(1 << 26) - 200, 1 << 26, 1 << 32, (1 << 32) + 50, 1 << 40])
def test_a_record_long_after_the_other_has_no_short_form(far):
    words, records = drained({BEGIN: Tick(rises=1)}, far)
    assert [record[0] for record in records][1] - BEGIN > far
    assert words[1] == short_form(records[1], BEGIN)
    assert (words[1] == NO_SHORT_FORM) == (far >= 1 << 26)


@pytest.mark.parametrize("number", [0, 2, ALL_ONES])
def test_taking_a_record_that_is_not_the_head_does_nothing(number):
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)
    timed = Timed(dut)

    async def testbench(ctx):
        await play(ctx, timed, Setup(), {BEGIN + i: Tick(rises=1) for i in range(4)})
        await remove(ctx, dut, 0)
        await ctx.tick().repeat(8)
        before = head(ctx, dut.registers)
        await remove(ctx, dut, number, "take")
        await ctx.tick().repeat(8)
        assert head(ctx, dut.registers) == before
        assert ctx.get(dut.registers.waiting_value) == 3

    simulate(timed, testbench)


def test_no_short_form_is_shown_again_after_the_head_was_removed_while_armed():
    dut = EventRecorder(lines=LINES, cores=CORES, channels=CHANNELS, depth_log2=DEPTH_LOG2)
    timed = Timed(dut)

    async def testbench(ctx):
        regs = dut.registers
        await play(ctx, timed, Setup(), {BEGIN + i: Tick(rises=1) for i in range(3)})
        await remove(ctx, dut, 0)
        await ctx.tick().repeat(8)
        assert ctx.get(regs.take_value_shown) == 32 << 26 | 1
        ctx.set(dut.armed, 1)
        await ctx.tick().repeat(4)
        await remove(ctx, dut, 1)
        await ctx.tick().repeat(8)
        assert ctx.get(regs.take_value_shown) == NO_SHORT_FORM

    simulate(timed, testbench)
