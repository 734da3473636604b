import math

import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from irqscope_hw.emio_port import EmioPort

from .simulation import TICK, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

#: Ticks from the first flip-flop that holds a request to its acknowledge, without the bus's own.
PORT_DELAY = 4


class Answering(wiring.Component):
    """A port before a register space that answers ``delay`` ticks later with address + 1."""

    def __init__(self, delay):
        self.delay = delay
        self.port = EmioPort()
        super().__init__({"accesses": Out(32)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.port = self.port
        bus = self.port.bus
        pipe = Signal(self.delay)
        m.d.sync += pipe.eq(Cat(bus.request, pipe[:-1]))
        m.d.comb += [bus.done.eq(pipe[-1]), bus.read_data.eq(bus.address + 1)]
        with m.If(bus.request):
            m.d.sync += self.accesses.eq(self.accesses + 1)
        return m


@pytest.mark.parametrize("delay", [1, 3, 8])
@pytest.mark.parametrize("period", [4e-9, 6e-9, 10e-9, 13.7e-9])
def test_acknowledges_by_the_formula_at_every_clock_ratio(period, delay):
    dut = Answering(delay)
    port = dut.port
    time, changes = [0.0], []

    async def software(ctx):
        request = 0
        for index in range(24):
            # Software's edges drift through every phase of the tick.
            target = math.ceil(time[0] / period + 3) * period + index * 0.31e-9
            await ctx.delay(target - time[0])
            time[0] = target
            ctx.set(port.address, 100 + index)
            await ctx.delay(period)
            time[0] += period
            request ^= 1
            ctx.set(port.request, request)
            sampled = math.ceil((time[0] - TICK / 2) / TICK) + 1
            changes.append((sampled + delay + PORT_DELAY, request, 101 + index))
            await ctx.delay((delay + PORT_DELAY + 4) * TICK)
            time[0] += (delay + PORT_DELAY + 4) * TICK
        over.append(True)

    found, over = [], []

    async def watch(ctx):
        before, data, tick = 0, 0, 0
        while not over:
            await ctx.tick()
            tick += 1
            if ctx.get(port.acknowledge) != before:
                before = ctx.get(port.acknowledge)
                found.append((tick, before, ctx.get(port.read_data)))
                assert ctx.get(port.read_data) == data, "data is a tick before the acknowledge"
            data = ctx.get(port.read_data)
        assert ctx.get(dut.accesses) == 24

    simulate(dut, software, watch)
    assert found == changes


@pytest.mark.parametrize("level", [0, 1])
def test_the_request_level_that_reset_finds_is_acknowledged_without_an_access(level):
    dut = Answering(2)

    async def testbench(ctx):
        ctx.set(dut.port.request, level)
        await ctx.tick().repeat(12)
        assert ctx.get(dut.port.acknowledge) == level
        assert ctx.get(dut.port.quiet)
        assert ctx.get(dut.accesses) == 0
        ctx.set(dut.port.request, 1 - level)
        await ctx.tick().repeat(12)
        assert ctx.get(dut.port.acknowledge) == 1 - level
        assert ctx.get(dut.accesses) == 1

    simulate(dut, testbench)


def test_passes_address_direction_and_data_and_holds_them():
    dut = Answering(5)
    bus = dut.port.bus

    async def testbench(ctx):
        await ctx.tick().repeat(5)
        ctx.set(dut.port.address, 0x2ABC)
        ctx.set(dut.port.write, 1)
        ctx.set(dut.port.write_data, 0xDEADBEEF)
        ctx.set(dut.port.request, 1)
        assert not ctx.get(dut.port.quiet)
        await ctx.tick().until(bus.request)
        for _ in range(5):
            assert ctx.get(bus.address) == 0x2ABC
            assert ctx.get(bus.write) == 1
            assert ctx.get(bus.write_data) == 0xDEADBEEF
            assert not ctx.get(dut.port.quiet)
            await ctx.tick()

    simulate(dut, testbench)
