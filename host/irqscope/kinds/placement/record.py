"""The part of ``run.json`` about an interrupt that was placed at every cycle of code under test."""

from __future__ import annotations

from irqscope.units import Natural, Strict


class Instruction(Strict):
    """One instruction of the firmware or program. ``where``: its function and the offset in it.

    ``text``: disassembled. ``taken``: interrupts taken before it, and the shortest and longest
    latency of these.
    """

    address: Natural
    where: str
    text: str
    taken: Natural = 0
    min_ticks: Natural | None = None
    max_ticks: Natural | None = None


class Placements(Strict):
    """The code and the counters. Delays in ticks, from the marker's stamp to the line's rise."""

    symbol: str
    address: Natural
    size: Natural  #: bytes
    firmware: str  #: name of the file that it is in
    first_ticks: Natural
    step_ticks: Natural
    last_ticks: Natural
    accepted: Natural  #: markers that started the line
    ignored: Natural  #: markers that found it not done
    alike: bool  #: each placement had one latency and one place, as often as it came
    through: bool = True  #: the last placement was taken after the code under test, not in it
    instructions: tuple[Instruction, ...]  #: of the code under test
    elsewhere: tuple[Instruction, ...]  #: at other places in which an interrupt was taken
