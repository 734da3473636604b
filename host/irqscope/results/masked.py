"""A masked map as ``run.json`` has it: when the interrupt of line 0 could not have been taken."""

from __future__ import annotations

import csv
import re

from irqscope.errors import TargetError
from irqscope.machines.program_file import demangled
from irqscope.units import Natural, Strict


class MaskedInterval(Strict):
    """Intervals with the same ends.

    ``opened``: the instruction that was executed first in them, ``closed``: the last one, as
    address, function and offset; ``caller``: where the function of ``opened`` returns to, then
    where that one does, as ``A < B``, up to a trap or the program's begin: empty where a trap
    opened it. Lengths in ticks that the core was awake. ``start_tick``, ``end_tick``: of the
    greatest by the gateware's clock, as those of a batch, and the core may have slept between them;
    of several the last one in which line 0 rose, without one the first after line 0 first rose.
    """

    opened: str
    caller: str
    closed: str
    count: Natural
    least_ticks: Natural
    greatest_ticks: Natural
    start_tick: Natural
    end_tick: Natural


def parse(text: str) -> tuple[MaskedInterval, ...]:
    """The map from the CSV that a simulation writes, the longest first. Raises TargetError."""
    try:
        intervals = [_interval(row) for row in csv.DictReader(text.splitlines())]
    except (KeyError, ValueError) as error:
        raise TargetError(
            f"the simulation's masked map has another version ({error}); "
            "rebuild it: make build cores"
        ) from error
    return tuple(
        sorted(intervals, key=lambda one: (-one.greatest_ticks, one.opened, one.caller, one.closed))
    )


def _plain(text: str) -> str:
    """Functions of Rust by their paths."""
    return re.sub(r"(?<=\()_ZN[^+)]+", lambda match: demangled(match[0]) or match[0], text)


def _interval(row: dict[str, str]) -> MaskedInterval:
    return MaskedInterval(
        **{name: _plain(row[name]) for name in ("opened", "caller", "closed")},
        count=int(row["count"]),
        least_ticks=int(row["least"]),
        greatest_ticks=int(row["greatest"]),
        start_tick=int(row["start"]),
        end_tick=int(row["end"]),
    )
