"""Limits of a software stack. The firmware of one's own refuses by itself."""

from __future__ import annotations

from collections.abc import Iterator

from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.machines.cases import CASES

#: configMAX_API_CALL_INTERRUPT_PRIORITY, as the controller counts (fw/stacks/freertos).
FREERTOS_API_PRIORITY = 0x90
#: Shortest period of a kernel tick, ns: its handler alone takes tens of us without caches.
FREERTOS_SHORTEST_TIMER_TICK_NS = 100_000
_ALONE = 'that is of stack = "baremetal"'


def problems_of_stack(experiment: Experiment, tick_hz: int) -> Iterator[Problem]:
    """All that contradicts the experiment's software stack."""
    if experiment.stack == "freertos":
        yield from _not_of_bare_metal(experiment, "a kernel runs", "the kernel is in DDR")
        yield from _of_freertos(experiment, tick_hz)
    elif experiment.stack == "standalone":
        yield from _not_of_bare_metal(
            experiment, "its own loop runs", "its vector and table are in DDR"
        )
        if experiment.dispatcher != "table":
            text = f"the vendor's driver has a table; leave the key out, or {_ALONE}"
            yield Problem(("dispatcher",), text)


def _not_of_bare_metal(experiment: Experiment, waits: str, stands: str) -> Iterator[Problem]:
    """What bare metal can do and the stack cannot: ``fields`` of its firmware does not name it."""
    if CASES[experiment.case].prepares:
        text = f'"{experiment.case}" acts right before the wait, where {waits}; {_ALONE}'
        yield Problem(("case",), text)
    if experiment.kind == "software":
        text = f"a task that raises its own interrupt is not written; {_ALONE}"
        yield Problem(("interrupt",), text)
    if experiment.placement != "ddr":
        yield Problem(("placement",), f"{stands}; {_ALONE}")
    if experiment.clock_divisor != 1:
        yield Problem(("clock_divisor",), f"sleep with a slower clock is not written; {_ALONE}")


def _of_freertos(experiment: Experiment, tick_hz: int) -> Iterator[Problem]:
    if experiment.markers == "stages" and experiment.priority < FREERTOS_API_PRIORITY:
        text = (
            "a handler that wakes a task calls the kernel, which masks it meanwhile; "
            f"give {FREERTOS_API_PRIORITY} or more"
        )
        yield Problem(("priority",), text)
    timer_tick = experiment.timer_tick
    if timer_tick is not None and timer_tick.work:
        text = f"the kernel tick's work is its own; {_ALONE}"
        yield Problem(("timer_tick", "work"), text)
    if timer_tick is not None:
        ns = timer_tick.period.ticks(tick_hz) * 1_000_000_000 // tick_hz
        if ns < FREERTOS_SHORTEST_TIMER_TICK_NS:
            text = f"{timer_tick.period} leaves the kernel no time; give at least 100 us"
            yield Problem(("timer_tick", "period"), text)
