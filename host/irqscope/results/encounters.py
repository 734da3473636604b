"""The encounters of a line's rises in ``run.json``: the state of the core, and its masks."""

from __future__ import annotations

import bisect
import csv
from collections import Counter, defaultdict
from collections.abc import Sequence

from irqscope.errors import TargetError
from irqscope.units import Natural, Strict

#: Columns of a simulation's file (rtl/system/encounters.h).
_COLUMNS = ["tick", "line", "met", "masked"]
_STATES = ("asleep", "handler", "masked", "running", "awake")


class Encounters(Strict):
    """Counts of the encounters of one line's rises in the batches of a run.

    Attributes:
        line: Number of the line.
        asleep: Rises that met a sleeping core, not in a handler.
        handler: Rises that met a handler in progress.
        masked: Rises that met the line's interrupt masked, outside a handler.
        running: Rises that met running code that could be interrupted.
        awake: Rises that met a core which was awake and shows no more.
        met_ticks: Longest masked time between a rise and its interrupt, the core awake, or None if
            the core does not show it.
        mask_ticks: Longest interval in which the line's interrupt was masked and the core awake,
            handlers of the line itself left out, or None if the core does not show it.
    """

    line: Natural
    asleep: Natural = 0
    handler: Natural = 0
    masked: Natural = 0
    running: Natural = 0
    awake: Natural = 0
    met_ticks: Natural | None
    mask_ticks: Natural | None

    @property
    def n(self) -> int:
        """Number of rises."""
        return self.asleep + self.handler + self.masked + self.running + self.awake


def parse(text: str, batches: Sequence[tuple[int, int]]) -> tuple[Encounters, ...]:
    """Return the encounters of each line that rose, from the CSV that a simulation writes.

    Args:
        text: The CSV; rows outside the batches are of calibrations and warm-up, and left out.
        batches: First and last tick of each batch, ascending.

    Raises:
        TargetError: If the CSV is not of this version.
    """
    begins = [begin for begin, _ in batches]
    states: dict[int, Counter[str]] = defaultdict(Counter)
    met: dict[int, list[int]] = defaultdict(list)
    masks: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    last: dict[tuple[int, int], int] = {}
    try:
        header, *rows = csv.reader(text.splitlines())
        if header != _COLUMNS:
            raise ValueError(f"columns {', '.join(header)}")
        for tick, number, state, length in rows:
            place = bisect.bisect_right(begins, int(tick)) - 1
            if place < 0 or int(tick) > batches[place][1]:
                continue
            line = int(number)
            if state == "mask":
                masks[line, place].append((int(tick), int(length)))
                continue
            last[line, place] = max(int(tick), last.get((line, place), 0))
            if state not in _STATES:
                raise ValueError(f"state {state}")
            states[line][state] += 1
            if length:
                met[line].append(int(length))
    except ValueError as error:
        raise TargetError(
            f"the simulation's file of encounters is of another version ({error}); "
            "build it again: make cores"
        ) from error
    # After its last rise a batch is over, and what talks to the host may mask for long.
    longest = {
        line: max(
            (
                length
                for (of, place), mask in masks.items()
                for begin, length in mask
                if of == line and begin < last.get((of, place), 0)
            ),
            default=0,
        )
        for line in states
    }
    return tuple(
        Encounters(
            line=line,
            met_ticks=max(met[line], default=None),
            mask_ticks=longest[line] if met[line] else None,
            **counts,
        )
        for line, counts in sorted(states.items())
    )
