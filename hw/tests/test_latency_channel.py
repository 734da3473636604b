import itertools
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope_hw.constants import EVENT_DELAY, SHORTEST_PHASE
from irqscope_hw.latency_channel import LatencyChannel
from irqscope_hw.registers import encoded

from .simulation import Timed, drawn, set_fields, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

LINE, MARKER = encoded("start_kind", "line"), encoded("start_kind", "marker")
HANDLER, DONE = encoded("marker", "handler"), encoded("marker", "done")
ALL_ONES = (1 << 32) - 1
LINES, CORES, BINS_LOG2 = 3, 3, 4
BEGIN = 50


@dataclass
class Happening:
    """Events of one tick: lines that rise, and each core's marker code."""

    rises: int = 0
    codes: dict[int, int] = field(default_factory=dict)


@dataclass
class Setup:
    """Configuration of a channel, with names as the register source has them."""

    start_kind: int = LINE
    start_line: int = 1
    start_cores: int = 0
    start_code: int = 0
    stop_cores: int = 0b001
    stop_code: int = HANDLER
    phase_line: int = 2
    hist_shift: int = 0
    timeout: int = 30
    plausible_min: int = 0
    hist_origin: int = 0


COUNTERS = (
    "starts",
    "served",
    "coalesced",
    "timed_out",
    "stops",
    "unmatched",
    "implausible",
    "underflow",
    "overflow",
    "sum_ticks",
)


def reference(setup, happenings, end):
    """Expected state of the channel at tick ``end``, by the definition of the counters."""
    counts = Counter({name: 0 for name in COUNTERS})
    result = {"min_ticks": ALL_ONES, "max_ticks": 0, "phases": 0, "stops_at_phase": 0}
    bins = Counter()
    opened = None
    outcomes = []

    def selected(happening, cores, code):
        return sum(1 for core, c in happening.codes.items() if cores >> core & 1 and c == code)

    ticks = set(happenings)
    while ticks:
        tick = min(ticks)
        ticks.remove(tick)
        if tick > end:
            break
        happening = happenings.get(tick, Happening())
        stops = selected(happening, setup.stop_cores, setup.stop_code)
        if setup.start_kind == LINE:
            starts = happening.rises >> setup.start_line & 1
        else:
            starts = selected(happening, setup.start_cores, setup.start_code)
        counts["stops"] += stops
        counts["starts"] += starts
        if stops and opened is not None:
            latency = tick - opened
            opened = None
            stops -= 1
            outcomes.append((tick, "served", latency))
            counts["served"] += 1
            counts["sum_ticks"] += latency
            counts["implausible"] += latency < setup.plausible_min
            result["min_ticks"] = min(result["min_ticks"], latency)
            result["max_ticks"] = max(result["max_ticks"], latency)
            index = latency - setup.hist_origin
            if index < 0:
                counts["underflow"] += 1
            elif index >> setup.hist_shift >= 1 << BINS_LOG2:
                counts["overflow"] += 1
            else:
                bins[index >> setup.hist_shift] += 1
        counts["unmatched"] += stops
        if opened is not None and tick == opened + setup.timeout:
            outcomes.append((tick, "timed_out", None))
            counts["timed_out"] += 1
            opened = None
        if starts and opened is None:
            opened = tick
            starts -= 1
            ticks.add(tick + setup.timeout)
        counts["coalesced"] += starts
        if happening.rises >> setup.phase_line & 1:
            result["phases"] += 1
            result["stops_at_phase"] = counts["stops"]
    return {**counts, **result, "pending": int(opened is not None)}, bins, outcomes


