"""Latency against time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QPen

from irqscope.gui.feed import Series, Traces
from irqscope.gui.plot import SIGNS, SYMBOLS, Name, Plot, Values
from irqscope.gui.theme import Theme
from irqscope.gui.trace import Envelope
from irqscope.gui.units import Unit

#: Latency axes span this at least: a few ticks shall look like few.
_NARROWEST_TICKS = 20
#: Share of the axis that a followed run may leave empty before the axis is drawn anew: drawing it
#: is dear, and a run of hours grows by less than a pixel between two paints.
_SLACK = 0.02
#: A click means what lies up to this many pixels to its sides.
_REACH = 4
#: Talks between batches are marked where they are at least this many pixels apart on average.
_APART = 40
#: A mark, in pixels: what is smaller is not seen among others.
_HIGH, _WIDE = 4.0, 3
#: Marks of the trace have symbols up to so many.
_SYMBOLS_UP_TO = 400
#: Least latency on a logarithmic axis, in any unit.
_LEAST = 0.3


class TracePlot(Plot):
    """Latency against time: a mark from the least to the greatest latency of each pixel.

    A mark is at least so high and wide that it is seen. ``moved``: called when the user has
    changed what is seen.
    """

    _watermark_at = 0.25  # marks of a constant latency lie in the middle

    def __init__(self, moved: Callable[[], None]) -> None:
        super().__init__(
            "Time trace", "target time, talks on the link left out, s", "latency, {unit}"
        )
        self.scales = {"latency": False}
        self._moved = moved
        self._followed: tuple[float, float] | None = None  # times that were asked for last
        self._bounds: tuple[float, float] | None = None  # latencies that were asked for last
        self._curves: dict[Series, Any] = {}
        self._unanswered: Any = pg.PlotDataItem(connect="pairs")
        self._seams: Any = pg.PlotDataItem(connect="pairs")
        self._lost: Any = pg.LinearRegionItem(movable=False)
        for item in (self._lost, self._seams, self._unanswered):
            item.setZValue(-10)
            self.item.addItem(item, ignoreBounds=True)
        self._lost.hide()
        # Its label begins at the left edge, and stands below the line where above is no room.
        self.threshold: Any = pg.InfiniteLine(
            angle=0,
            movable=True,
            label="threshold",
            labelOpts={"position": 0.01, "anchors": [(0, 0), (0, 1)]},
        )
        self.threshold.hide()
        self.cursors: Any = pg.LinearRegionItem()
        self.cursors.hide()
        self._mark: Any = pg.InfiniteLine(angle=90)
        self._mark.hide()
        for item in (self.threshold, self.cursors, self._mark):
            self.item.addItem(item, ignoreBounds=True)
        box: Any = self.item.getViewBox()
        box.disableAutoRange()
        box.sigResized.connect(lambda *_: moved())
        self.cursors.sigRegionChanged.connect(lambda *_: moved())

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        super().dress(theme)
        self._unanswered.setPen(pg.mkPen(theme.bad, width=1))
        self.threshold.setPen(pg.mkPen(theme.warning, width=1.5, style=Qt.PenStyle.DashLine))
        self.threshold.setHoverPen(pg.mkPen(theme.warning, width=3))
        self.threshold.label.setColor(theme.warning)
        shade = QColor(theme.warning)
        shade.setAlpha(90)
        self._mark.setPen(pg.mkPen(shade, width=9))  # what it marks shines through
        area = QColor(theme.accent)
        area.setAlpha(36)
        self.cursors.setBrush(area)
        area.setAlpha(70)
        self.cursors.setHoverBrush(area)
        self._seams.setPen(pg.mkPen(theme.grid, width=1))
        self._lost.setBrush(QColor(theme.grid))
        for series, curve in self._curves.items():
            self._style(series, curve)

    def fit(self) -> None:
        """As every plot."""
        super().fit()
        self._followed = self._bounds = None

    def look_at(self, begin: float, end: float) -> None:
        """Shows these times, s, with all that was measured in them, and stays there."""
        self.follows, self._bounds = False, None
        self.item.getViewBox().setXRange(begin, end, padding=0)

    def mark(self, time: float | None) -> None:
        """Marks a moment, s; None: none."""
        self._mark.setVisible(time is not None)
        self._mark.setValue(time or 0.0)

    def pick(self, traces: Traces, time: float, y: float, unit: Unit) -> tuple[int, float] | None:
        """Channel and time, s, of the stimulus that is drawn nearest to a place on the axes."""
        begin, end = self.visible
        reach = _REACH * (end - begin) / max(50, int(self.item.getViewBox().width()))
        best = None
        for series, trace in traces.channels.items():
            first, last = trace.places(time - reach, time + reach)
            if first < last:
                latencies, times = trace.copy(first, last), trace.times(first, last)
                away = np.abs(self._y(latencies * unit.per_tick) - y)
                place = int(np.argmin(away))
                if best is None or away[place] < best[0]:
                    best = float(away[place]), series.channel, float(times[place])
        return None if best is None else best[1:]

    def set_scale(self, axis: str, logarithmic: bool) -> None:
        """As every plot; the threshold stays where it is."""
        limit = self.limit
        super().set_scale(axis, logarithmic)
        self.item.getAxis("left").setLogMode(logarithmic)
        self._bounds = None
        self.limit = limit

    @property
    def limit(self) -> float:
        """Latency of the threshold, in the unit that is shown."""
        value = float(self.threshold.value())
        return 10.0**value if self.scales["latency"] else value

    @limit.setter
    def limit(self, value: float) -> None:
        self.threshold.setValue(float(self._y(value)))

    def _y(self, latency: Any) -> Any:
        """Latencies in a unit as the axis has them."""
        return np.log10(np.maximum(latency, _LEAST)) if self.scales["latency"] else latency

    @property
    def visible(self) -> tuple[float, float]:
        """Times that are seen, s."""
        begin, end = self.item.getViewBox().viewRange()[0]
        return float(begin), float(end)

    def draw(self, traces: Traces, unit: Unit, until: float = np.inf) -> None:
        """Paints what is seen of the traces, of what came up to ``until``, s."""
        spans = [span for trace in traces.channels.values() if (span := trace.span)]
        box: Any = self.item.getViewBox()
        if self.follows and spans:
            self._follow(min(s[0] for s in spans), min(max(s[1] for s in spans), until))
        begin, end = self.visible
        pixels = max(50, int(box.width()))
        seen = {
            series: trace.envelope(begin, min(end, until), pixels)
            for series, trace in traces.channels.items()
        }
        low = min((float(e.low.min()) for e in seen.values() if len(e.time)), default=np.inf)
        high = max((float(e.high.max()) for e in seen.values() if len(e.time)), default=-np.inf)
        for series in self._curves.keys() - traces.channels.keys():
            self.item.removeItem(self._curves.pop(series))
        if (self.follows or self._bounds is None) and high >= low and not self.locked:
            lack = max(0.0, _NARROWEST_TICKS - (high - low)) / 2
            least, greatest = max(low - lack, 0) * unit.per_tick, (high + lack) * unit.per_tick
            bounds = float(self._y(least)), float(self._y(greatest))
            if bounds != self._bounds:
                self._bounds = bounds
                box.setYRange(*bounds, padding=0.06)
        for series, envelope in seen.items():
            self._draw_series(series, envelope, unit)
        self.set_names(
            [
                Name(str(series), self._colour(series), SIGNS[series.place % len(SIGNS)])
                for series in sorted(self._curves, key=str)
            ]
        )
        self._draw_moments(traces, begin, end, pixels)

    def _draw_series(self, series: Series, envelope: Envelope, unit: Unit) -> None:
        few = len(envelope.time) <= _SYMBOLS_UP_TO
        bottom, top = (self._y(ends * unit.per_tick) for ends in (envelope.low, envelope.high))
        if not few:
            box: Any = self.item.getViewBox()
            least, greatest = box.viewRange()[1]
            half = _HIGH * (greatest - least) / max(1.0, box.height()) / 2
            lack = np.maximum(half - (top - bottom) / 2, 0.0)
            bottom, top = bottom - lack, top + lack
        curve = self._curve(series)
        curve.setSymbol(self._symbol(series) if few else None)
        curve.setData(np.repeat(envelope.time, 2), _interleaved(bottom, top))

    def _follow(self, begin: float, end: float) -> None:
        """Shows these times, s, and some room into which the next ones grow."""
        span = max(end - begin, 1e-6)
        if self._followed is not None:
            left, right = self._followed
            if left == begin and 0 <= right - end <= 2 * _SLACK * span:
                return
        self._followed = begin, begin + (1 + _SLACK) * span
        self.item.getViewBox().setXRange(begin - span / 100, self._followed[1], padding=0)

    def _draw_moments(self, traces: Traces, begin: float, end: float, pixels: int) -> None:
        """What spans the height: stimuli without an answer, talks left out, times not kept."""
        low, high = self.item.getViewBox().viewRange()[1]
        seen = {}
        for curve, moments in ((self._unanswered, traces.unanswered), (self._seams, traces.seams)):
            seen[curve] = np.array([time for time in moments if begin <= time <= end])
        if len(seen[self._seams]) > pixels / _APART:
            seen[self._seams] = np.empty(0)
        for curve, times in seen.items():
            curve.setData(np.repeat(times, 2), np.tile([low, high], len(times)))
        first = [trace.span for trace in traces.channels.values() if trace.dropped]
        self._lost.setVisible(bool(first))
        if first:
            self._lost.setRegion((0.0, min(span[0] for span in first if span)))

    def _curve(self, series: Series) -> Any:
        if series not in self._curves:
            curve = self._curves[series] = pg.PlotDataItem(connect="pairs")
            self._style(series, curve)
            self.item.addItem(curve, ignoreBounds=True)
        return self._curves[series]

    def _style(self, series: Series, curve: Any) -> None:
        colour = self._colour(series)
        pen: QPen = pg.mkPen(colour, width=_WIDE)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        curve.setPen(pen)
        curve.setSymbolBrush(colour)
        curve.setSymbolPen(None)
        curve.setSymbolSize(6)

    def _colour(self, series: Series) -> str:
        return self.theme.series[series.place % len(self.theme.series)]

    def _symbol(self, series: Series) -> str:
        """Series are told apart without colour, too."""
        return SYMBOLS[series.place % len(SYMBOLS)]

    def _on_moved(self) -> None:
        super()._on_moved()
        self._moved()


def _interleaved(first: Any, second: Any) -> Values:
    return np.column_stack((first, second)).ravel()
