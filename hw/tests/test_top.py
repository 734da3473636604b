"""The whole gateware, driven through its EMIO pins as software drives it."""

import functools

import pytest

from irqscope_hw import regmap
from irqscope_hw.constants import DECISION_DELAY, LEAD, MARKER_DELAY, OUTPUT_DELAY
from irqscope_hw.registers import encoded
from irqscope_hw.shells.zynqmp import ZynqMP

from .emio import Emio
from .simulation import Simulation

pytestmark = pytest.mark.once

HANDLER, DONE = encoded("marker", "handler"), encoded("marker", "done")
BURST = encoded("line_mode", "burst")
ACKNOWLEDGED = encoded("line_mode", "acknowledged")
WINDOW = regmap.IRQSCOPE.memories[0].address
ALL_ONES = (1 << 32) - 1
#: Ticks from a pin of the marker port that is set right after a clock edge to the stamp: one to
#: the next edge, then MARKER_DELAY.
PIN_TO_STAMP = 1 + MARKER_DELAY


@functools.cache
def compiled(depth_log2):
    """A top, and its simulation. A test changes nothing in it that a run does not begin with."""
    top = ZynqMP(build_hash=0xC0FFEE, bins_log2=6, depth_log2=depth_log2)
    return top, Simulation(top)


class Instrument:
    """A top under test and what its pins did."""

    def __init__(self, depth_log2=4):
        self.top, self.simulation = compiled(depth_log2)
        self.skips = 0
        self.edges = []  #: (tick, pin, level)
        self._levels = {}

    def run(self, testbench):
        async def started(ctx):
            self.ctx = ctx
            self.emio = Emio(ctx, self.top)
            while (await self.emio.read("status"))["clearing"]:
                pass
            await testbench(self)

        self.simulation.run(started)

    @property
    def now(self):
        return self.ctx.get(self.top.now)

    def _note(self):
        for pin in ("pl_ps_irq0", "pl_ps_irq1", "pl_ps_apugic_irq", "pmod", "stm_event"):
            level = self.ctx.get(getattr(self.top, pin))
            if level != self._levels.get(pin, 0):
                self.edges.append((self.now, pin, level))
                self._levels[pin] = level

    async def advance(self, until, *, skip=False):
        """Ticks until ``now`` equals ``until``, with every skip that the theorem allows."""
        ctx, top = self.ctx, self.top
        while self.now < until:
            goal = until
            valid = ctx.get(top.target_valid)
            for index in range(len(top.target_valid)):
                if valid >> index & 1:
                    goal = min(goal, ctx.get(getattr(top, f"target_{index}")) - LEAD)
            if skip and ctx.get(top.quiet) and goal > self.now + 1:
                ctx.set(top.skip, 1)
                ctx.set(top.skip_to, goal)
                self.skips += 1
            await ctx.tick()
            ctx.set(top.skip, 0)
            self._note()

    async def channel(self, index):
        """All results of a channel."""
        names = [
            register.path.rpartition(".")[2]
            for register in regmap.IRQSCOPE.registers
            if register.path.startswith(f"channels[{index}].") and not register.writable
        ]
        return {name: await self.emio.value(f"channels[{index}].{name}") for name in names}

    async def histogram(self, index):
        """The bins that are not empty."""
        await self.emio.write("hist_select", channel=index)
        bins = [await self.emio.read_word(WINDOW + i) for i in range(64)]
        return {i: count for i, count in enumerate(bins) if count}

    async def errors(self):
        """Names of the error fields that are set."""
        return {name: value for name, value in (await self.emio.read("errors")).items() if value}


