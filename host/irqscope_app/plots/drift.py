"""Figures of each batch over time, of a run that does not keep all its stimuli."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor

from irqscope.results.drift import FIGURES, Ticks
from irqscope_app.plots.base import Name
from irqscope_app.plots.trace import Seconds, Trace
from irqscope_app.widgets.theme import Theme

#: Batches of a channel that are kept, the latest.
_CAPACITY = 1 << 20
#: Points of a line at most; more batches are drawn in groups.
_MOST = 800


class DriftTrace:
    """Figures of the batches of one channel; when full, the older half is dropped."""

    def __init__(self) -> None:
        self._figures = {name: Trace(_CAPACITY) for name in FIGURES}

    @property
    def number(self) -> int:
        """Batches that were ever added."""
        return len(self._figures["min"]) + self._figures["min"].dropped

    @property
    def span(self) -> tuple[float, float] | None:
        """Begins of the first and the last batch, s, or None without any."""
        return self._figures["min"].span

    def append(self, time: Seconds, figures: Mapping[str, Ticks]) -> None:
        """Adds batches: their begins, s, and FIGURES, ticks; each of shape (n,)."""
        for name, trace in self._figures.items():
            trace.append(time, figures[name].astype(np.uint32))

    def extremes(self, begin: float, end: float) -> tuple[int, int] | None:
        """Smallest and greatest latency of the batches from ``begin`` to ``end``, s."""
        ends = [self._figures[name].extremes(begin, end) for name in ("min", "max")]
        return None if ends[0] is None or ends[1] is None else (ends[0][0], ends[1][1])

    def grouped(self, begin: float, end: float) -> tuple[Seconds, dict[str, Any]]:
        """Times, s, and figures, ticks, of the batches in view and of those next to it.

        Of many batches, groups have the least of the least latencies, the greatest of the greatest,
        and medians of the others.
        """
        least = self._figures["min"]
        first, last = least.places(begin, end)
        first, last = max(first - 1, least.dropped), min(last + 1, least.dropped + len(least))
        size = max(1, -(-(last - first) // _MOST))
        cuts = range(first, last, size)
        ways = {"min": np.min, "max": np.max}
        times = np.array([least.times(cut, cut + 1)[0] for cut in cuts])
        return times, {
            name: np.array([ways.get(name, np.median)(trace.copy(cut, cut + size)) for cut in cuts])
            for name, trace in self._figures.items()
        }


class DriftLayer:
    """Draws the figures of one channel: least to greatest as a band, p50 and p99 as lines."""

    def __init__(self, item: Any, channel: int) -> None:
        self._item = item
        self._drawn: tuple[int, tuple[float, float], float] | None = None
        self._curves = {
            name: pg.PlotDataItem(name=f"{name} of channel {channel}") for name in FIGURES
        }
        self._band = pg.FillBetweenItem(self._curves["min"].curve, self._curves["max"].curve)
        for part in (self._band, *self._curves.values()):
            part.setZValue(-5)
            item.addItem(part, ignoreBounds=True)

    def dress(self, theme: Theme, colour: str) -> None:
        """Applies a colour of a theme."""
        shade = QColor(colour)
        shade.setAlpha(60)
        self._band.setBrush(shade)
        for name, curve in self._curves.items():
            style = Qt.PenStyle.DashLine if name == "p99" else Qt.PenStyle.SolidLine
            curve.setPen(pg.mkPen(colour, width=2 if name == "p50" else 1, style=style))

    def draw(
        self,
        trace: DriftTrace,
        seen: tuple[float, float],
        level: Callable[[npt.NDArray[np.float64]], Any],
    ) -> None:
        """Draws the batches in view. ``level``: converts ticks to places on the axis."""
        drawn = (trace.number, seen, float(level(np.array(2.0))))
        if drawn == self._drawn:
            return
        self._drawn = drawn
        times, figures = trace.grouped(*seen)
        for name, curve in self._curves.items():
            curve.setData(times, level(figures[name]))

    def remove(self) -> None:
        """Takes all of it out of the plot."""
        for part in (self._band, *self._curves.values()):
            self._item.removeItem(part)


def names(colour: str) -> list[Name]:
    """What band and lines of a single channel mean."""
    return [
        Name("least to greatest", colour, "■"),
        Name("p50", colour, "—"),
        Name("p99", colour, "- -"),
    ]
