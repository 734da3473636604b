"""Times that hw/regs/irqscope.rdl states in ticks, measured at the pins of the whole gateware.

A pin that is set right after a clock edge is sampled by the next one: the tick that ends there is
the one before the first flip-flop's, k.
"""

import pytest

from irqscope_hw import regmap
from irqscope_hw.constants import ARM_AHEAD
from irqscope_hw.registers import encoded

from .emio import Emio
from .test_top import ACKNOWLEDGED, HANDLER, PIN_TO_STAMP, Instrument, arm, prepare

pytestmark = pytest.mark.once

I3 = regmap.EMIO["bank3_in"]
REQUEST_TO_ARM = 22


def stated(path, field, text):
    """The page says so."""
    assert text in regmap.IRQSCOPE[path].field(field).description
    return True


def shown(it, name):
    field = I3.field(name)
    return (it.ctx.get(it.top.emio_i3) & field.mask) >> field.lsb


async def command(it, **bits):
    """Toggles the request for a command and returns the tick that samples it."""
    word = sum(1 << regmap.IRQSCOPE["command"].field(name).lsb for name in bits)
    it.ctx.set(it.top.emio_o4, word)
    emio, request = it.emio, regmap.EMIO["bank3_out"]
    emio._bank3 &= request.field("markers").mask | request.field("request").mask
    emio._bank3 |= regmap.IRQSCOPE["command"].address << request.field("address").lsb
    emio._bank3 |= request.field("write").mask
    it.ctx.set(it.top.emio_o3, emio._bank3)
    await it.advance(it.now + 1)
    emio._bank3 ^= request.field("request").mask
    it.ctx.set(it.top.emio_o3, emio._bank3)
    return it.now + 1


async def first(it, ticks, **wanted):
    """Ticks in which fields of bank 3 first differ from their current values."""
    before = {name: shown(it, name) for name in wanted}
    found = {}
    for _ in range(ticks):
        await it.advance(it.now + 1)
        for name in wanted:
            if name not in found and shown(it, name) != before[name]:
                found[name] = it.now
    return found


def run(testbench):
    Instrument().run(testbench)


@pytest.mark.parametrize("ahead", [REQUEST_TO_ARM - 1, REQUEST_TO_ARM])
def test_an_arm_needs_its_start_tick_so_far_ahead_and_its_acknowledge_shows_what_came_of_it(ahead):
    assert stated("command", "arm", f"{ARM_AHEAD} ticks after the command ({REQUEST_TO_ARM} after")

    async def testbench(it):
        await prepare(it.emio)
        sampled = it.now + 100
        await it.emio.write("start_tick", value=sampled + ahead)
        await it.advance(sampled - 2)
        assert await command(it, arm=1) == sampled
        quiet = []

        async def watched(ticks):
            found = {}
            before = shown(it, "error"), shown(it, "acknowledge"), shown(it, "armed")
            for _ in range(ticks):
                await it.advance(it.now + 1)
                quiet.append((it.now, it.ctx.get(it.top.quiet), shown(it, "error")))
                for name, was in zip(("error", "acknowledge", "armed"), before, strict=True):
                    if name not in found and shown(it, name) != was:
                        found[name] = it.now - sampled
            return found

        found = await watched(30)
        assert found.pop("acknowledge") == 16
        (came,) = found.values()
        assert came < 16
        assert set(found) == ({"armed"} if ahead >= REQUEST_TO_ARM else {"error"})
        # Nothing that is shown changes in a quiet tick.
        for (_, still, error), (_, _, then) in zip(quiet, quiet[1:], strict=False):
            assert not still or error == then

    run(testbench)


def test_several_commands_in_one_write_are_refused_and_told():
    async def testbench(it):
        await prepare(it.emio)
        await it.emio.write("start_tick", value=it.now + 1000)
        for fields in ({"arm": 1, "clear": 1}, {"arm": 1, "disarm": 1}):
            await it.emio.write("command", **fields)
            status = await it.emio.read("status")
            assert not status["armed"] and not status["clearing"]
            assert await it.errors() == {"command_refused": 1}
            await it.emio.write("errors", command_refused=1)

    run(testbench)


