"""The soft shell, driven as a soft core drives it: Wishbone, pulses, interrupt lines."""

import functools

import pytest

from irqscope_hw import regmap
from irqscope_hw.constants import LEAD
from irqscope_hw.register_file import ACCESS_DELAY
from irqscope_hw.registers import encoded
from irqscope_hw.shells.soft import Soft

from .simulation import Simulation
from .wishbone import Master

pytestmark = pytest.mark.once

HANDLER, DONE = encoded("marker", "handler"), encoded("marker", "done")
BURST = encoded("line_mode", "burst")
WINDOW = regmap.IRQSCOPE.memories[0].address
#: Ticks of an access: one into the port, the register space's own, one out.
BUS_DELAY = ACCESS_DELAY + 2


@functools.cache
def compiled():
    """A soft shell, and its simulation."""
    shell = Soft(build_hash=0xC0FFEE, bins_log2=6, depth_log2=4)
    return shell, Simulation(shell)


class System:
    """A soft shell, and the tick it is in."""

    def __init__(self):
        self.dut, self.simulation = compiled()

    def run(self, testbench):
        async def started(ctx):
            self.ctx = ctx
            self.bus = Master(ctx, self.dut.wishbone)
            while await self.bus.read("status"):
                pass
            await testbench(self)

        self.simulation.run(started)

    @property
    def now(self):
        return self.ctx.get(self.dut.now)

    async def rise(self, bit=0):
        """Waits for an interrupt line; the tick of its edge."""
        for _ in range(1000):
            if self.ctx.get(self.dut.irq) >> bit & 1:
                return self.now
            await self.ctx.tick()
        raise AssertionError(f"irq {bit} does not rise")

    async def pulse(self, core, code):
        """One marker, in this tick."""
        self.ctx.set(self.dut.pulse_valid, 1 << core)
        self.ctx.set(self.dut.pulse_codes[core], code)
        await self.ctx.tick()
        self.ctx.set(self.dut.pulse_valid, 0)

    async def prepare(self, pulses, low=60):
        """Line 0 to irq 3; channel 0 from its rise to core 0's handler, 1 to core 1's done."""
        bus = self.bus
        await bus.write("lines[0].config", enable=1, mode=BURST)
        await bus.write("lines[0].high", ticks=40)
        await bus.write("lines[0].low", ticks=low)
        await bus.write("lines[0].count", value=pulses)
        await bus.write("lines[0].route", spi=1 << 3)
        for channel, (core, code) in enumerate([(0, HANDLER), (1, DONE)]):
            await bus.write(
                f"channels[{channel}].config", enable=1, stop_cores=1 << core, stop_code=code
            )
            await bus.write(f"channels[{channel}].timeout", ticks=80)
        await bus.write("recorder.select", rises=1)
        await bus.write("recorder.select_markers", markers=1 << HANDLER | 1 << 8 + DONE)

    async def arm(self):
        start = self.now + 120
        await self.bus.write("start_tick", value=start)
        await self.bus.write("command", arm=1)
        assert await self.bus.read("errors") == 0
        return start

    async def histogram(self, channel):
        await self.bus.write("hist_select", channel=channel)
        bins = [await self.bus.read_word(WINDOW + i) for i in range(64)]
        return {i: count for i, count in enumerate(bins) if count}


def test_identity_names_the_front_and_what_drives_it():
    async def testbench(it):
        it.ctx.set(it.dut.source_id, 0x1_0007)
        it.ctx.set(it.dut.tick_hz, 50_000_000)
        assert (await it.bus.read("magic")).to_bytes(4) == b"IRQS"
        assert await it.bus.read("build_hash") == 0xC0FFEE
        assert await it.bus.read("source") == 0x1_0007
        assert await it.bus.read("tick_hz") == 50_000_000
        sizes = regmap.IRQSCOPE["sizes"].field("marker_delay")
        assert (await it.bus.read("sizes") & sizes.mask) >> sizes.lsb == 0

    System().run(testbench)


