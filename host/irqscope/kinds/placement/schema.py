"""Demands of a placement on an experiment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from irqscope.constants import StartKind
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.machines.cases import CASES, that
from irqscope.machines.model import Machine

#: Shortest delay from a marker to the line's rise, ticks (hw/irqscope_hw/constants.py).
SHORTEST_PLACEMENT = 20
#: Placements of one batch, whose records fit the FIFO (fw/cases/placement.c).
MOST_PLACEMENTS = 4096
_LONGEST = (1 << 32) - 1


def problems_of_code_under_test(
    experiment: Experiment, machine: Machine, tick_hz: int
) -> Iterator[Problem]:
    """Yields problems that contradict placements of the firmware's or a program's code."""
    code, case = experiment.code_under_test, f'case "{experiment.case}"'
    if not (CASES[experiment.case].code_under_test or experiment.of_program):
        if code is not None:
            text = f"{case} has no such table; it belongs to {that(code_under_test=True)}"
            yield Problem(("code_under_test",), text)
        return
    if code is None:
        if not experiment.of_program:
            yield Problem(("code_under_test",), f"{case} needs it; add the table")
        return
    required = {"samples": "all"}
    if not experiment.of_program:
        required |= {"markers": "paper", "warm_up": "0"}
    for key, value in required.items():
        if str(getattr(experiment, key)) != value:
            quoted = value if value.isdigit() else f'"{value}"'
            yield Problem((key,), f"{case} has {key} = {quoted}; write that")
    yield from _line(experiment)
    of_place = code.after.symbol is not None
    if code.after.kind is not StartKind.MARKER or of_place != experiment.of_program:
        text = "the delay counts from a marker that software stores; name one"
        if experiment.of_program:
            text = 'the delay counts from a place of the program; write "pc:PLACE"'
        yield Problem(("code_under_test", "after"), text)
    if not (experiment.of_program or re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", code.code)):
        yield Problem(("code_under_test", "code"), "name a function of the firmware")
    first, last, step, period = (
        time.ticks(tick_hz) for time in (code.first, code.last, code.step, code.period)
    )
    if first < SHORTEST_PLACEMENT:
        text = f"{first} ticks are too short; give at least {SHORTEST_PLACEMENT} ticks"
        yield Problem(("code_under_test", "first"), text)
    if not first <= last <= _LONGEST:
        yield Problem(
            ("code_under_test", "last"), f"{last} ticks; give at least first = {first} ticks"
        )
        return
    if step < 1:
        yield Problem(("code_under_test", "step"), "the delay has to grow; give at least 1 tick")
        return
    number = (last - first) // step + 1
    if number > MOST_PLACEMENTS:
        text = (
            f"{number} placements from first to last; {MOST_PLACEMENTS} at most, so a longer step"
        )
        yield Problem(("code_under_test", "step"), text)
    elif experiment.count % number:
        whole = (experiment.count // number + 1) * number
        text = f"{experiment.count} are no whole passes of {number} placements; give {whole}"
        yield Problem(("count",), text)
    for line in experiment.lines[:1]:
        total = last + line.high.ticks(tick_hz) + line.low.ticks(tick_hz)
        if period <= total:
            text = (
                f"{period} ticks; the last delay and the line's high and low take {total} ticks, "
                "give more"
            )
            yield Problem(("code_under_test", "period"), text)


def _line(experiment: Experiment) -> Iterator[Problem]:
    if len(experiment.lines) != 1:
        yield Problem(("lines",), "a placement has one line, which it starts; describe one alone")
        return
    line = experiment.lines[0]
    if line.mode != "acknowledged" and not experiment.of_program:
        text = 'each pulse ends by its handler; write mode = "acknowledged"'
        yield Problem(("lines", 0, "mode"), text)
    if line.phase != "locked":
        text = 'the delay alone moves the line; write phase = "locked"'
        yield Problem(("lines", 0, "phase"), text)
    if "start_delay" in line.model_fields_set:
        text = "the line starts after a marker, see [code_under_test]; leave the key out"
        yield Problem(("lines", 0, "start_delay"), text)
