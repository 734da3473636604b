"""A placement through the EMIO pins, as software asks for it."""

import pytest

from irqscope_hw.registers import encoded

from .test_top import ACKNOWLEDGED, HANDLER, PIN_TO_STAMP, Instrument, arm

pytestmark = pytest.mark.once

START = encoded("marker", "start")


def test_a_line_rises_behind_each_marker_and_counters_and_records_say_so():
    instrument = Instrument(depth_log2=5)

    async def testbench(it):
        emio = it.emio
        await emio.write("lines[2].config", enable=1, mode=ACKNOWLEDGED, ack_cores=1, ack_code=2)
        for name, ticks in (("high", 60), ("low", 10)):
            await emio.write(f"lines[2].{name}", ticks=ticks)
        await emio.write("lines[2].count", value=1)
        await emio.write("lines[2].route", spi=1)
        await emio.write("channels[0].config", enable=1, start_line=2, stop_cores=1, stop_code=2)
        await emio.write("channels[0].timeout", ticks=50)
        await emio.write("recorder.select", rises=4)
        await emio.write("recorder.select_markers", markers=1 << START)
        await emio.write("placement.config", enable=1, line=2, cores=1, code=START)
        for name, ticks in (("first", 20), ("step", 7), ("last", 30)):
            await emio.write(f"placement.{name}", ticks=ticks)
        await emio.write("placement.count", value=3)
        start = await arm(it, ahead=5000)
        stamps = [start + 200 * i for i in range(1, 4)]
        delays = [20, 27, 20]
        for stamp, delay in zip(stamps, delays, strict=True):
            await it.advance(stamp - PIN_TO_STAMP, skip=True)
            emio.markers(core0=START)
            await it.advance(stamp + delay + 33 - PIN_TO_STAMP, skip=True)
            emio.markers(core0=HANDLER)
        await it.advance(stamps[-1] + 120, skip=True)
        assert (await emio.read("status"))["finished"]
        await emio.write("command", disarm=1)
        assert await it.errors() == {}
        rises = [tick for tick, pin, level in it.edges if pin == "pl_ps_irq0" and level]
        assert rises == [stamp + delay for stamp, delay in zip(stamps, delays, strict=True)]
        assert it.skips > 0
        counters = await it.channel(0)
        assert (
            counters["starts"],
            counters["served"],
            counters["min_ticks"],
            counters["max_ticks"],
        ) == (
            3,
            3,
            33,
            33,
        )
        assert await emio.value("placement.accepted") == 3
        assert await emio.value("placement.ignored") == 0
        assert await emio.value("lines[2].fired") == 3
        records = [(record["stamp"], record["rises"]) for record in await emio.records()]
        assert records == sorted([(stamp, 0) for stamp in stamps] + [(rise, 4) for rise in rises])

    instrument.run(testbench)