async def prepare(emio, *, count=4, high=50, low=70, timeout=60, dither_bits=0):
    """Line 0 in a burst on SPI 0 and PPI 0, channel 0 on core 0's handler, everything recorded."""
    await emio.write("lines[0].config", enable=1, mode=BURST, dither_bits=dither_bits)
    await emio.write("lines[0].high", ticks=high)
    await emio.write("lines[0].low", ticks=low)
    await emio.write("lines[0].count", value=count)
    await emio.write("lines[0].seed", value=0x1234567)
    await emio.write("lines[0].route", spi=1, ppi=1)
    await emio.write("channels[0].config", enable=1, stop_cores=1, stop_code=HANDLER)
    await emio.write("channels[0].timeout", ticks=timeout)
    await emio.write("recorder.select", rises=0xFF, falls=0xFF, timeouts=0xFF)
    await emio.write("recorder.select_markers", markers=ALL_ONES)


async def arm(instrument, ahead=150):
    """Arms and returns the start tick."""
    start = (instrument.now + ahead) // 5 * 5
    await instrument.emio.write("start_tick", value=start)
    await instrument.emio.write("command", arm=1)
    return start


def test_a_burst_is_fired_served_counted_and_recorded_tick_by_tick():
    instrument = Instrument()

    async def testbench(it):
        emio = it.emio
        await prepare(emio)
        await emio.write("finished_route", spi=1 << 15)
        start = await arm(it)
        rises = [start + 120 * i for i in range(4)]
        latencies = [21, 30, 50, None]  # the third coincides with the fall; the last times out
        for rise, latency in zip(rises, latencies, strict=True):
            if latency is not None:
                await it.advance(rise + latency - PIN_TO_STAMP)
                emio.markers(core0=HANDLER)
        await it.advance(rises[-1] + 140)
        status = await emio.read("status")
        assert (status["armed"], status["finished"], status["core_seen"]) == (1, 1, 1)
        await emio.write("command", disarm=1)
        await it.advance(it.now + 5)
        assert await it.errors() == {}

        edges = [(tick, level) for tick, pin, level in it.edges if pin == "pl_ps_irq0"]
        assert edges == [(t, level) for rise in rises for t, level in ((rise, 1), (rise + 50, 0))]
        assert [(t, v) for t, pin, v in it.edges if pin == "pl_ps_apugic_irq"] == edges
        # The lines end 70 ticks after the last fall, as seen at the pins; control tells of it
        # DECISION_DELAY + 1 ticks later, and the pin OUTPUT_DELAY more.
        finished = [(t, level) for t, pin, level in it.edges if pin == "pl_ps_irq1"]
        assert finished[0] == (rises[-1] + 120 + DECISION_DELAY + 1 + OUTPUT_DELAY, 0x80)
        assert finished[1][1] == 0

        counters = await it.channel(0)
        assert counters["starts"] == 4
        assert counters["served"] == counters["stops"] == 3
        assert counters["timed_out"] == 1
        assert counters["sum_ticks"] == 21 + 30 + 50
        assert (counters["min_ticks"], counters["max_ticks"]) == (21, 50)
        assert counters["pending"] == counters["unmatched"] == counters["coalesced"] == 0
        assert await it.histogram(0) == {21: 1, 30: 1, 50: 1}
        assert await it.histogram(1) == {}
        assert await emio.value("lines[0].fired") == 4

        expected = []
        for rise, latency in zip(rises, latencies, strict=True):
            events = {rise: {"rises": 1}, rise + 50: {"falls": 1}}
            if latency is None:
                events[rise + 60] = {"latency": ALL_ONES}
            else:
                served = {"cores": 1, "codes": HANDLER, "latency": latency}
                events.setdefault(rise + latency, {}).update(served)
            expected += sorted(events.items())
        blank = {"latency": 0, "rises": 0, "falls": 0, "cores": 0, "codes": 0}
        assert await emio.value("recorder.stamped") == len(expected)
        assert await emio.records() == [
            {"number": number, "stamp": stamp, **blank, **fields}
            for number, (stamp, fields) in enumerate(expected)
        ]

    instrument.run(testbench)


