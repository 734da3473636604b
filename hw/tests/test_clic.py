"""The CLIC through its registers, as a core and its firmware use it."""

import pytest

from irqscope_hw.clic.clic import Clic
from irqscope_hw.clic.draft_2021_07 import Draft202107

from .simulation import simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

IDS = (7, 11, 16, 17, 23)
CLICCFG, CLICINFO, CLICINT = 0x0, 0x4, 0x1000
PENDING, ENABLE, ATTRIBUTES, CONTROL = 0, 1, 2, 3
SHV, EDGE, NEGATIVE = 0x01, 0x02, 0x04


class Core:
    """The bus and the lines of a CLIC."""

    def __init__(self, ctx, dut):
        self.ctx, self.dut = ctx, dut

    async def access(self, address, write, lanes, value=0):
        ctx, bus = self.ctx, self.dut.bus
        ctx.set(bus.address, address // 4)
        ctx.set(bus.write, write)
        ctx.set(bus.bytes, lanes)
        ctx.set(bus.write_data, value)
        ctx.set(bus.access, 1)
        await ctx.tick()
        ctx.set(bus.access, 0)
        return ctx.get(bus.read_data)

    async def read(self, address):
        return await self.access(address, 0, 0xF)

    async def byte(self, number, field, value):
        """Stores a byte of an interrupt's word."""
        await self.access(CLICINT + 4 * number, 1, 1 << field, value << 8 * field)

    async def word(self, address, value):
        await self.access(address, 1, 0xF, value)

    async def set_up(self, number, control, attributes=0):
        await self.word(CLICINT + 4 * number, control << 24 | attributes << 16 | 1 << 8 * ENABLE)

    async def raised(self, *numbers):
        """Inputs, and the offer in the same tick: ID, level, shv, or None."""
        self.ctx.set(self.dut.irq, sum(1 << number for number in numbers))
        return self.offer

    @property
    def offer(self):
        ctx, dut = self.ctx, self.dut
        if not ctx.get(dut.valid):
            assert (ctx.get(dut.id), ctx.get(dut.level), ctx.get(dut.shv)) == (0, 0, 0)
            return None
        return ctx.get(dut.id), ctx.get(dut.level), ctx.get(dut.shv)

    async def claim(self, number):
        self.ctx.set(self.dut.claim, 1)
        self.ctx.set(self.dut.claim_id, number)
        await self.ctx.tick()
        self.ctx.set(self.dut.claim, 0)


def run(testbench, version=0):
    dut = Clic(Draft202107(IDS, version))

    async def started(ctx):
        await testbench(Core(ctx, dut))

    simulate(dut, started)


def test_the_highest_level_is_offered_then_the_highest_priority_then_the_highest_id():
    async def testbench(core):
        await core.word(CLICCFG, 4 << 1)
        for number, control in ((7, 0x3F), (11, 0x35), (16, 0x35), (17, 0x28)):
            await core.set_up(number, control)
        assert await core.raised(17) == (17, 0x2F, 0)
        assert await core.raised(17, 16, 11) == (16, 0x3F, 0)
        assert await core.raised(17, 16, 11, 7) == (7, 0x3F, 0)
        assert await core.raised() is None
        assert await core.raised(23) is None  # not enabled

    run(testbench)


@pytest.mark.parametrize(
    ("bits", "level"), [(0, 0xFF), (1, 0x7F), (3, 0x5F), (8, 0x40), (15, 0x40)]
)
def test_bits_that_are_no_level_count_as_ones(bits, level):
    async def testbench(core):
        await core.word(CLICCFG, bits << 1)
        assert await core.read(CLICCFG) == 1 | min(bits, 8) << 1  # nvbits
        await core.set_up(16, 0x40)
        assert await core.raised(16) == (16, level, 0)

    run(testbench)


@pytest.mark.parametrize(
    ("running", "numbers"),
    [(0, {7, 16}), (0x3E, {7, 16}), (0x3F, {16}), (0x8E, {16}), (0x8F, set()), (0xFF, set())],
)
def test_open_is_what_is_enabled_at_a_higher_level(running, numbers):
    async def testbench(core):
        await core.word(CLICCFG, 4 << 1)
        for number, control in ((7, 0x35), (16, 0x80), (17, 0xF0)):
            await core.set_up(number, control)
        await core.byte(17, ENABLE, 0)
        core.ctx.set(core.dut.running, running)
        assert core.ctx.get(core.dut.open) == sum(1 << number for number in numbers)

    run(testbench)


def test_an_edge_stays_until_it_is_claimed_and_the_next_one_comes_after_it():
    async def testbench(core):
        await core.set_up(16, 0x80, EDGE | SHV)
        assert await core.raised(16) == (16, 0xFF, 1)
        await core.ctx.tick()
        assert await core.raised() == (16, 0xFF, 1)
        await core.claim(17)  # somebody else
        assert core.offer == (16, 0xFF, 1)
        await core.claim(16)
        assert core.offer is None
        await core.raised(16)
        await core.claim(16)  # in the tick of the edge: it is a new one
        assert core.offer == (16, 0xFF, 1)

    run(testbench)


def test_a_falling_edge_and_a_low_level():
    async def testbench(core):
        await core.set_up(16, 0x80, EDGE | NEGATIVE)
        assert core.offer is None
        assert await core.raised(16) is None
        await core.ctx.tick()
        assert await core.raised() == (16, 0xFF, 0)
        await core.word(CLICINT + 4 * 16, 0)
        await core.set_up(17, 0x80, NEGATIVE)
        assert core.offer == (17, 0xFF, 0)
        assert await core.raised(17) is None

    run(testbench)


def test_software_makes_an_edge_pending_and_takes_it_back_but_no_level():
    async def testbench(core):
        await core.set_up(16, 0x80, EDGE)
        await core.byte(16, PENDING, 1)
        assert core.offer == (16, 0xFF, 0)
        assert await core.read(CLICINT + 4 * 16) & 0xFF == 1
        await core.byte(16, PENDING, 0)
        assert core.offer is None
        await core.set_up(17, 0x80)
        await core.byte(17, PENDING, 1)
        assert core.offer is None

    run(testbench)


def test_a_store_of_a_byte_changes_that_byte_of_that_interrupt():
    async def testbench(core):
        for number in IDS:
            await core.set_up(number, number, EDGE)
        await core.byte(16, CONTROL, 0xA5)
        await core.byte(16, ATTRIBUTES, 0xFF)  # missing registers do not change
        for number in IDS:
            control, attributes = (0xA5, 0xC7) if number == 16 else (number, 0xC0 | EDGE)
            word = control << 24 | attributes << 16 | 1 << 8
            assert await core.read(CLICINT + 4 * number) == word

    run(testbench)


def test_an_id_without_a_source_and_a_place_without_a_register_read_0():
    async def testbench(core):
        for address in (CLICINT + 4 * 8, CLICINT - 4, 0x40):
            await core.word(address, 0xFFFFFFFF)
            assert await core.read(address) == 0
        assert await core.raised(8) is None

    run(testbench)


def test_clicinfo_tells_ids_bits_and_version():
    async def testbench(core):
        assert await core.read(CLICINFO) == 24 | 0x21 << 13 | 8 << 21
        await core.word(CLICINFO, 0)
        assert await core.read(CLICINFO) == 24 | 0x21 << 13 | 8 << 21

    run(testbench, version=0x21)


def test_it_is_quiet_when_nothing_is_to_follow():
    async def testbench(core):
        ctx, dut = core.ctx, core.dut
        await core.set_up(16, 0x80, EDGE)
        assert ctx.get(dut.quiet)
        await core.raised(16)
        assert not ctx.get(dut.quiet)  # the edge is not kept yet
        await ctx.tick()
        assert ctx.get(dut.quiet)

    run(testbench)
