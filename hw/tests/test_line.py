import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope_hw.constants import SHORTEST_PHASE
from irqscope_hw.line import DITHER_BITS_MAX, LFSR_TAPS, Line
from irqscope_hw.registers import encoded

from .simulation import Timed, drawn, set_fields, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

FREE, BURST, ACKNOWLEDGED, SINGLE = (
    encoded("line_mode", name) for name in ("free_running", "burst", "acknowledged", "single_shot")
)
HANDLER, DONE = encoded("marker", "handler"), encoded("marker", "done")
LONGEST = (1 << 32) - 1
GO = 20


def lfsr(state):
    """Galois LFSR, shifting right, as a textbook has it."""
    while True:
        yield state
        carry = state & 1
        state >>= 1
        if carry:
            state ^= 0x80200003


def expected(
    start_tick,
    *,
    mode,
    start_delay=0,
    high=10,
    low=10,
    count=1,
    dither_bits=0,
    seed=1,
    acknowledges=(),
    pulses=None,
):
    """Reference: edges as (tick, level), number expired, and the tick in which the line is done.

    ``acknowledges`` are the ticks in which an acknowledging marker is presented.
    """
    states = lfsr(seed or 1)
    edges, expired = [], 0
    tick = start_tick + start_delay
    for _ in range({SINGLE: 1, FREE: pulses}.get(mode, count)):
        edges.append((tick, 1))
        end = tick + high
        if mode == ACKNOWLEDGED:
            # Presented EVENT_DELAY ticks after its stamp, and the line is OUTPUT_DELAY ahead: so
            # one that is presented 5 ticks after the rise was stamped 1 tick after it.
            in_time = [p + 2 for p in acknowledges if tick + 5 <= p <= tick + high - 2]
            expired += not in_time
            end = max(tick + SHORTEST_PHASE, min(in_time, default=end))
        edges.append((end, 0))
        tick = end + low + (next(states) & ((1 << dither_bits) - 1))
    return edges, expired, tick


def run(
    *,
    until,
    skip=False,
    initial=0,
    start_tick=GO + 16,
    markers=None,
    stop=None,
    enable=1,
    cores=1,
    go=(GO,),
    **config,
):
    """Edges, fired, expired and the tick of done, of a line that starts in tick GO."""
    names = {
        "mode": "config_mode",
        "start_delay": "start_delay_ticks",
        "high": "high_ticks",
        "low": "low_ticks",
        "count": "count_value",
        "dither_bits": "config_dither_bits",
        "seed": "seed_value",
        "code": "config_ack_code",
    }
    dut = Line(cores=4)
    timed = Timed(dut, initial)
    markers = markers or {}
    edges, done = [], []

    async def testbench(ctx):
        set_fields(
            ctx,
            dut.registers,
            config_enable=enable,
            config_ack_cores=cores,
            high_ticks=10,
            low_ticks=10,
            count_value=1,
        )
        set_fields(ctx, dut.registers, **{names[name]: value for name, value in config.items()})
        ctx.set(dut.start_tick, start_tick)
        moments = sorted({*(initial + g for g in go), *markers, until} | ({stop} - {None}))
        for moment in moments:
            if moment > until:
                break
            await timed.advance(ctx, moment, skip=skip)
            ctx.set(dut.go, moment - initial in go)
            ctx.set(dut.stop, moment == stop)
            core_codes = markers.get(moment, {})
            ctx.set(dut.markers, sum(1 << core for core in core_codes))
            for core, code in core_codes.items():
                ctx.set(dut.codes[core], code)
            await ctx.tick()
            ctx.set(dut.go, 0)
            ctx.set(dut.stop, 0)
            ctx.set(dut.markers, 0)
        result.update(
            fired=ctx.get(dut.registers.fired_value), expired=ctx.get(dut.registers.expired_value)
        )

    async def watch(ctx):
        level, was_done = 0, 1
        while "fired" not in result:
            await ctx.tick()
            now = timed.now(ctx)
            rose, fell = ctx.get(dut.rose), ctx.get(dut.fell)
            assert (rose, fell) == (ctx.get(dut.level) > level, ctx.get(dut.level) < level)
            if rose or fell:
                edges.append((now, ctx.get(dut.level)))
            level = ctx.get(dut.level)
            if ctx.get(dut.done) and not was_done:
                done.append(now)
            was_done = ctx.get(dut.done)

    result = {}
    simulate(timed, testbench, watch)
    return edges, result["fired"], result["expired"], done


phases = st.integers(SHORTEST_PHASE, 40)
pulses = st.integers(1, 40)