def test_a_latency_is_the_cycles_from_the_line_to_the_pulse_and_no_more():
    """Two stops of one interrupt, on cores of their own; in one tick, next to each other, apart."""
    answers = [(3, 3), (1, 2), (17, 18), (20, 5), (33, 33)]

    async def testbench(it):
        await it.prepare(len(answers))
        start = await it.arm()
        stamps = []
        for index, answer in enumerate(answers):
            edge = await it.rise(3)
            assert edge == start + 100 * index
            for tick in range(40):
                sent = [core for core in range(2) if answer[core] == tick]
                it.ctx.set(it.dut.pulse_valid, sum(1 << core for core in sent))
                it.ctx.set(it.dut.pulse_codes[0], HANDLER)
                it.ctx.set(it.dut.pulse_codes[1], DONE)
                stamps += [(edge + tick, core) for core in sent]
                await it.ctx.tick()
            while it.ctx.get(it.dut.irq):
                await it.ctx.tick()
        await it.ctx.tick().repeat(70)
        await it.bus.write("command", disarm=1)
        for channel in range(2):
            latencies = [answer[channel] for answer in answers]
            assert await it.histogram(channel) == {n: latencies.count(n) for n in latencies}
            name = f"channels[{channel}]"
            assert await it.bus.read(f"{name}.min_ticks") == min(latencies)
            assert await it.bus.read(f"{name}.max_ticks") == max(latencies)
            assert await it.bus.read(f"{name}.sum_ticks") == sum(latencies)
            counters = [await it.bus.read(f"{name}.{b}") for b in ("starts", "served", "unmatched")]
            assert counters == [len(answers), len(answers), 0]
        found = set()
        while await it.bus.read("recorder.waiting"):
            number = await it.bus.read("recorder.head_number")
            assert number == await it.bus.read("recorder.head_number")  # reads take nothing out
            events = await it.bus.read("recorder.head_events")
            stamp = await it.bus.read("recorder.head_stamp")
            found |= {(stamp, core) for core in range(2) if events >> 16 + core & 1}
            await it.bus.write("recorder.remove", value=number)
        assert found == set(stamps)

    System().run(testbench)


def test_skipping_between_interrupts_changes_nothing():
    """The core sleeps; only events that the instrument waits for occur."""

    def latencies_of(skip):
        seen = []

        async def testbench(it):
            ctx, dut = it.ctx, it.dut
            await it.prepare(3, low=300)
            start = await it.arm()
            skips = 0
            for index in range(3):
                due = start + 340 * index
                while it.now < due:
                    valid = ctx.get(dut.target_valid)
                    goal = due - LEAD
                    for target in (i for i in range(len(dut.target_valid)) if valid >> i & 1):
                        goal = min(goal, ctx.get(getattr(dut, f"target_{target}")) - LEAD)
                    if skip and ctx.get(dut.quiet) and goal > it.now + 1:
                        ctx.set(dut.skip, 1)
                        ctx.set(dut.skip_to, goal)
                        skips += 1
                    await ctx.tick()
                    ctx.set(dut.skip, 0)
                assert ctx.get(dut.irq) == 1 << 3
                await ctx.tick().repeat(7 + index)
                await it.pulse(0, HANDLER)
                await ctx.tick().repeat(90)
            assert bool(skips) == skip
            await it.bus.write("command", disarm=1)
            seen.append(await it.histogram(0))
            seen.append(await it.bus.read("channels[0].served"))
            seen.append(await it.bus.read("channels[1].timed_out"))

        System().run(testbench)
        return seen

    assert latencies_of(True) == latencies_of(False) == [{7: 1, 8: 1, 9: 1}, 3, 3]


def test_an_access_takes_the_same_ticks_whatever_it_is():
    async def testbench(it):
        for word in (0, 0x08, 0x40, 0x100, 0x1E0, 0x200):
            assert (await it.bus.cycle(word))[0] == BUS_DELAY
        assert (await it.bus.cycle(0x08, 0x5A5A5A5A))[0] == BUS_DELAY
        assert await it.bus.read("scratch") == 0x5A5A5A5A
        errors = regmap.IRQSCOPE["errors"].field("bad_address").mask
        assert await it.bus.read("errors") == 0
        assert (await it.bus.cycle(0x3FF, 1))[1]  # answered as any other, and told
        assert await it.bus.read("errors") == errors

    System().run(testbench)
