"""Turns blocks of levels into changes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from irqscope.kinds.capture.model import UNKNOWN, Changes, Levels, Ticks


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


class Known:
    """Leaves out rows in which a signal has no data, and tells where that makes a gap."""

    def __init__(self) -> None:
        self._begun = False
        self._lost = False

    def parts(self, ticks: Ticks, levels: Levels) -> Iterator[tuple[slice, int, str]]:
        """Yields the parts of a block whose levels are known.

        Args:
            ticks: Time of each row, shape (n,).
            levels: Level of each signal in each row, shape (n, signals).

        Yields:
            The rows, the time up to which their levels are known, and the gap before them, or an
            empty text.
        """
        defined = (levels != UNKNOWN).all(axis=1)
        cuts = [0, *(np.flatnonzero(np.diff(defined)) + 1).tolist(), len(ticks)]
        for first, last in zip(cuts, cuts[1:], strict=False):
            if first == last:
                continue
            if not defined[first]:
                self._lost = self._begun
                continue
            gap = "a signal has no data" if self._lost else ""
            self._begun, self._lost = True, False
            yield slice(first, last), int(ticks[min(last, len(ticks) - 1)]), gap


def backwards(stamps: Ticks, before: int | None) -> npt.NDArray[np.int64]:
    """Returns the places of stamps that are before their predecessor, shape (k,).

    Args:
        stamps: In the order of the file, shape (n,).
        before: The stamp before them, or None if there is none.
    """
    first = stamps[:1] if before is None else np.array([before], np.int64)
    return np.flatnonzero(np.diff(stamps, prepend=first) < 0)
