import random

import pytest

from irqscope_hw.constants import FRONT_END_DELAY
from irqscope_hw.pulse_front_end import PULSE_DELAY, PulseFrontEnd
from irqscope_hw.registers import encoded

from .simulation import simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]


def test_every_pulse_is_a_marker_by_the_formula_however_close_they_follow():
    dut = PulseFrontEnd(cores=4)
    rng = random.Random(1)
    pulses = [(rng.getrandbits(4), [rng.getrandbits(3) for _ in range(4)]) for _ in range(300)]
    pulses += [(0, [0] * 4)] * 5
    found = []

    async def testbench(ctx):
        for tick, (valid, codes) in enumerate(pulses):
            ctx.set(dut.valid, valid)
            ctx.set(dut.codes, codes)
            markers = ctx.get(dut.front_end.markers)
            found.extend(
                (tick - FRONT_END_DELAY, core, ctx.get(dut.front_end.codes[core]))
                for core in range(4)
                if markers >> core & 1
            )
            await ctx.tick()

    simulate(dut, testbench)
    assert found == [
        (tick + PULSE_DELAY, core, codes[core])
        for tick, (valid, codes) in enumerate(pulses)
        for core in range(4)
        if valid >> core & 1
    ]


def test_loopback_gives_a_marker_of_each_edge_a_tick_behind_it():
    dut = PulseFrontEnd(cores=2)
    found = []

    async def testbench(ctx):
        ctx.set(dut.loopback, 1)
        ctx.set(dut.valid, 1)  # does nothing
        for tick in range(40):
            ctx.set(dut.level, 10 <= tick < 25)
            if ctx.get(dut.front_end.markers):
                found.append((tick - FRONT_END_DELAY, ctx.get(dut.front_end.codes[0])))
            await ctx.tick()

    simulate(dut, testbench)
    assert found == [(tick + 1 + PULSE_DELAY, encoded("marker", "handler")) for tick in (10, 25)]


def test_a_core_is_seen_from_its_first_marker_to_the_next_reset():
    dut = PulseFrontEnd(cores=4)

    async def testbench(ctx):
        ctx.set(dut.valid, 0b0100)
        await ctx.tick()
        ctx.set(dut.valid, 0)
        assert ctx.get(dut.front_end.seen) == 0b0100
        await ctx.tick().repeat(5)
        assert ctx.get(dut.front_end.seen) == 0b0100
        ctx.set(dut.reset, 1)
        await ctx.tick()
        assert ctx.get(dut.front_end.seen) == 0

    simulate(dut, testbench)


def test_quiet_is_low_from_a_pulse_to_the_end_of_its_marker():
    dut = PulseFrontEnd(cores=1)

    async def testbench(ctx):
        await ctx.tick()
        assert ctx.get(dut.quiet)
        ctx.set(dut.valid, 1)
        assert not ctx.get(dut.quiet)
        await ctx.tick()
        ctx.set(dut.valid, 0)
        for _ in range(PULSE_DELAY + FRONT_END_DELAY - 1):
            assert not ctx.get(dut.quiet) and not ctx.get(dut.front_end.markers)
            await ctx.tick()
        assert not ctx.get(dut.quiet) and ctx.get(dut.front_end.markers)
        await ctx.tick()
        assert ctx.get(dut.quiet)

    simulate(dut, testbench)
