"""Plays a trace of the engine back through Amaranth's simulator, tick by tick."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

from amaranth.sim import Simulator

from irqscope_hw.shells.zynqmp import ZynqMP
from irqscope_hw.verilog import build_hash
from irqscope_twin import build

INPUTS = ("emio_o3", "emio_o4", "pmod_in", "source_id", "source_hash", "skip", "skip_to")
OUTPUTS = (
    "emio_i3",
    "emio_i4",
    "pl_ps_irq0",
    "pl_ps_irq1",
    "pl_ps_apugic_irq",
    "pmod",
    "stm_event",
)

Changes = dict[int, dict[str, int]]


def read_trace(path: Path) -> list[tuple[int, str, int]]:
    """The rows of a trace: (tick, signal, value)."""
    with path.open() as file:
        rows = csv.reader(file)
        assert next(rows) == ["tick", "signal", "value"]
        return [(int(tick), signal, int(value, 0)) for tick, signal, value in rows]


def replay(path: Path) -> int:
    """Drives the inputs of a trace into the simulator and compares every output in every tick.

    Returns the number of ticks simulated. Raises AssertionError at the first difference.
    """
    changes: dict[str, Changes] = {"in": defaultdict(dict), "out": defaultdict(dict)}
    last = 0
    for tick, signal, value in read_trace(path):
        changes["in" if signal in INPUTS else "out"][tick][signal] = value
        last = max(last, tick)
    dut = ZynqMP(build_hash=build_hash(build.GATEWARE.read_text()))
    simulated = [0]

    async def drive(ctx) -> None:  # type: ignore[no-untyped-def]
        expected = dict.fromkeys(OUTPUTS, 0)
        while True:
            tick = ctx.get(dut.now)
            expected |= changes["out"].pop(tick, {})
            for signal in OUTPUTS:
                observed = ctx.get(getattr(dut, signal))
                assert observed == expected[signal], (
                    f"tick {tick}: {signal} is {observed:#x}, the engine had {expected[signal]:#x}"
                )
            if tick >= last:
                return
            for signal, value in changes["in"].pop(tick, {}).items():
                ctx.set(getattr(dut, signal), value)
            simulated[0] += 1
            await ctx.tick()

    simulator = Simulator(dut)
    simulator.add_clock(4e-9)
    simulator.add_testbench(drive)
    simulator.run()
    assert not any(changes["out"].values()), "ticks of the trace were passed over"
    return simulated[0]
