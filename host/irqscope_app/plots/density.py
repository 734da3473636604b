"""Number of latencies on each pixel of a plot, counted piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope_app.plots.trace import Trace

#: Latencies counted in one step, which takes some milliseconds.
MOST = 1 << 19
#: Latencies processed at a time, since each needs some 50 bytes of temporary memory.
_BLOCK = 1 << 16
#: Fewer than these are added to the cells one by one.
_FEW = 4096
#: Least latency on a logarithmic axis, ticks.
LEAST = 0.1

Counts = npt.NDArray[np.int32]
Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Grid:
    """Cells of a plot.

    Times from ``begin`` to ``end``, s, in ``columns``; latencies from ``low`` to ``high`` in
    ``rows``: ticks, or their logarithm to ten.
    """

    begin: float
    end: float
    columns: int
    low: float
    high: float
    rows: int
    logarithmic: bool = False


class Density:
    """``counts``: latencies in each cell, shape (rows, columns); ``grid``: the grid they belong to.

    A new grid is counted step by step; until then the counts of the previous grid stay.
    """

    def __init__(self) -> None:
        self.grid: Grid | None = None
        self.counts: Counts = np.zeros((0, 0), np.int32)
        self._wanted: tuple[Grid, int] | None = None  # with the number dropped from the trace
        self._growing: Counts = self.counts
        self._next = 0

    def catch_up(self, trace: Trace, grid: Grid, until: float, most: int = MOST) -> bool:
        """Counts latencies up to ``until``, s, but at most a limit.

        Returns whether counts have changed.
        """
        first, last = trace.places(grid.begin, min(grid.end, until))
        state = grid, trace.dropped
        if state != self._wanted:
            self._wanted, self._next = state, first
            self._growing = np.zeros((grid.rows, grid.columns), np.int32)
        stop = min(last, self._next + most)
        added = stop > self._next
        for begin in range(self._next, stop, _BLOCK):
            _add(self._growing, trace, begin, min(begin + _BLOCK, stop), grid)
        self._next = max(stop, self._next)
        if stop < last and self.grid is not None:
            return False
        fresh = self.counts is not self._growing
        self.grid, self.counts = grid, self._growing
        return added or fresh

    @property
    def complete(self) -> bool:
        """Whether the counts belong to the grid that was requested last."""
        return self._wanted is not None and self.grid == self._wanted[0]


def marks(counts: Counts) -> Counts:
    """The maximum of each cell and its neighbours: a mark is three pixels wide and high."""
    wide = counts.copy()
    np.maximum(wide[:, 1:], counts[:, :-1], out=wide[:, 1:])
    np.maximum(wide[:, :-1], counts[:, 1:], out=wide[:, :-1])
    high = wide.copy()
    np.maximum(high[1:], wide[:-1], out=high[1:])
    np.maximum(high[:-1], wide[1:], out=high[:-1])
    return high


def painted(counts: Counts, colours: Pixels) -> Pixels:
    """Pixels of cells, shape (rows, columns, 4), red, green, blue, alpha.

    ``colours``: from one latency to the greatest count, shape (n, 4), on a logarithmic scale. An
    empty cell is transparent.
    """
    wide = marks(counts)
    greatest = max(2, int(wide.max(initial=0)))
    scale = (len(colours) - 1) / np.log(greatest)
    places = (np.log(np.maximum(wide, 1).astype(np.float32)) * np.float32(scale)).astype(np.intp)
    pixels = colours[places]
    pixels[wide == 0] = 0
    return np.ascontiguousarray(pixels)


def _add(counts: Counts, trace: Trace, first: int, stop: int, grid: Grid) -> None:
    times, latencies = trace.times(first, stop), trace.copy(first, stop)
    columns = ((times - grid.begin) * (grid.columns / (grid.end - grid.begin))).astype(np.intp)
    values = np.log10(np.maximum(latencies, LEAST)) if grid.logarithmic else latencies
    rows = np.floor((values - grid.low) * (grid.rows / (grid.high - grid.low))).astype(np.intp)
    inside = (rows >= 0) & (rows < grid.rows) & (columns >= 0) & (columns < grid.columns)
    cells = rows[inside] * grid.columns + columns[inside]
    if len(cells) < _FEW:
        np.add.at(counts.reshape(-1), cells, 1)
    else:
        flat = counts.reshape(-1)
        flat += np.bincount(cells, minlength=counts.size).astype(np.int32)