def run(setup, happenings, end, *, skip=False, initial=None, disarm=None, start=0):
    """State of the channel: registers, nonempty bins, outcomes by stamp."""
    dut = LatencyChannel(lines=LINES, cores=CORES, bins_log2=BINS_LOG2, initial=initial)
    timed = Timed(dut, start)
    registers, bins, outcomes = {}, Counter(), []

    async def testbench(ctx):
        set_fields(
            ctx,
            dut.registers,
            config_enable=1,
            **{
                f"config_{name}": getattr(setup, name)
                for name in (
                    "start_kind",
                    "start_line",
                    "start_cores",
                    "start_code",
                    "stop_cores",
                    "stop_code",
                    "phase_line",
                    "hist_shift",
                )
            },
            timeout_ticks=setup.timeout,
            plausible_min_ticks=setup.plausible_min,
            hist_origin_ticks=setup.hist_origin,
        )
        await timed.advance(ctx, start + 10)
        ctx.set(dut.armed, 1)
        moments = {tick + EVENT_DELAY: value for tick, value in happenings.items()}
        # Disarmed as soon as all up to ``end`` has been presented.
        last = end + EVENT_DELAY + 1 if disarm is None else disarm
        for moment in sorted({*moments, last, end + 30}):
            await timed.advance(ctx, moment, skip=skip)
            if moment == last:
                ctx.set(dut.armed, 0)
            if moment in moments:
                ctx.set(dut.events.rises, moments[moment].rises)
                ctx.set(dut.events.markers, sum(1 << core for core in moments[moment].codes))
                for core, code in moments[moment].codes.items():
                    ctx.set(dut.events.codes[core], code)
                await ctx.tick()
                ctx.set(dut.events.rises, 0)
                ctx.set(dut.events.markers, 0)
        for name in (*COUNTERS, "phases", "stops_at_phase", "pending"):
            registers[name] = ctx.get(getattr(dut.registers, f"{name}_value"))
        registers["min_ticks"] = ctx.get(dut.registers.min_ticks_ticks)
        registers["max_ticks"] = ctx.get(dut.registers.max_ticks_ticks)
        for index in range(1 << BINS_LOG2):
            ctx.set(dut.read_bin, index)
            ctx.set(dut.read, 1)
            (count,) = await ctx.tick().sample(dut.read_data).until(dut.read_done)
            if count:
                bins[index] = count
            ctx.set(dut.read, 0)
            await ctx.tick()
        registers["over"] = 1

    async def watch(ctx):
        while "over" not in registers:
            await ctx.tick()
            stamp = timed.now(ctx) - 4
            if ctx.get(dut.served):
                outcomes.append((stamp, "served", ctx.get(dut.latency)))
            if ctx.get(dut.timed_out):
                outcomes.append((stamp, "timed_out", None))

    simulate(timed, testbench, watch)
    del registers["over"]
    return registers, bins, outcomes


def check(setup, happenings, end, **options):
    found = run(setup, happenings, end, **options)
    assert found == reference(setup, happenings, end)
    counters = found[0]
    assert counters["starts"] == sum(
        counters[name] for name in ("served", "coalesced", "timed_out", "pending")
    )
    assert counters["stops"] == counters["served"] + counters["unmatched"]
    assert counters["served"] == counters["underflow"] + counters["overflow"] + sum(
        found[1].values()
    )
    return found


START, STOP = Happening(rises=0b010), Happening(codes={0: HANDLER})
BOTH = Happening(rises=0b010, codes={0: HANDLER})


@pytest.mark.parametrize("distance", range(1, 14))
def test_one_stimulus_and_its_stop(distance):
    found, bins, outcomes = check(Setup(), {BEGIN: START, BEGIN + distance: STOP}, BEGIN + 40)
    assert found["served"] == 1
    assert bins == {distance: 1}
    assert outcomes == [(BEGIN + distance, "served", distance)]


@pytest.mark.parametrize(
    ("stop", "again"), list(itertools.product(range(-2, 3), repeat=2)), ids=str
)
def test_stop_timeout_and_start_in_every_order_and_in_one_tick(stop, again):
    deadline = BEGIN + SHORTEST_PHASE
    happenings = {BEGIN: START, deadline + stop: STOP}
    happenings[deadline + again] = BOTH if again == stop else START
    check(Setup(timeout=SHORTEST_PHASE), happenings, deadline + 60)


