"""A shell with fewer lines and channels than the register source states: it says so."""

import pytest

from irqscope_hw import regmap
from irqscope_hw.registers import encoded
from irqscope_hw.shells.soft_pins import SoftPins

from .simulation import simulate
from .wishbone import Master

pytestmark = pytest.mark.once

LINES, CHANNELS, BINS_LOG2, DEPTH_LOG2 = 3, 2, 6, 4
HANDLER = encoded("marker", "handler")


def fields(path, word):
    return {f.name: (word & f.mask) >> f.lsb for f in regmap.IRQSCOPE[path].fields}


def test_what_is_built_is_told_and_measures_and_the_rest_has_no_registers():
    dut = SoftPins(bins_log2=BINS_LOG2, depth_log2=DEPTH_LOG2, lines=LINES, channels=CHANNELS)

    async def testbench(ctx):
        ctx.set(dut.rst, 1)
        await ctx.tick().repeat(8)
        ctx.set(dut.rst, 0)
        bus = Master(ctx, dut.wishbone)
        while await bus.read("status"):
            pass
        geometry = fields("geometry", await bus.read("geometry"))
        assert geometry == {"lines": LINES, "channels": CHANNELS, "cores": 4, "lead": 5}
        sizes = fields("sizes", await bus.read("sizes"))
        assert (sizes["hist_bins_log2"], sizes["fifo_depth_log2"]) == (BINS_LOG2, DEPTH_LOG2)
        assert await bus.read("errors") == 0

        for path in (f"lines[{LINES}].config", f"channels[{CHANNELS}].config"):
            await bus.write(path, enable=1)
            assert fields("errors", await bus.read("errors"))["bad_address"]
            await bus.write("errors", bad_address=1)
            assert await bus.read("errors") == 0

        line, channel = f"lines[{LINES - 1}]", f"channels[{CHANNELS - 1}]"
        await bus.write(f"{line}.config", enable=1, mode=encoded("line_mode", "burst"))
        await bus.write(f"{line}.high", ticks=20)
        await bus.write(f"{line}.low", ticks=20)
        await bus.write(f"{line}.count", value=1)
        await bus.write(f"{line}.route", spi=1)
        await bus.write(
            f"{channel}.config", enable=1, start_line=LINES - 1, stop_cores=1, stop_code=HANDLER
        )
        await bus.write(f"{channel}.timeout", ticks=30)
        await bus.write("start_tick", value=ctx.get(dut.now) + 120)
        await bus.write("command", arm=1)
        while not ctx.get(dut.irq):
            await ctx.tick()
        await ctx.tick().repeat(7)
        ctx.set(dut.pulse_valid, 1)
        ctx.set(dut.pulse_codes[0], HANDLER)
        await ctx.tick()
        ctx.set(dut.pulse_valid, 0)
        await ctx.tick().repeat(60)
        assert await bus.read("errors") == 0
        assert fields("status", await bus.read("status"))["finished"]
        assert await bus.read(f"{channel}.served") == 1
        assert await bus.read(f"{channel}.min_ticks") == 7

    simulate(dut, testbench)
