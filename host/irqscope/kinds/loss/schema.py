"""The table of a loss map in an experiment, and its checks."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from irqscope.constants import LINES, SHORTEST_PHASE, StartKind
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.experiment.tables import SHORTEST_PULSE
from irqscope.experiment.values import Table, Time
from irqscope.machines.model import Machine

#: A pair's answers end so long before the next pair, in ticks: 4 us at 250 MHz.
_REST = 1000


class Loss(Table):
    """Pairs of pulses over a grid, and which of them are answered; count is pairs of each cell."""

    widths: tuple[Time, ...] = Field(min_length=1, max_length=32, strict=False)
    """How long each pulse of a pair is."""
    spacings: tuple[Time, ...] = Field(min_length=1, max_length=32, strict=False)
    """From one rise of a pair to the other."""


def problems_of_loss(experiment: Experiment, machine: Machine, tick_hz: int) -> Iterator[Problem]:
    """Yields the faults of the grid, and of the keys that it uses for its pairs."""
    loss = experiment.part(Loss)
    if loss is None:
        return
    for key, value in {"measure": "latency", "samples": "none"}.items():
        if str(getattr(experiment, key)) != value:
            yield Problem((key,), f'a loss map has {key} = "{value}"; write that')
    for key in ("background", "load", "timer_tick", "code_under_test"):
        table = getattr(experiment, key)
        if table is not None and getattr(table, "program", None) is None:
            yield Problem((key,), "a loss map has no such table; drop one of them")
    if experiment.by_software or experiment.cores > 1:
        yield Problem(
            ("loss",),
            "it takes a line and one core that answers it; drop the table, or the other cores",
        )
        return
    if len(experiment.lines) != 1 or experiment.lines[0].index >= LINES - 1:
        text = "a loss map has one line, the next one makes the second pulse; describe one"
        yield Problem(("lines",), text)
        return
    line = experiment.lines[0]
    if line.mode != "burst":
        yield Problem(("lines", 0, "mode"), 'a loss map has mode = "burst"; write that')
    if len(experiment.channels) != 1 or experiment.channels[0].start.kind is not StartKind.LINE:
        yield Problem(
            ("channels",),
            "a loss map has one channel, from the line to the answer; describe one alone",
        )
    widths = [time.ticks(tick_hz) for time in loss.widths]
    spacings = [time.ticks(tick_hz) for time in loss.spacings]
    period = line.high.ticks(tick_hz) + line.low.ticks(tick_hz)
    for key, times in (("widths", widths), ("spacings", spacings)):
        for place, ticks in enumerate(times):
            shortest = SHORTEST_PULSE if key == "widths" else SHORTEST_PHASE
            if ticks < shortest:
                text = f"{ticks} ticks; at least {shortest}"
                yield Problem(("loss", key, place), text)
    longest = max(spacings) + max(widths)
    if longest + _REST > period:
        text = f"{longest} ticks with its width; pairs come every {period}, and {_REST} are kept"
        yield Problem(("loss", "spacings"), text)
    if not any(s - w >= SHORTEST_PHASE for s in spacings for w in widths):
        yield Problem(("loss", "spacings"), "no spacing is longer than any width; add a longer one")