@drawn(40)
@given(
    mode=st.sampled_from([BURST, SINGLE]),
    start_delay=st.integers(0, 30),
    high=pulses,
    low=phases,
    count=st.integers(1, 4),
    dither_bits=st.integers(0, 5),
    seed=st.integers(0, LONGEST),
    skip=st.booleans(),
)
def test_edges_fall_where_the_reference_says(skip, **config):
    start_tick = GO + 16
    edges, expired, end = expected(start_tick, **config)
    found = run(until=end + 30, skip=skip, **config)
    assert found == (edges, len(edges) // 2, 0, [end])


@pytest.mark.parametrize(
    ("high", "low"),
    list(itertools.product([*range(1, SHORTEST_PHASE + 1), LONGEST], [SHORTEST_PHASE, LONGEST])),
)
def test_shortest_and_longest_phases(high, low):
    config = {"mode": BURST, "high": high, "low": low, "count": 3, "start_delay": LONGEST}
    edges, _, end = expected(GO + 16, **config)
    assert run(until=end + 5, skip=True, **config) == (edges, 3, 0, [end])


def test_the_largest_dither_on_the_longest_phase_carries_into_bit_32():
    config = {
        "mode": BURST,
        "low": LONGEST,
        "count": 3,
        "dither_bits": DITHER_BITS_MAX,
        "seed": 0xFFFFFFFF,
    }
    edges, _, end = expected(GO + 16, **config)
    assert edges[2][0] - edges[1][0] > 1 << 32
    assert run(until=end + 5, skip=True, **config) == (edges, 3, 0, [end])


def test_free_running_goes_on_until_stop_and_ignores_count():
    edges, _, _ = expected(GO + 16, mode=FREE, pulses=7)
    stop = edges[12][0] + 3
    found = run(until=stop + 50, mode=FREE, count=2, stop=stop)
    assert found == ([*edges[:13], (stop + 1, 0)], 7, 0, [stop + 1])


def test_dither_is_the_low_bits_of_a_galois_lfsr_stepped_once_for_each_pulse():
    bits, seed, count = 7, 0xC0FFEE01, 60
    edges, *_ = run(until=20_000, skip=True, mode=BURST, count=count, dither_bits=bits, seed=seed)
    falls = [tick for tick, level in edges if not level]
    rises = [tick for tick, level in edges if level]
    found = [rise - fall - 10 for fall, rise in zip(falls, rises[1:], strict=False)]
    states = itertools.islice(lfsr(seed), count - 1)
    assert found == [state & 0x7F for state in states]
    assert len(set(found)) > 30


def test_the_lfsr_has_maximal_length():
    # The order of x modulo the feedback polynomial is 2^32 - 1 = 3 * 5 * 17 * 257 * 65537.
    def step(state):
        return (state >> 1) ^ (LFSR_TAPS if state & 1 else 0)

    columns = [step(1 << i) for i in range(32)]

    def times(a, b):
        return [apply(a, column) for column in b]

    def apply(matrix, vector):
        result = 0
        for i in range(32):
            if vector >> i & 1:
                result ^= matrix[i]
        return result

    def power(matrix, exponent):
        result = [1 << i for i in range(32)]
        while exponent:
            if exponent & 1:
                result = times(result, matrix)
            matrix = times(matrix, matrix)
            exponent >>= 1
        return result

    identity = [1 << i for i in range(32)]
    assert power(columns, LONGEST) == identity
    for prime in (3, 5, 17, 257, 65537):
        assert power(columns, LONGEST // prime) != identity


RISE = GO + 16


@pytest.mark.parametrize("presented", range(RISE - 4, RISE + 32))
def test_an_acknowledgement_at_every_tick_of_a_pulse(presented):
    config = {"mode": ACKNOWLEDGED, "high": 25, "low": 12, "count": 1}
    edges, expired, end = expected(RISE, acknowledges=[presented], **config)
    found = run(until=end + 20, markers={presented: {0: HANDLER}}, **config)
    assert found == (edges, 1, expired, [end])


@drawn(30)
@given(
    markers=st.dictionaries(
        st.integers(GO, 200),
        st.dictionaries(st.integers(0, 3), st.sampled_from([HANDLER, DONE]), min_size=1),
        max_size=8,
    ),
    cores=st.integers(0, 15),
    code=st.sampled_from([HANDLER, DONE]),
    high=st.integers(2 * SHORTEST_PHASE, 60),
    dither_bits=st.integers(0, 3),
    skip=st.booleans(),
)
def test_only_the_named_cores_and_code_acknowledge(markers, cores, code, high, dither_bits, skip):
    config = {"mode": ACKNOWLEDGED, "high": high, "count": 3, "dither_bits": dither_bits}
    acknowledges = [
        tick
        for tick, sent in markers.items()
        if any(cores >> core & 1 and sent[core] == code for core in sent)
    ]
    edges, expired, end = expected(RISE, acknowledges=acknowledges, **config)
    found = run(
        until=max(end, 200) + 20, skip=skip, markers=markers, cores=cores, code=code, **config
    )
    assert found == (edges, 3, expired, [end])


def test_expiry_at_the_longest_time_held():
    config = {"mode": ACKNOWLEDGED, "high": LONGEST, "count": 2}
    edges, expired, end = expected(RISE, **config)
    assert expired == 2
    assert run(until=end + 5, skip=True, **config) == (edges, 2, 2, [end])


@pytest.mark.parametrize(("mode", "high"), [(BURST, 20), (BURST, 5), (ACKNOWLEDGED, 20)])
@pytest.mark.parametrize("stop", range(GO + 1, RISE + 42, 1))
def test_stop_at_every_tick(mode, high, stop):
    config = {"mode": mode, "high": high, "low": 12, "count": 1}
    edges, expired, end = expected(RISE, **config)
    kept = [(tick, level) for tick, level in edges if tick <= stop]
    if kept and kept[-1][1]:
        kept.append((stop + 1, 0))
    _, fired, found_expired, done = found = run(until=RISE + 60, stop=stop, **config)
    assert found[0] == kept
    assert fired == (1 if kept else 0)
    assert found_expired == (expired if stop >= edges[1][0] else 0)
    assert done == [min(stop + 1, end)]


def test_starts_again_after_it_is_done_and_after_stop():
    config = {"mode": SINGLE, "start_tick": 200, "high": 10, "low": 10}
    edges, fired, _, done = run(until=400, go=(GO, 100), stop=60, **config)
    assert (edges, fired, done) == ([(200, 1), (210, 0)], 1, [61, 220])


def test_does_nothing_while_not_enabled():
    assert run(until=200, enable=0, mode=BURST) == ([], 0, 0, [])


@pytest.mark.parametrize(
    ("refused", "config"),
    [
        (0, {"mode": BURST}),
        (0, {"mode": BURST, "high": 1}),
        (0, {"mode": BURST, "high": 9}),
        (1, {"mode": BURST, "low": 9}),
        (1, {"mode": BURST, "high": 0}),
        (1, {"mode": FREE, "low": 0}),
        (0, {"mode": SINGLE, "high": 1}),
        (1, {"mode": SINGLE, "high": 0}),
        (1, {"mode": ACKNOWLEDGED, "high": 1}),
        (1, {"mode": BURST, "count": 0}),
        (1, {"mode": ACKNOWLEDGED, "high": 20, "count": 0}),
        (0, {"mode": FREE, "count": 0}),
        (0, {"mode": SINGLE, "count": 0}),
        (1, {"mode": ACKNOWLEDGED, "high": 19}),
        (0, {"mode": ACKNOWLEDGED, "high": 20}),
        (0, {"mode": BURST, "dither": DITHER_BITS_MAX}),
        (1, {"mode": BURST, "dither": DITHER_BITS_MAX + 1}),
        (1, {"mode": BURST, "dither": 31}),
        (0, {"mode": BURST, "high": LONGEST, "low": LONGEST, "count": LONGEST}),
    ],
)
def test_what_is_refused(refused, config):
    dut = Line()

    async def testbench(ctx):
        set_fields(
            ctx,
            dut.registers,
            config_mode=config["mode"],
            config_dither_bits=config.get("dither", 0),
            high_ticks=config.get("high", 10),
            low_ticks=config.get("low", 10),
            count_value=config.get("count", 1),
        )
        await ctx.tick().repeat(2)
        assert ctx.get(dut.refused) == refused

    simulate(Timed(dut), testbench)


def test_counters_are_zero_while_clear_is_high():
    dut = Line()
    timed = Timed(dut)

    async def testbench(ctx):
        set_fields(
            ctx,
            dut.registers,
            config_enable=1,
            config_mode=ACKNOWLEDGED,
            high_ticks=20,
            low_ticks=10,
            count_value=2,
        )
        ctx.set(dut.start_tick, 30)
        await timed.advance(ctx, 5)
        ctx.set(dut.go, 1)
        await ctx.tick()
        ctx.set(dut.go, 0)
        await timed.advance(ctx, 120)
        assert ctx.get(dut.registers.fired_value) == 2
        assert ctx.get(dut.registers.expired_value) == 2
        ctx.set(dut.clear, 1)
        await ctx.tick()
        assert ctx.get(dut.registers.fired_value) == 0
        assert ctx.get(dut.registers.expired_value) == 0

    simulate(timed, testbench)


def test_two_lines_of_one_generator_rise_in_one_tick():
    from irqscope_hw.pattern_generator import PatternGenerator

    dut = PatternGenerator(lines=3)
    timed = Timed(dut)
    rises = []

    async def testbench(ctx):
        for registers, delay in zip(dut.registers, (0, 0, 7), strict=True):
            set_fields(
                ctx,
                registers,
                config_enable=1,
                config_mode=SINGLE,
                high_ticks=10,
                low_ticks=10,
                start_delay_ticks=delay,
            )
        ctx.set(dut.start_tick, 40)
        await ctx.tick().repeat(10)
        ctx.set(dut.go, 1)
        await ctx.tick()
        ctx.set(dut.go, 0)
        for _ in range(80):
            await ctx.tick()
            if ctx.get(dut.rose):
                rises.append((timed.now(ctx), ctx.get(dut.rose)))
        assert ctx.get(dut.done)

    simulate(timed, testbench)
    assert rises == [(40, 0b011), (47, 0b100)]
