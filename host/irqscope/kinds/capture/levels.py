"""Turns blocks of levels into changes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irqscope.kinds.capture.model import Changes, Levels, Ticks


class LevelRows:
    """Rows with a time and the level of each signal, block by block."""

    def __init__(self, signals: int) -> None:
        self._before: Levels | None = None
        self._signals = signals

    def changes(self, ticks: Ticks, levels: Levels, last_tick: int, gap: str = "") -> Changes:
        """Returns the changes of a block.

        Args:
            ticks: Time of each row, shape (n,).
            levels: Level of each signal in each row, shape (n, signals).
            last_tick: Time up to which the levels are known.
            gap: Why the levels before do not lead up to these; empty where they do.
        """
        before = None if gap else self._before
        if not len(ticks):
            return Changes(ticks, np.empty(0, np.int16), np.empty(0, np.int8), last_tick, gap)
        changed = np.empty(levels.shape, np.bool_)
        changed[1:] = levels[1:] != levels[:-1]
        changed[0] = True if before is None else levels[0] != before
        self._before = levels[-1].copy()
        rows, columns = np.nonzero(changed)
        return Changes(ticks[rows], columns.astype(np.int16), levels[rows, columns], last_tick, gap)


def backwards(stamps: Ticks, before: int | None) -> npt.NDArray[np.int64]:
    """Returns the places of stamps that are before their predecessor, shape (k,).

    Args:
        stamps: In the order of the file, shape (n,).
        before: The stamp before them, or None if there is none.
    """
    first = stamps[:1] if before is None else np.array([before], np.int64)
    return np.flatnonzero(np.diff(stamps, prepend=first) < 0)