def test_a_skipped_run_equals_the_unskipped_one():
    async def batch(it, skip):
        emio = it.emio
        await prepare(emio, count=3, high=100, low=300, timeout=200, dither_bits=6)
        await emio.write("lines[3].config", enable=1, mode=ACKNOWLEDGED, ack_cores=2, ack_code=DONE)
        for name, ticks in (("high", 150), ("low", 180), ("start_delay", 33)):
            await emio.write(f"lines[3].{name}", ticks=ticks)
        await emio.write("lines[3].count", value=3)
        await emio.write("lines[3].route", pmod=0x80, stm=1)
        await emio.write(
            "channels[7].config", enable=1, start_line=3, stop_cores=2, stop_code=DONE, phase_line=0
        )
        await emio.write("channels[7].timeout", ticks=100)
        start = await arm(it, ahead=1000)
        for delay, codes in (
            (40, {"core0": HANDLER}),
            (90, {"core1": DONE}),
            (430, {"core0": HANDLER, "core1": DONE}),
            (1000, {"core0": HANDLER}),
        ):
            await it.advance(start + delay, skip=skip)
            emio.markers(**codes)
        await it.advance(start + 2500, skip=skip)
        assert (await emio.read("status"))["finished"]
        await emio.write("command", disarm=1)
        counters = [await it.channel(0), await it.channel(7)]
        bins = [await it.histogram(0), await it.histogram(7)]
        counts = [await emio.value(f"lines[{i}].{n}") for i in (0, 3) for n in ("fired", "expired")]
        records = await emio.records()
        assert await emio.value("recorder.lost") == 0

        def relative(tick):
            return tick - start

        return (
            [(relative(tick), pin, level) for tick, pin, level in it.edges],
            [{**record, "stamp": relative(record["stamp"])} for record in records],
            counters,
            bins,
            counts,
        )

    results, skips = [], []
    for skip in (False, True):
        instrument = Instrument(depth_log2=5)

        async def testbench(it, skip=skip):
            results.append(await batch(it, skip))

        instrument.run(testbench)
        skips.append(instrument.skips)
    assert skips[0] == 0 and skips[1] > 10
    assert results[0] == results[1]
    assert len(results[0][1]) > 10 and len(results[0][0]) >= 12


def test_loopback_measures_a_constant():
    instrument = Instrument()

    async def testbench(it):
        await prepare(it.emio, count=5)
        await it.emio.write("capture", loopback=1)
        await it.advance(it.now + 10)
        start = await arm(it)
        await it.advance(start + 5 * 120 + 20)
        await it.emio.write("command", disarm=1)
        counters = await it.channel(0)
        # Each rise is served; each fall gives a marker that finds nothing open.
        assert (counters["served"], counters["unmatched"]) == (5, 5)
        assert counters["min_ticks"] == counters["max_ticks"] == PIN_TO_STAMP
        assert await it.histogram(0) == {PIN_TO_STAMP: 5}

    instrument.run(testbench)


def test_refusals_locks_and_the_error_pin():
    instrument = Instrument()
    error_pin = regmap.EMIO["bank3_in"].field("error").mask

    async def testbench(it):
        emio = it.emio
        assert not it.ctx.get(it.top.emio_i3) & error_pin
        await prepare(emio, low=9, timeout=9)
        await emio.write("start_tick", value=it.now)
        await emio.write("command", arm=1)
        assert await it.errors() == {"line_refused": 1, "channel_refused": 1, "start_in_past": 1}
        assert it.ctx.get(it.top.emio_i3) & error_pin
        assert not (await emio.read("status"))["armed"]
        await emio.write("errors", line_refused=1, channel_refused=1, start_in_past=1)
        assert await it.errors() == {}
        # The word that shows the acknowledge shows the error.
        assert not it.ctx.get(it.top.emio_i3) & error_pin
        await emio.read_word(0x3FFF)
        assert it.ctx.get(it.top.emio_i3) & error_pin
        await emio.write("errors", bad_address=1)

        await prepare(emio)
        start = await arm(it)
        await emio.write("lines[0].high", ticks=11)
        await emio.write("command", clear=1)
        await emio.write_word(regmap.IRQSCOPE["magic"].address, 1)
        await emio.read_word(0x3FFF)
        assert await it.errors() == {"write_while_armed": 1, "command_refused": 1, "bad_address": 1}
        assert await emio.value("lines[0].high") == 50
        await it.advance(start + 20)  # the line is high, a stimulus is open
        await emio.write("command", disarm=1)
        assert await emio.value("channels[0].pending") == 1
        await arm(it)
        assert (await it.errors())["channel_refused"] == 1
        await emio.write("command", clear=1)
        while (await emio.read("status"))["clearing"]:
            pass
        assert await it.channel(0) == {
            **dict.fromkeys(await it.channel(0), 0),
            "min_ticks": ALL_ONES,
        }
        assert [await emio.value(f"recorder.{n}") for n in ("stamped", "waiting")] == [0, 0]
        assert await emio.value("lines[0].fired") == 0

    instrument.run(testbench)


