"""Statistics of parts of the trace, computed in threads since there may be millions of stimuli."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QObject, QThreadPool, pyqtSignal

from irqscope.report import wording
from irqscope_app.control.station import Station
from irqscope_app.scope.cells import Cells, cells_of_kept, cells_of_part
from irqscope_app.scope.shown import Shown

#: Shortest interval between two counts of a part, s.
_PARTS_S = 0.25
#: The pause after a count, as a multiple of its duration: counting millions must not load a core.
_PARTS_REST = 10
#: Longest pause, s: the numbers of a run are as old as its parts.
_MOST_REST_S = 1.0


@dataclass(frozen=True)
class Part:
    """Part of a channel: times, s, and latencies, ticks; both ends are included."""

    channel: int
    begin: float
    end: float
    low: float = -np.inf
    high: float = np.inf


class Counting(QObject):
    """``counted``: emitted with the Shown of the request, the column and its cells."""

    counted = pyqtSignal(object, str, object)

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._station = station
        self._busy = 0
        self._at = self._lasted = 0.0
        self.counted.connect(self._on_counted)

    @property
    def busy(self) -> bool:
        """Whether parts are being counted."""
        return self._busy > 0

    def hurry(self) -> None:
        """Counts the next parts at once, since the user looks at something else."""
        self._at = 0.0

    def due(self) -> bool:
        """Whether parts need to be counted again; the caller then does so."""
        rest = max(_PARTS_S, min(_MOST_REST_S, _PARTS_REST * self._lasted))
        if self._busy or time.monotonic() - self._at < rest:
            return False
        self._at = time.monotonic()
        return True

    def count(self, column: str, part: Part, shown: Shown) -> None:
        """Counts what the trace holds of a visible part, by :func:`cells_of_part`, in a thread."""
        picture = shown.picture
        assert picture is not None  # else it has no parts
        # With several patterns it is not a sample of one distribution.
        before = shown.before if part.begin < picture.begin else ()
        runs = [one.run for one in (picture, *before)]
        unit, bound = shown.unit, shown.bound
        all_stats = [one for run in runs for one in run.stats if one.channel == part.channel]
        selected = any(wording.selected(one) for one in runs)
        grid = any(wording.grid(one) for one in runs)
        every = all(one.served == one.n for one in all_stats)
        independent = not before and not any(wording.failing(one) for one in all_stats)
        if bound:  # of several bounds, the widest interval holds for all
            ways = [one.calibration.one_way for one in runs if one.calibration]
            bound = max(way.bound_ticks for way in ways)
        pool = QThreadPool.globalInstance()
        if pool is None:
            return
        self._busy += 1
        feed = self._station.feed

        def work() -> None:
            began = time.monotonic()
            ends = part.channel, part.begin, part.end
            held = feed.held(*ends)
            distribution = feed.between(*ends, part.low, part.high)
            lasting = feed.lasting(*ends)
            cells: Cells = {}
            if distribution is not None and selected:
                cells = cells_of_kept(distribution, unit, bound)
            elif distribution is not None:
                # Latencies of selected lengths are not a sample either, and have no rate.
                all_lengths = distribution.n >= held  # more may have arrived since
                cells = cells_of_part(
                    distribution,
                    unit,
                    bound,
                    shown.limit,
                    lasting if all_lengths else 0.0,
                    every=every,
                    drawn=not grid,
                    trusted=independent and all_lengths,
                )
            self._lasted = time.monotonic() - began
            self.counted.emit(shown, column, cells)

        pool.start(work)

    def _on_counted(self, shown: Shown, column: str, cells: Cells) -> None:
        self._busy -= 1