def test_in_one_tick_a_stop_serves_the_old_stimulus_before_the_start_opens_the_next():
    found, _, outcomes = check(
        Setup(), {BEGIN: START, BEGIN + 7: BOTH, BEGIN + 12: BOTH}, BEGIN + 20
    )
    assert outcomes == [(BEGIN + 7, "served", 7), (BEGIN + 12, "served", 5)]
    assert (found["starts"], found["coalesced"], found["pending"]) == (3, 0, 1)


def test_a_stop_that_coincides_with_the_first_start_is_unmatched():
    found, _, _ = check(Setup(), {BEGIN: BOTH}, BEGIN + 10)
    assert (found["unmatched"], found["pending"]) == (1, 1)


def test_back_to_back_stimuli_in_every_tick():
    happenings = {BEGIN + i: BOTH for i in range(40)}
    found, bins, _ = check(Setup(), happenings, BEGIN + 50)
    assert bins == {1: 39}
    assert found["pending"] == 1  # the last one


def test_the_oldest_stimulus_stays():
    found, _, outcomes = check(
        Setup(), {BEGIN: START, BEGIN + 5: START, BEGIN + 9: START, BEGIN + 13: STOP}, BEGIN + 20
    )
    assert outcomes == [(BEGIN + 13, "served", 13)]
    assert found["coalesced"] == 2


def test_every_core_that_stops_in_one_tick_is_counted():
    everyone = Happening(codes=dict.fromkeys(range(CORES), HANDLER))
    found, _, _ = check(Setup(stop_cores=0b111), {BEGIN: START, BEGIN + 4: everyone}, BEGIN + 20)
    assert (found["stops"], found["served"], found["unmatched"]) == (3, 1, 2)


def test_every_core_that_starts_in_one_tick_is_counted():
    everyone = Happening(codes=dict.fromkeys(range(CORES), DONE))
    setup = Setup(start_kind=MARKER, start_cores=0b111, start_code=DONE)
    found, _, _ = check(setup, {BEGIN: everyone, BEGIN + 4: STOP}, BEGIN + 20)
    assert (found["starts"], found["served"], found["coalesced"]) == (3, 1, 2)


happening = st.builds(
    Happening,
    rises=st.integers(0, (1 << LINES) - 1),
    codes=st.dictionaries(st.integers(0, CORES - 1), st.sampled_from([HANDLER, DONE])),
)


@drawn(60)
@given(
    setup=st.builds(
        Setup,
        start_kind=st.sampled_from([LINE, LINE, MARKER]),
        start_line=st.integers(0, LINES - 1),
        start_cores=st.integers(0, 7),
        start_code=st.sampled_from([HANDLER, DONE]),
        stop_cores=st.integers(0, 7),
        stop_code=st.sampled_from([HANDLER, DONE]),
        phase_line=st.integers(0, LINES - 1),
        hist_shift=st.integers(0, 3),
        timeout=st.integers(SHORTEST_PHASE, 40),
        plausible_min=st.integers(0, 12),
        hist_origin=st.integers(0, 12),
    ),
    happenings=st.dictionaries(st.integers(BEGIN, BEGIN + 150), happening, max_size=30),
    skip=st.booleans(),
)
def test_any_sequence_closes_the_counters_as_the_reference_does(setup, happenings, skip):
    check(setup, happenings, BEGIN + 200, skip=skip)


@pytest.mark.parametrize("late", [-1, 0, 1])
def test_the_longest_timeout(late):
    setup = Setup(timeout=ALL_ONES, hist_shift=15, plausible_min=ALL_ONES)
    found, _, _ = check(
        setup, {BEGIN: START, BEGIN + ALL_ONES + late: STOP}, BEGIN + ALL_ONES + 100, skip=True
    )
    assert found["timed_out"] == (late > 0)
    assert found["max_ticks"] == (0 if late > 0 else ALL_ONES + late)
    assert found["overflow"] == (late <= 0)


def test_stamps_that_cross_32_bits():
    start = (1 << 32) - 100
    happenings = {start + 90: START, start + 110: STOP}
    _, _, outcomes = check(Setup(), happenings, start + 150, start=start)
    assert outcomes == [(start + 110, "served", 20)]