def test_a_full_recorder_says_so_on_the_pins():
    instrument = Instrument()
    bits = regmap.EMIO["bank3_in"]

    async def testbench(it):
        await prepare(it.emio, count=10, high=10, low=10)
        await it.emio.write("recorder.select_markers", markers=0)
        await it.emio.write("recorder.select", rises=1, falls=1, timeouts=0)
        start = await arm(it)

        def pins():
            value = it.ctx.get(it.top.emio_i3)
            names = ("fifo_some", "fifo_high", "fifo_overflow")
            return [bool(value & bits.field(name).mask) for name in names]

        # A record is queued 7 ticks after its stamp: the 12th of 16 at the fall of pulse 6.
        for tick, expected in (
            (start + 6, [False, False, False]),
            (start + 7, [True, False, False]),
            (start + 110 + 6, [True, False, False]),
            (start + 110 + 7, [True, True, False]),
            (start + 160 + 6, [True, True, False]),
            (start + 160 + 7, [True, True, True]),
        ):
            await it.advance(tick)
            assert pins() == expected, tick - start
        await it.advance(start + 300)
        await it.emio.write("command", disarm=1)
        assert await it.emio.value("recorder.stamped") == 20
        assert await it.emio.value("recorder.lost") == 4
        records = await it.emio.records()
        assert [r["stamp"] for r in records] == [start + 10 * i for i in range(16)]

    instrument.run(testbench)


def test_identity():
    instrument = Instrument()

    async def testbench(it):
        emio = it.emio
        it.ctx.set(it.top.source_id, 0x8765_4321)
        it.ctx.set(it.top.source_hash, 0xABCD)
        assert (await emio.value("magic")).to_bytes(4) == b"IRQS"
        assert await emio.value("build_hash") == 0xC0FFEE
        assert await emio.value("tick_hz") == 249_975_000
        assert await emio.read("source") == {
            "machine": 0x21, "board": 0x43, "simulation": 0x0765, "changed": 1
        }  # fmt: skip
        assert await emio.value("source_hash") == 0xABCD
        assert await emio.read("geometry") == {"lines": 8, "channels": 8, "cores": 4, "lead": LEAD}
        first = await emio.value("now")
        assert 0 < first < it.now
        assert await emio.value("now") > first

    instrument.run(testbench)


def test_live_levels_and_echo_on_the_pins():
    instrument = Instrument()
    bits = regmap.EMIO["bank3_in"]

    async def testbench(it):
        await prepare(it.emio)
        start = await arm(it)
        for tick, level in ((start - 1, 0), (start, 1), (start + 49, 1), (start + 50, 0)):
            await it.advance(tick)
            value = it.ctx.get(it.top.emio_i3)
            assert (value & bits.field("levels").mask) >> bits.field("levels").lsb == level
        it.emio.markers(core2=DONE)
        for echo in (0, 0, 0b0100):  # two flip-flops
            value = it.ctx.get(it.top.emio_i3)
            assert (value & bits.field("echo").mask) >> bits.field("echo").lsb == echo
            await it.advance(it.now + 1)

    instrument.run(testbench)
