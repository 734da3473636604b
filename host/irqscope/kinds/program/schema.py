"""Requirements and limits of an experiment with a foreign program."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.constants import StartKind
from irqscope.experiment.machine import OF_SOFTWARE
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.machines.model import Machine

#: The output after these tells that a batch has ended.
PROGRAM_LINES = 7


def problems_of_program(
    experiment: Experiment, machine: Machine, tick_hz: int
) -> Iterator[Problem]:
    """Yields the faults of an experiment's settings for a foreign program."""
    if not experiment.of_program:
        if experiment.masked:
            yield Problem(("masked",), "it is for a foreign program; leave it out")
        if experiment.case == "program":
            text = 'a foreign program has machine = "program"; write that'
            yield Problem(("case",), text)
        for place, line in enumerate(experiment.lines):
            for key in ("pin", "irq"):
                if getattr(line, key) is not None:
                    text = 'a line leads there where a program runs: write machine = "program"'
                    yield Problem(("lines", place, key), text)
        return
    if experiment.case != "program":
        text = 'such a program has one case; leave the key out, or drop machine = "program"'
        yield Problem(("case",), text)
    plain = OF_SOFTWARE | {"caches": "off"}
    for key, value in plain.items():
        if getattr(experiment, key) != value:
            text = "it is said of software that the instrument knows; of a program, leave it out"
            yield Problem((key,), text)
    if not experiment.lines:
        yield Problem(("lines",), "a program is interrupted by a line; describe one")
    for place, line in enumerate(experiment.lines):
        if line.interrupt:
            text = "lines reach the program's core by their numbers; leave the key out"
            yield Problem(("lines", place, "interrupt"), text)
        if line.pin is not None and line.irq is not None:
            text = "a line leads to a pin or to an interrupt; leave one key out"
            yield Problem(("lines", place, "irq"), text)
        for key in ("pmod", "stm"):
            if getattr(line, key):
                text = "lines reach the program's core alone; leave the key out"
                yield Problem(("lines", place, key), text)
        if line.index >= PROGRAM_LINES:
            text = f"line {line.index}; those of a program are 0 to {PROGRAM_LINES - 1}"
            yield Problem(("lines", place, "index"), text)
        if line.mode == "acknowledged" and line.acknowledge.symbol is None:
            text = 'nothing of ours answers; write acknowledge = "store:PLACE" or "pc:PLACE"'
            yield Problem(("lines", place, "acknowledge"), text)
    for place, channel in enumerate(experiment.channels):
        for key in ("start", "stop"):
            event = getattr(channel, key)
            if event.kind is not StartKind.LINE and event.symbol is None:
                text = 'a program makes none of our markers; write "pc:PLACE" or "store:PLACE"'
                yield Problem(("channels", place, key), text)
