import pytest

from irqscope_hw.constants import EVENT_DELAY, FRONT_END_DELAY, OUTPUT_DELAY
from irqscope_hw.events import EventAlignment

from .simulation import simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]


@pytest.mark.parametrize("edge", range(20, 26))
def test_edges_and_markers_of_one_stamp_are_presented_together(edge):
    """An edge is known OUTPUT_DELAY ticks before its stamp."""
    dut = EventAlignment(lines=3, cores=2)
    stamp = 22  # of the marker; a capture front end gives it FRONT_END_DELAY ticks later
    presented = {}

    async def testbench(ctx):
        for tick in range(40):
            ctx.set(dut.rose, 0b101 if tick == edge - OUTPUT_DELAY else 0)
            ctx.set(dut.fell, 0b010 if tick == edge - OUTPUT_DELAY else 0)
            ctx.set(dut.markers, 0b10 if tick == stamp + FRONT_END_DELAY else 0)
            ctx.set(dut.codes[1], 6 if tick == stamp + FRONT_END_DELAY else 0)
            await ctx.delay(0)
            events = dut.events
            if any(ctx.get(value) for value in (events.rises, events.falls, events.markers)):
                presented[tick - EVENT_DELAY] = (
                    ctx.get(events.rises),
                    ctx.get(events.falls),
                    ctx.get(events.markers),
                    ctx.get(events.codes[1]) if ctx.get(events.markers) else None,
                )
            busy = (
                edge - OUTPUT_DELAY <= tick <= edge + EVENT_DELAY
                or stamp + FRONT_END_DELAY <= tick <= stamp + EVENT_DELAY
            )
            assert ctx.get(dut.quiet) == (not busy)
            await ctx.tick()

    simulate(dut, testbench)
    expected = {edge: (0b101, 0b010, 0, None)}
    expected[stamp] = (*((0b101, 0b010) if edge == stamp else (0, 0)), 0b10, 6)
    assert presented == expected


@pytest.mark.parametrize("port", ["rose", "fell"])
@pytest.mark.parametrize("line", range(3))
def test_one_edge_of_one_line_is_under_way(port, line):
    dut = EventAlignment(lines=3, cores=2)

    async def testbench(ctx):
        await ctx.delay(0)
        assert ctx.get(dut.quiet)
        ctx.set(getattr(dut, port), 1 << line)
        await ctx.delay(0)
        assert not ctx.get(dut.quiet)

    simulate(dut, testbench)
