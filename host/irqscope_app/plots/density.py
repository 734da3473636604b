"""How many latencies fall on each pixel of a plot, counted piece by piece."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope_app.plots.trace import Trace

#: Latencies that are counted in one go: so many take some milliseconds.
MOST = 1 << 19
#: They are worked out so many at a time, since each takes some 50 bytes meanwhile.
_BLOCK = 1 << 16
#: Fewer than these are added to the cells one by one.
_FEW = 4096
#: Least latency on a logarithmic axis, ticks.
LEAST = 0.1

Counts = npt.NDArray[np.int32]
Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Grid:
    """Cells of a plot: times from ``begin`` to ``end``, s, in ``columns``; latencies from ``low``
    to ``high`` in ``rows``: ticks, or their logarithm to ten."""

    begin: float
    end: float
    columns: int
    low: float
    high: float
    rows: int
    logarithmic: bool = False


class Density:
    """``counts``: latencies in each cell, shape (rows, columns); ``grid``: whose they are.

    A grid that is asked for is counted by and by; until that is done, what was counted of the one
    before stays.
    """

    def __init__(self) -> None:
        self.grid: Grid | None = None
        self.counts: Counts = np.zeros((0, 0), np.int32)
        self._wanted: tuple[Grid, int] | None = None  # and what had fallen out of the trace
        self._growing: Counts = self.counts
        self._next = 0

    def catch_up(self, trace: Trace, grid: Grid, until: float, most: int = MOST) -> bool:
        """Counts what came up to ``until``, s, at most so many. True: the counts have changed."""
        first, last = trace.places(grid.begin, min(grid.end, until))
        wanted = grid, trace.dropped
        if wanted != self._wanted:
            self._wanted, self._next = wanted, first
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
        """Whether the counts that are there are of the pixels that were asked for last."""
        return self._wanted is not None and self.grid == self._wanted[0]


def marks(counts: Counts) -> Counts:
    """Each cell as the greatest of itself and its neighbours: a mark is three pixels wide and
    high."""
    wide = counts.copy()
    np.maximum(wide[:, 1:], counts[:, :-1], out=wide[:, 1:])
    np.maximum(wide[:, :-1], counts[:, 1:], out=wide[:, :-1])
    high = wide.copy()
    np.maximum(high[1:], wide[:-1], out=high[1:])
    np.maximum(high[:-1], wide[1:], out=high[:-1])
    return high


def painted(counts: Counts, colours: Pixels) -> Pixels:
    """Pixels of cells, shape (rows, columns, 4), red, green, blue, alpha.

    ``colours``: of one latency to those of the greatest count, shape (n, 4); on a logarithmic
    scale. A cell without any is transparent.
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
