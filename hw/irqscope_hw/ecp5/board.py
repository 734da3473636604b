"""The system on a board: its clock, pins and identity. The description of the machine has them."""

import re
from pathlib import Path

from amaranth.hdl import Cat, ClockDomain, Instance, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .. import regmap
from .description import ROOT, boards, description, memory
from .pll import Pll
from .system import Parameters, System

#: Outputs that not every board has, with their widths.
OPTIONAL = {"led": 3, "led_n": 1, "hold": 2}


def parameters(board: str) -> Parameters:
    """Parameters of the system on a board."""
    machine = description()
    base, size = memory()
    interrupts = machine["interrupts"]
    return Parameters(
        memory_base=base,
        memory_log2=size.bit_length() - 1,
        bins_log2=machine["sizes"]["hist_bins_log2"],
        depth_log2=machine["sizes"]["fifo_depth_log2"],
        lines=boards()[board]["lines"],
        channels=boards()[board]["channels"],
        tick_hz=boards()[board]["tick_hz"],
        timer=interrupts["timer_tick"],
        uart=interrupts["link"],
        output=interrupts["shared"]["outputs"][0]["first"],
    )


def constraints(board: str) -> Path:
    """The file that places its pins."""
    return ROOT / "constraints" / f"{board}.lpf"


def placed(board: str) -> set[str]:
    """Names of the ports that it places."""
    return set(re.findall(r'(?m)^LOCATE COMP "(\w+)', constraints(board).read_text("utf-8")))


class Board(wiring.Component):
    """The system with a PLL that derives its clock from the board's oscillator.

    ``irqscope_simulation`` (board.v) gives the value of the register ``source``: a bitstream reads
    as no simulation.

    Args:
        board: Its name in the description.
        firmware: See :class:`~.system.System`.

    Members:
        clk: The oscillator.
        others: See :class:`~.system.System`.
        led, led_n, hold: Those of them that the board's constraints place. Lit while high: out of
            reset, armed, error; lit while low: out of reset; always high.
    """

    def __init__(self, board: str, *, firmware: str):
        self._board = board
        self._firmware = firmware
        super().__init__(
            {
                "clk": In(1),
                "rx": In(1),
                "tx": Out(1, init=1),
                "pmod": Out(8),
                "pmod_in": In(8),
                **{name: Out(width) for name, width in OPTIONAL.items() if name in placed(board)},
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = domain = ClockDomain(reset_less=True)
        settings = parameters(self._board)
        m.submodules.pll = pll = Pll(settings.tick_hz)
        source = regmap.IRQSCOPE["source"]
        machine, board, simulation = map(source.field, ("machine", "board", "simulation"))
        told = Signal(simulation.width)
        m.submodules.simulation = Instance("irqscope_simulation", o_number=told)
        m.submodules.system = system = System(settings, firmware=self._firmware)
        m.d.comb += [
            system.source_id[machine.lsb : machine.lsb + machine.width].eq(description()["number"]),
            system.source_id[board.lsb : board.lsb + board.width].eq(
                boards()[self._board]["number"]
            ),
            system.source_id[simulation.lsb : simulation.lsb + simulation.width].eq(told),
            pll.oscillator.eq(self.clk),
            domain.clk.eq(pll.clk),
            system.locked.eq(pll.locked),
            system.rx.eq(self.rx),
            self.tx.eq(system.tx),
            self.pmod.eq(system.pmod),
            system.pmod_in.eq(self.pmod_in),
        ]
        lights = {
            "led": Cat(system.running, system.armed, system.error),
            "led_n": ~system.running,
            "hold": ~0,
        }
        for name, value in lights.items():
            if name in self.signature.members:
                m.d.comb += getattr(self, name).eq(value)
        return m