@pytest.mark.parametrize("before_end", [0, 1, 4])
def test_finished_knows_of_every_stimulus_that_was_stamped_before_the_end(before_end):
    assert stated("status", "finished", "4 ticks after the end of the last low phase")

    async def testbench(it):
        await prepare(it.emio, count=1, timeout=40)
        start = encoded("marker", "start")
        await it.emio.write(
            "channels[0].config",
            enable=1,
            start_kind=encoded("start_kind", "marker"),
            start_cores=1,
            start_code=start,
            stop_cores=1,
            stop_code=HANDLER,
        )
        end = await arm(it) + 120
        await it.advance(end - before_end - PIN_TO_STAMP)
        it.emio.markers(core0=start)
        rises = []
        was = 0
        while it.now < end + 80:
            await it.advance(it.now + 1)
            if shown(it, "finished") and not was:
                rises.append(it.now - end)
            was = shown(it, "finished")
        # Stamped before the end: it is waited for. Later: nobody can know of it yet.
        closed = 40 - before_end + 5
        assert rises == ([closed] if before_end > 0 else [4, closed])

    run(testbench)


def test_a_stimulus_that_a_disabled_channel_left_open_keeps_nothing_from_finishing():
    async def testbench(it):
        await prepare(it.emio, count=1, timeout=1 << 31)
        start = await arm(it)
        await it.advance(start + 20)
        await it.emio.write("command", disarm=1)
        assert await it.emio.value("channels[0].pending") == 1
        await it.emio.write("channels[0].config", enable=0)
        end = await arm(it) + 120
        await it.advance(end + 5)
        assert shown(it, "finished")

    run(testbench)


@pytest.mark.parametrize("after_rise", [-5, 0, 1])
def test_an_acknowledgement_counts_from_the_tick_after_the_rise_on(after_rise):
    text = "A marker stamped in the tick of the rise or before acknowledges nothing"
    config = next(r for r in regmap.IRQSCOPE.registers if r.path == "lines[0].config")
    assert text in next(f for f in config.fields if f.name == "ack_code").description

    async def testbench(it):
        await prepare(it.emio, count=1, high=60)
        await it.emio.write("lines[0].config", enable=1, mode=ACKNOWLEDGED, ack_cores=1)
        rise = await arm(it)
        await it.advance(rise + after_rise - PIN_TO_STAMP)
        it.emio.markers(core0=HANDLER)
        await it.advance(rise + 70)
        edges = [(tick - rise, level) for tick, pin, level in it.edges if pin == "pl_ps_irq0"]
        assert edges == [(0, 1), (10 if after_rise > 0 else 60, 0)]
        assert await it.emio.value("lines[0].expired") == (after_rise <= 0)
        assert (await it.channel(0))["served"] == (after_rise > 0)

    run(testbench)


def test_an_acknowledged_pulse_falls_6_ticks_after_the_markers_stamp():
    async def testbench(it):
        await prepare(it.emio, count=1, high=60)
        await it.emio.write("lines[0].config", enable=1, mode=ACKNOWLEDGED, ack_cores=1)
        rise = await arm(it)
        await it.advance(rise + 20 - PIN_TO_STAMP)
        it.emio.markers(core0=HANDLER)
        await it.advance(rise + 70)
        assert [t - rise for t, pin, _ in it.edges if pin == "pl_ps_irq0"] == [0, 26]

    run(testbench)


@pytest.mark.parametrize("shift", [-3, -2, 2, 3])
def test_a_disarm_cuts_the_last_pulse_and_the_counters_know_what_was_stamped_in_time(shift):
    assert stated("command", "disarm", "3 ticks before status.armed falls, the pins fall 3 ticks")

    async def testbench(it):
        await prepare(it.emio, count=1)
        rise = await arm(it)
        falls = rise + shift  # of armed: 7 ticks after the request is sampled
        await it.advance(falls - 9)
        await command(it, disarm=1)
        found = await first(it, 20, armed=1)
        assert found["armed"] == falls
        await it.advance(it.now + 20)
        edges = [t for t, pin, _ in it.edges if pin == "pl_ps_irq0"]
        length = falls + 3 - rise
        assert edges == ([rise, rise + length] if length > 0 else [])
        assert await it.emio.value("lines[0].fired") == (length > 0)
        assert (await it.channel(0))["starts"] == (rise <= falls - 3)

    run(testbench)


@pytest.mark.parametrize("before_armed", [2, 3])
def test_the_counters_begin_with_the_stamp_2_ticks_before_armed(before_armed):
    assert stated("command", "arm", "stamped from 2 ticks before")

    async def testbench(it):
        await prepare(it.emio)
        await it.emio.write("start_tick", value=it.now + 1000)
        sampled = it.now + 40
        await it.advance(sampled - 2)
        await command(it, arm=1)
        await it.advance(sampled + 10 - before_armed - PIN_TO_STAMP)
        it.emio.markers(core0=HANDLER)
        found = await first(it, 20, armed=1)
        assert found["armed"] == sampled + 10
        assert (await it.channel(0))["stops"] == (before_armed <= 2)

    run(testbench)


