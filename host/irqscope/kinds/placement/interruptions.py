"""Places where a line interrupted a foreign program, as a simulation reports them."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from irqscope.errors import TargetError

#: Columns of a simulation's report (twin/engine/core/interruptions.h).
_COLUMNS = ("tick", "line", "pc")


class Interruptions:
    """Those by one line, each by the rise that it belongs to: the last one before it.

    ``further``: how many came as a second one after a rise, or before the first.
    """

    def __init__(self, line: int) -> None:
        self._line = line
        self.further = 0

    def places(self, text: str, rises: Sequence[int]) -> list[int]:
        """Returns where the first interrupt after each rise was taken: an address, or 0 if none.

        ``text``: CSV "tick,line,pc", with or without its header; ``rises``: ticks, ascending.
        Raises TargetError.
        """
        addresses = [0] * len(rises)
        at = -1
        for tick, pc in self._taken(text):
            while at + 1 < len(rises) and rises[at + 1] <= tick:
                at += 1
            if at < 0 or addresses[at]:
                self.further += 1
            else:
                addresses[at] = pc
        return addresses

    def _taken(self, text: str) -> list[tuple[int, int]]:
        """Tick and address of each."""
        rows = [row for row in csv.reader(text.splitlines()) if row != list(_COLUMNS)]
        try:
            interruptions = [(int(tick), int(line), int(pc)) for tick, line, pc in rows]
        except ValueError as error:
            raise TargetError(
                f"the simulation's list of interrupts has another version ({error}); "
                "rebuild it: make build cores"
            ) from error
        return [(tick, pc) for tick, line, pc in interruptions if line == self._line]