def test_counters_wrap_at_64_bits_and_phases_at_32():
    initial = {f"{name}_value": (1 << 64) - 1 for name in COUNTERS}
    initial["phases_value"] = ALL_ONES
    happenings = {
        BEGIN: Happening(rises=0b110),
        BEGIN + 2: START,  # coalesced
        BEGIN + 7: STOP,  # served, implausible, below bin 0
        BEGIN + 9: STOP,  # unmatched
        BEGIN + 20: START,  # timed out
        BEGIN + 60: START,
        BEGIN + 88: STOP,  # served, above the last bin
    }
    setup = Setup(plausible_min=8, hist_origin=8)
    expected, bins, outcomes = reference(setup, happenings, BEGIN + 120)
    wrapped = {name: (expected[name] - 1) % (1 << 64) for name in COUNTERS}
    assert all(expected[name] for name in COUNTERS)
    found = run(setup, happenings, BEGIN + 120, initial=initial)
    assert found == (
        {**expected, **wrapped, "phases": 0, "stops_at_phase": (1 << 64) - 1},
        bins,
        outcomes,
    )


@pytest.mark.parametrize("disarm", range(BEGIN + 20, BEGIN + 40))
def test_what_is_presented_after_disarm_does_not_count_and_the_open_stimulus_stays(disarm):
    happenings = {BEGIN: START, BEGIN + 5: STOP, BEGIN + 18: START, BEGIN + 26: STOP}
    setup = Setup(timeout=12)
    known = {tick: value for tick, value in happenings.items() if tick + EVENT_DELAY < disarm}
    expected, bins, outcomes = reference(setup, known, min(BEGIN + 60, disarm - EVENT_DELAY - 1))
    assert run(setup, happenings, BEGIN + 60, disarm=disarm) == (expected, bins, outcomes)


def test_not_enabled_counts_nothing():
    dut = LatencyChannel(lines=LINES, cores=CORES, bins_log2=BINS_LOG2)

    async def testbench(ctx):
        ctx.set(dut.armed, 1)
        ctx.set(dut.events.rises, 0b111)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.registers.starts_value) == ctx.get(dut.registers.pending_value) == 0

    simulate(Timed(dut), testbench)


@pytest.mark.parametrize(
    ("timeout", "opened", "refused"),
    [(SHORTEST_PHASE - 1, 0, 1), (SHORTEST_PHASE, 0, 0), (0, 0, 1), (ALL_ONES, 0, 0), (20, 1, 1)],
)
def test_what_is_refused_and_that_clear_mends_an_open_stimulus(timeout, opened, refused):
    dut = LatencyChannel(lines=LINES, cores=CORES, bins_log2=BINS_LOG2)

    async def testbench(ctx):
        set_fields(ctx, dut.registers, config_enable=1, timeout_ticks=timeout)
        if opened:
            ctx.set(dut.armed, 1)
            ctx.set(dut.events.rises, 1)
            await ctx.tick()
            ctx.set(dut.armed, 0)
            ctx.set(dut.events.rises, 0)
        await ctx.tick().repeat(4)
        assert ctx.get(dut.refused) == refused
        assert ctx.get(dut.registers.pending_value) == opened
        ctx.set(dut.clear, 1)
        await ctx.tick().repeat(20)
        ctx.set(dut.clear, 0)
        await ctx.tick().repeat(2)
        assert ctx.get(dut.refused) == (timeout < SHORTEST_PHASE)
        assert ctx.get(dut.registers.pending_value) == 0
        assert ctx.get(dut.registers.starts_value) == 0
        assert ctx.get(dut.registers.min_ticks_ticks) == ALL_ONES

    simulate(Timed(dut), testbench)


def test_a_read_of_the_histogram_is_under_way():
    dut = LatencyChannel(lines=LINES, cores=CORES, bins_log2=BINS_LOG2)

    async def device(ctx):
        await ctx.tick()
        assert ctx.get(dut.quiet)
        ctx.set(dut.read, 1)
        await ctx.delay(0)
        assert not ctx.get(dut.quiet)

    simulate(dut, device)