@pytest.mark.parametrize("apart", [2, 3])
def test_markers_of_a_core_3_ticks_apart_keep_their_codes(apart):
    text = "A core's markers are at least 3 ticks apart"
    assert text in regmap.EMIO["bank3_out"].field("markers").description

    async def testbench(it):
        await prepare(it.emio)
        await it.emio.write("start_tick", value=it.now + 1000)
        await it.emio.write("command", arm=1)
        it.emio.markers(core0=HANDLER)
        await it.advance(it.now + apart)
        it.emio.markers(core0=HANDLER ^ 7)
        await it.advance(it.now + 20)
        # The first one is read as the second where they follow too fast.
        assert (await it.channel(0))["stops"] == (apart >= 3)

    run(testbench)


@pytest.mark.parametrize("late", [2, 3])
def test_a_code_may_come_2_ticks_after_its_toggle(late):
    assert "up to 2 ticks after" in regmap.EMIO["bank3_out"].field("markers").description

    async def testbench(it):
        await prepare(it.emio)
        await it.emio.write("start_tick", value=it.now + 1000)
        await it.emio.write("command", arm=1)
        it.emio.markers(core0=HANDLER)
        whole = it.emio._bank3
        it.ctx.set(it.top.emio_o3, whole & ~7)
        if late:
            await it.advance(it.now + late)
        it.ctx.set(it.top.emio_o3, whole)
        await it.advance(it.now + 20)
        assert (await it.channel(0))["stops"] == (late <= 2)

    run(testbench)


def test_two_matching_markers_of_one_tick_are_two_stops_and_their_phase_includes_them():
    async def testbench(it):
        await prepare(it.emio, count=1)
        await it.emio.write(
            "channels[0].config", enable=1, stop_cores=3, stop_code=HANDLER, phase_line=0
        )
        await it.emio.write("recorder.select_markers", markers=0)
        await it.emio.write("recorder.threshold", ticks=1)
        await it.emio.write("recorder.select", rises=0, falls=0, timeouts=0)
        rise = await arm(it)
        await it.advance(rise - PIN_TO_STAMP)
        it.emio.markers(core0=HANDLER, core1=HANDLER)
        await it.advance(rise + 20)
        it.emio.markers(core0=HANDLER)  # served, at or above the threshold, and not selected
        await it.advance(rise + 40)
        counters = await it.channel(0)
        assert (counters["stops"], counters["stops_at_phase"], counters["served"]) == (3, 2, 1)
        assert await it.emio.value("recorder.stamped") == 0

    run(testbench)


@pytest.mark.parametrize("ticks", [0, 3])
def test_a_request_that_changes_in_reset_is_acknowledged_and_does_nothing(ticks):
    """``ticks``: of reset after the change; 0: the first edge after the reset samples it."""
    text = "A change during reset, or sampled by the first edge after it"
    assert text in regmap.EMIO["bank3_out"].field("request").description

    instrument = Instrument()
    top = instrument.top

    async def testbench(ctx):
        scratch = regmap.IRQSCOPE["scratch"].address
        request = regmap.EMIO["bank3_out"]
        word = scratch << request.field("address").lsb | request.field("write").mask
        ctx.set(top.emio_o3, word)
        ctx.set(top.emio_o4, 0x1234)
        ctx.set(top.rst, 1)
        await ctx.tick().repeat(20)
        # The port's own reset is a tick after.
        if not ticks:
            ctx.set(top.rst, 0)
        ctx.set(top.emio_o3, word | request.field("request").mask)
        for _ in range(ticks):
            await ctx.tick()
        ctx.set(top.rst, 0)
        await ctx.tick().repeat(40)
        assert ctx.get(top.emio_i3) & 1
        emio = Emio(ctx, top)
        emio._bank3 = word | request.field("request").mask
        assert await emio.value("scratch") == 0

    instrument.simulation.run(testbench)


def test_dithers_next_to_each_other_are_related_as_the_page_says():
    assert stated("lines[0].config", "dither_bits", "at k = 3 only 16 of the 64 pairs occur")
    assert stated("lines[0].seed", "value", "with 0x80000000 and k = 3, none for 29 uses")

    def uses(state, number):
        for _ in range(number):
            yield state & 7
            state = state >> 1 ^ (0x80200003 if state & 1 else 0)

    drawn = list(uses(0xC0FFEE01, 5000))
    assert len(set(zip(drawn, drawn[1:], strict=False))) == 16
    lonely = list(uses(0x80000000, 30))
    assert not any(lonely[:29]) and lonely[29]
