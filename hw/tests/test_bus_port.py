import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from irqscope_hw.bus_port import BusPort

from .simulation import simulate
from .wishbone import Master

pytestmark = [pytest.mark.quick, pytest.mark.once]

#: Ticks from the first of a cycle to its answer, without the register space's own.
PORT_DELAY = 2


class Answering(wiring.Component):
    """A port before a register space that answers ``delay`` ticks later with address + 1."""

    def __init__(self, delay):
        self.delay = delay
        self.port = BusPort()
        super().__init__({"accesses": Out(32), "written": Out(32)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.port = self.port
        bus = self.port.bus
        pipe = Signal(self.delay)
        m.d.sync += pipe.eq(Cat(bus.request, pipe[:-1]))
        m.d.comb += [bus.done.eq(pipe[-1]), bus.read_data.eq(bus.address + 1)]
        with m.If(bus.request):
            m.d.sync += self.accesses.eq(self.accesses + 1)
            with m.If(bus.write):
                m.d.sync += self.written.eq(bus.write_data)
        return m


@pytest.mark.parametrize("delay", [1, 3, 12])
@pytest.mark.parametrize("keep", [False, True])
def test_a_cycle_is_one_access_answered_by_the_formula(delay, keep):
    dut = Answering(delay)

    async def testbench(ctx):
        master = Master(ctx, dut.port.wishbone)
        await ctx.tick().repeat(3)
        for index in range(12):
            data = None if index % 3 else 0x1000 + index
            assert await master.cycle(100 + index, data, keep=keep) == (
                delay + PORT_DELAY, True, 101 + index
            )  # fmt: skip
            assert ctx.get(dut.accesses) == index + 1
            if data is not None:
                assert ctx.get(dut.written) == data

    simulate(dut, testbench)


@pytest.mark.parametrize("sel", [0b0000, 0b0001, 0b0011, 0b1100, 0b0111])
def test_a_write_of_less_than_a_word_is_refused_and_does_nothing(sel):
    dut = Answering(3)

    async def testbench(ctx):
        master = Master(ctx, dut.port.wishbone)
        assert (await master.cycle(8, 0xFF, sel))[:2] == (1, False)
        await ctx.tick().repeat(10)
        assert ctx.get(dut.accesses) == 0
        assert (await master.cycle(8, sel=sel))[1:] == (True, 9)  # a read gives the whole word

    simulate(dut, testbench)


@pytest.mark.parametrize("after", range(1, 6))
def test_a_master_that_gives_up_gets_no_answer_and_the_next_one_its_own(after):
    dut = Answering(3)
    wishbone = dut.port.wishbone

    async def testbench(ctx):
        master = Master(ctx, wishbone)
        ctx.set(wishbone.cyc, 1)
        ctx.set(wishbone.stb, 1)
        ctx.set(wishbone.adr, 40)
        await ctx.tick().repeat(after)
        ctx.set(wishbone.stb, 0)
        assert not ctx.get(wishbone.ack)
        await ctx.tick()
        assert (await master.cycle(70))[1:] == (True, 71)
        assert ctx.get(dut.accesses) == 2

    simulate(dut, testbench)


def test_without_a_cycle_nothing_happens_and_it_is_quiet():
    dut = Answering(2)
    wishbone = dut.port.wishbone

    async def testbench(ctx):
        for cyc, stb in ((0, 0), (0, 1), (1, 0)):
            ctx.set(wishbone.cyc, cyc)
            ctx.set(wishbone.stb, stb)
            for _ in range(8):
                await ctx.tick()
                assert ctx.get(dut.port.quiet)
                assert not ctx.get(wishbone.ack) and not ctx.get(wishbone.err)
        assert ctx.get(dut.accesses) == 0
        ctx.set(wishbone.cyc, 1)
        ctx.set(wishbone.stb, 1)
        while not ctx.get(wishbone.ack):
            assert not ctx.get(dut.port.quiet)
            await ctx.tick()
        assert not ctx.get(dut.port.quiet)

    simulate(dut, testbench)
