"""Advice about settings that are allowed but seldom wanted. Nothing here stops a run."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.analysis.stats import QUANTILES, needed
from irqscope.constants import StartKind
from irqscope.experiment.checks import shortest_period
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.machines.model import Machine

#: The quantile that most people ask for.
_TAIL = 0.999


def advice(experiment: Experiment, machine: Machine, tick_hz: int) -> Iterator[Problem]:
    """Yields effects that a run would miss with a PL clock of ``tick_hz``."""
    ns = machine.sampling_grid.ns
    for place, line in enumerate(experiment.lines):
        if line.phase == "locked":
            text = (
                f"all stimuli meet one phase of the {ns} ns sampling grid; others may differ by it"
            )
            yield Problem(("lines", place, "phase"), text)
    yield from _lock_in(experiment, tick_hz)
    measured = {c.start.line for c in experiment.channels if c.start.kind is StartKind.LINE}
    if experiment.measure == "latency" and measured:
        for place, line in enumerate(experiment.lines):
            if line.index not in measured:
                text = f"line {line.index} is on, and no channel measures it"
                yield Problem(("lines", place, "index"), text)
    enough = [p for p in QUANTILES if experiment.count >= needed(p)]
    if experiment.measure == "latency" and _TAIL not in enough:
        name = f"p{100 * max(enough):.6g}" if enough else "no quantile"
        text = f"enough for {name}; p{100 * _TAIL:.6g} needs {needed(_TAIL)}"
        yield Problem(("count",), text)


def _lock_in(experiment: Experiment, tick_hz: int) -> Iterator[Problem]:
    """A stimulus in step with the timer tick of the software meets it always at the same phase."""
    if experiment.timer_tick is None or not experiment.lines:
        return
    line, period = experiment.lines[0], experiment.timer_tick.period.ticks(tick_hz)
    if shortest_period(line, tick_hz) % period == 0 and 1 << line.dither < period:
        bits = (period - 1).bit_length()
        text = (
            f"the line's period is a multiple of the timer tick's, so every stimulus meets one "
            f"phase of it; dither_bits = {bits} covers them all"
        )
        yield Problem(("timer_tick", "period"), text)
