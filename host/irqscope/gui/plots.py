"""The plots. Each bears its source; one without data is blank and says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QPen
from PyQt6.QtWidgets import QGraphicsItem, QGraphicsSimpleTextItem

from irqscope import wording
from irqscope.errors import IrqscopeError
from irqscope.gui.feed import Picture, Series, Traces
from irqscope.gui.pictures import menu
from irqscope.gui.theme import DARK, Theme
from irqscope.gui.units import Unit
from irqscope.results.statistics import QuantileStats, Throughput
from irqscope.stats import OPEN, Distribution

Values = npt.NDArray[np.float64]

#: Latency axes span this at least: a few ticks shall look like few.
_NARROWEST_TICKS = 20
#: What is followed may leave so much of the axis empty before the axis is drawn anew: drawing it is
#: dear, and a run of hours grows by less than a pixel between two paints.
_SLACK = 0.02
#: Bottom of a histogram: half of one stimulus, so that a single one is seen.
_FLOOR = 0.5
#: A click is of what lies so many pixels to its sides.
_REACH = 4
#: Talks between batches are marked where they are so many pixels apart, on an average.
_APART = 40
#: Marks of the trace have symbols up to so many.
_SYMBOLS_UP_TO = 400
_SYMBOLS = ("o", "t", "s", "d", "+", "x", "star", "p")
#: Lines are told apart without colour, too.
_STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
#: Least latency on a logarithmic axis, in any unit.
_LEAST = 0.3


class Plot:
    """A plot widget with watermark and message. ``widget`` goes into a layout."""

    #: Height of the watermark's middle, 0 at the top and 1 at the bottom.
    _watermark_at = 0.5

    def __init__(self, title: str, bottom: str, left: str) -> None:
        self.widget: Any = pg.PlotWidget()
        self.item: Any = self.widget.getPlotItem()
        self.theme = DARK
        self._title, self._bottom, self._left = title, bottom, left
        self._unit = "ns"
        self.locked = False  #: what is seen stays, whatever comes
        self.scales: dict[str, bool] = {}  #: axes that can be logarithmic: whether they are
        #: told why a picture of it could not be saved
        self.failed: Callable[[IrqscopeError], None] = lambda error: None
        self.stale: Callable[[], None] = lambda: None  #: called when it is to be drawn anew
        #: told where a user has clicked into it, as its axes have it
        self.clicked: Callable[[float, float], None] = lambda x, y: None
        box: Any = self.item.getViewBox()
        self.item.setMenuEnabled(False, None)
        box.raiseContextMenu = lambda event: menu(self).popup(event.screenPos().toPoint())
        self._watermark = QGraphicsSimpleTextItem(box)
        self._watermark.setZValue(50)
        self._message = QGraphicsSimpleTextItem(box)
        box.sigResized.connect(self._place)
        self.widget.scene().sigMouseClicked.connect(self._on_click)
        for name in ("bottom", "left"):
            axis: Any = self.item.getAxis(name)
            axis.enableAutoSIPrefix(False)
            # Grid and labels cost more than all data: they are painted when they change.
            axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.item.getAxis("left").setWidth(62)
        self.item.hideButtons()

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        self.theme = theme
        self.widget.setBackground(theme.plot)
        faint = QColor(theme.text)
        faint.setAlpha(38)
        self._watermark.setBrush(faint)
        self._message.setBrush(QColor(theme.faint))
        for name in ("bottom", "left"):
            axis = self.item.getAxis(name)
            axis.setPen(theme.grid)
            axis.setTextPen(theme.faint)
        self.item.showGrid(x=True, y=True, alpha=0.25)
        self._caption()

    def set_unit(self, unit: str) -> None:
        """Names the unit of latencies on the axes."""
        if unit != self._unit:
            self._unit = unit
            self._caption()

    def set_source(self, label: str) -> None:
        """The watermark: where the numbers come from."""
        if label != self._watermark.text():
            self._watermark.setText(label)
            self._place()

    def say(self, text: str) -> None:
        """A message in place of data; empty: there are data."""
        if text != self._message.text():
            self._message.setText(text)
            self._place()

    def lock(self, locked: bool) -> None:
        """Keeps what is seen as it is: data and mouse move it no more."""
        self.locked = locked
        box: Any = self.item.getViewBox()
        box.setMouseEnabled(not locked, not locked)
        if locked:
            box.updateAutoRange()  # what is still to come of it
            box.disableAutoRange()

    def fit(self) -> None:
        """Shows all."""
        self.stale()

    def set_scale(self, axis: str, logarithmic: bool) -> None:
        """Of one of :attr:`scales`."""
        self.scales[axis] = logarithmic
        self.stale()

    def _on_click(self, event: Any) -> None:
        box: Any = self.item.getViewBox()
        inside = box.sceneBoundingRect().contains(event.scenePos())
        if inside and event.button() == Qt.MouseButton.LeftButton:
            place = box.mapSceneToView(event.scenePos())
            self.clicked(place.x(), place.y())

    def _caption(self) -> None:
        colour = self.theme.faint
        self.item.setTitle(self._title, color=colour, size="10pt")
        for side, text in (("bottom", self._bottom), ("left", self._left)):
            self.item.setLabel(side, text.format(unit=self._unit), color=colour)

    def _place(self, *_: object) -> None:
        area: QRectF = self.item.getViewBox().boundingRect()
        font = QFont()
        font.setPixelSize(max(14, min(int(area.height() / 6), int(area.width() / 14))))
        font.setBold(True)
        self._watermark.setFont(font)
        for text in (self._watermark, self._message):
            bounds = text.boundingRect()
            if text is self._watermark and bounds.width() > area.width() > 0:
                font.setPixelSize(max(8, int(font.pixelSize() * area.width() / bounds.width())))
                text.setFont(font)
                bounds = text.boundingRect()
            text.setPos(area.center() - bounds.center())
        self._watermark.moveBy(0, (self._watermark_at - 0.5) * area.height())


class TracePlot(Plot):
    """Latency against time: a mark from the least to the greatest latency of each pixel.

    Follows the data until the user zooms; :meth:`fit` follows again. ``moved``: called when the
    user has changed what is seen.
    """

    _watermark_at = 0.25  # marks of a constant latency lie in the middle

    def __init__(self, moved: Callable[[], None]) -> None:
        super().__init__(
            "Time trace", "target time, talks on the link left out, s", "latency, {unit}"
        )
        self.scales = {"latency": False}
        self.follows = True
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
        self._names: Any = self.item.addLegend(offset=(-8, 8))
        self.threshold: Any = pg.InfiniteLine(
            angle=0, movable=True, label="threshold", labelOpts={"position": 0.06}
        )
        self.threshold.hide()
        self.markers: Any = pg.LinearRegionItem()
        self.markers.hide()
        self._mark: Any = pg.InfiniteLine(angle=90)
        self._mark.hide()
        for item in (self.threshold, self.markers, self._mark):
            self.item.addItem(item, ignoreBounds=True)
        box: Any = self.item.getViewBox()
        box.disableAutoRange()
        box.sigRangeChangedManually.connect(lambda *_: self._on_moved(moved))
        self.markers.sigRegionChanged.connect(lambda *_: moved())

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
        self.markers.setBrush(area)
        area.setAlpha(70)
        self.markers.setHoverBrush(area)
        self._seams.setPen(pg.mkPen(theme.grid, width=1))
        self._lost.setBrush(QColor(theme.grid))
        for series, curve in self._curves.items():
            self._style(series, curve)

    def lock(self, locked: bool) -> None:
        """As every plot; it does not follow meanwhile."""
        super().lock(locked)
        self.follows = self.follows and not locked

    def fit(self) -> None:
        """Shows all, and follows what comes."""
        self.follows = not self.locked
        self.stale()
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

    def draw(self, traces: Traces, unit: Unit) -> None:
        """Paints what is seen of the traces."""
        spans = [span for trace in traces.channels.values() if (span := trace.span)]
        box: Any = self.item.getViewBox()
        if self.follows and spans:
            self._follow(min(s[0] for s in spans), max(s[1] for s in spans))
        begin, end = self.visible
        pixels = max(50, int(box.width()))
        low, high = np.inf, -np.inf
        for series, trace in traces.channels.items():
            drawn = trace.envelope(begin, end, pixels)
            few = len(drawn.time) <= _SYMBOLS_UP_TO
            # A third of a tick more on both sides, so that a single value is seen as a mark, too.
            more = 0.0 if few else 0.35
            bottom = self._y((drawn.low - more) * unit.per_tick)
            top = self._y((drawn.high + more) * unit.per_tick)
            curve = self._curve(series)
            curve.setSymbol(self._symbol(series) if few else None)
            curve.setData(np.repeat(drawn.time, 2), _interleaved(bottom, top))
            if len(drawn.time):
                low, high = min(low, float(drawn.low.min())), max(high, float(drawn.high.max()))
        for series in self._curves.keys() - traces.channels.keys():
            self.item.removeItem(self._curves.pop(series))
        if (self.follows or self._bounds is None) and high >= low and not self.locked:
            lack = max(0.0, _NARROWEST_TICKS - (high - low)) / 2
            least, greatest = max(low - lack, 0) * unit.per_tick, (high + lack) * unit.per_tick
            bounds = float(self._y(least)), float(self._y(greatest))
            if bounds != self._bounds:
                self._bounds = bounds
                box.setYRange(*bounds, padding=0.06)
        self._draw_moments(traces, begin, end, pixels)

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
            self._names.clear()
            if len(self._curves) > 1:
                for name, one in sorted((str(key), one) for key, one in self._curves.items()):
                    self._names.addItem(one, name)
        return self._curves[series]

    def _style(self, series: Series, curve: Any) -> None:
        colour = self.theme.series[series.place % len(self.theme.series)]
        pen: QPen = pg.mkPen(colour, width=2)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        curve.setPen(pen)
        curve.setSymbolBrush(colour)
        curve.setSymbolPen(None)
        curve.setSymbolSize(6)
        self._names.setLabelTextColor(self.theme.text)

    def _symbol(self, series: Series) -> str:
        """Series are told apart without colour, too."""
        return _SYMBOLS[series.place % len(_SYMBOLS)]

    def _on_moved(self, moved: Callable[[], None]) -> None:
        self.follows = False
        moved()


class ThroughputPlot(Plot):
    """Interrupts handled in a second while the line was high, phase by phase, one dot each."""

    def __init__(self) -> None:
        super().__init__("Throughput", "phase", "interrupts handled in a second")
        self._items: list[Any] = []

    def draw(self, throughput: Sequence[Throughput], tick_hz: int) -> None:
        """Paints the ``throughput`` of run.json."""
        for item in self._items:
            self.item.removeItem(item)
        self._items.clear()
        texts = []
        for place, found in enumerate(throughput):
            rates = np.array(found.stops) * (tick_hz / found.high_ticks)
            colour = self.theme.series[place % len(self.theme.series)]
            dots = pg.ScatterPlotItem(
                np.arange(1, len(rates) + 1),
                rates,
                symbol=_SYMBOLS[place % len(_SYMBOLS)],
                size=8,
                brush=colour,
                pen=None,
                useCache=False,
            )
            self.item.addItem(dots)
            self._items.append(dots)
            name = "several cores" if found.core is None else f"core {found.core}"
            span = f"{found.min_hz:.0f} to {found.max_hz:.0f}"
            texts.append(f"{name}: median {found.median_hz:.0f}/s, {span}/s")
        self._title = "; ".join(texts) or "Throughput"
        self._caption()
        if throughput and not self.locked:
            # From 0 on: rates that hardly differ shall not look as if they did.
            greatest = max(found.max_hz for found in throughput)
            self.item.getViewBox().setYRange(0, 1.1 * max(greatest, 1.0), padding=0)


class _LatencyPlot(Plot):
    """Latency to the right, and curves of several series: channels, or runs."""

    _legend_at = (-8, 8)  # from the right, from the top

    def __init__(self, title: str, left: str) -> None:
        super().__init__(title, "latency, {unit}", left)
        self._items: list[Any] = []
        self.item.getViewBox().setDefaultPadding(0.03)

    def clear(self) -> None:
        """Nothing is drawn."""
        for item in self._items:
            self.item.removeItem(item)
        self._items.clear()

    def _add(self, item: Any, *, counts: bool = True) -> None:
        self.item.addItem(item, ignoreBounds=not counts)
        self._items.append(item)

    def _legend(self, names: Sequence[str], curves: Sequence[Any]) -> None:
        legend: Any = self.item.addLegend(offset=self._legend_at, labelTextSize="8pt")
        legend.setLabelTextColor(self.theme.text)
        behind = QColor(self.theme.plot)
        behind.setAlpha(130)
        legend.setBrush(behind)
        legend.clear()
        if len(names) > 1:
            for name, curve in zip(names, curves, strict=True):
                legend.addItem(curve, name)

    def _line(self, place: int) -> Qt.PenStyle:
        return _STYLES[place % len(_STYLES)]

    def _colour(self, place: int) -> str:
        return self.theme.series[place % len(self.theme.series)]


class HistogramPlot(_LatencyPlot):
    """The gateware's own bins, on a logarithmic count."""

    def __init__(self) -> None:
        super().__init__("Histogram, every stimulus", "stimuli in a bin")
        self.scales = {"count": True}
        self.item.getViewBox().sigYRangeChanged.connect(self._ticks)
        self._series: list[tuple[Distribution, Unit]] = []
        self._mark: Any = pg.InfiniteLine(angle=90)
        self._mark.hide()
        self.item.addItem(self._mark, ignoreBounds=True)
        self._chosen: Any = pg.LinearRegionItem(movable=False)
        self._chosen.hide()
        self.item.addItem(self._chosen, ignoreBounds=True)

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        super().dress(theme)
        self._mark.setPen(pg.mkPen(theme.warning, width=1.5))
        area = QColor(theme.text)
        area.setAlpha(50)
        self._chosen.setBrush(area)

    def _ticks(self, _: Any, span: tuple[float, float]) -> None:
        """Few enough to be read, on a logarithmic axis."""
        low, high = (10 ** min(max(end, -3.0), 15.0) for end in span)
        values = _decades(low, high, (1, 2, 5) if high < 100 * low else (1,))
        ticks = [[(float(np.log10(v)), f"{v:g}") for v in values if low <= v <= high]]
        self.item.getAxis("left").setTicks(ticks if self.scales["count"] else None)

    def mark(self, latency: float | None) -> None:
        """Marks a latency, in the unit shown; None: none."""
        self._mark.setVisible(latency is not None)
        self._mark.setValue(latency or 0.0)

    def choose(self, span: tuple[float, float] | None) -> None:
        """Marks latencies between two ends, in the unit shown; None: none."""
        self._chosen.setVisible(span is not None)
        if span is not None:
            self._chosen.setRegion(span)

    def bin_at(self, latency: float) -> tuple[int, int] | None:
        """Least and greatest latency, ticks, of the bar that is drawn at a place of the axis."""
        for known, unit in self._series:
            ticks = latency / unit.per_tick
            held = (known.lower - 0.5 <= ticks) & (ticks < known.upper + 0.5) & (known.counts > 0)
            held &= known.upper != OPEN
            if held.any():
                place = int(np.argmax(held))
                return int(known.lower[place]), int(known.upper[place])
        return None

    def draw(self, series: dict[str, tuple[Distribution, Unit]]) -> None:
        """Paints distributions by name."""
        self.clear()
        self._series = list(series.values())
        logarithmic = self.scales["count"]
        floor = float(np.log10(_FLOOR)) if logarithmic else 0.0
        self.item.getAxis("left").setLogMode(logarithmic)
        curves = []
        longer = []
        for place, (known, unit) in enumerate(series.values()):
            inside = (known.upper != OPEN) & (known.upper >= known.lower) & (known.lower > 0)
            edges, counts = _steps(known.lower[inside], known.upper[inside], known.counts[inside])
            colour = QColor(self._colour(place))
            fill = QColor(colour)
            fill.setAlpha(255 if len(series) == 1 else 90)
            curve = pg.PlotDataItem(
                edges * unit.per_tick,
                np.log10(np.maximum(counts, _FLOOR)) if logarithmic else counts,
                stepMode="center",
                fillLevel=floor,
                brush=fill,
                pen=pg.mkPen(colour, width=1, style=self._line(place)),
            )
            self._add(curve)
            curves.append(curve)
            beyond = known.upper == OPEN
            for least in np.unique(known.lower[beyond]).tolist():
                count = int(known.counts[beyond & (known.lower == least)].sum())
                if count:
                    where = f"longer than {unit.text(least)} {unit.name}" if least else "unknown"
                    longer.append(f"{count} {where}")
        self._legend(list(series), curves)
        title = "Histogram, every stimulus" + (f"; {', '.join(longer)}" if longer else "")
        if title != self._title:
            self._title = title
            self._caption()
        box: Any = self.item.getViewBox()
        box.setLimits(yMin=floor - 0.02)
        if not self.locked:
            box.enableAutoRange()
        self._ticks(box, box.viewRange()[1])


class CcdfPlot(_LatencyPlot):
    """Share of stimuli that took at least so long, with the intervals of quantiles."""

    _legend_at = (8, -8)  # from the left, from the bottom: where no tail is

    def __init__(self) -> None:
        super().__init__("Tail (CCDF)", "share that took at least so long")
        self.scales = {"latency": True, "share": True}
        self.item.getViewBox().sigXRangeChanged.connect(self._ticks)

    def draw(
        self,
        series: dict[str, tuple[Distribution, Unit]],
        quantiles: Mapping[str, Sequence[QuantileStats]],
    ) -> None:
        """Paints distributions by name, and the quantiles of run.json beside them."""
        self.clear()
        self.item.getAxis("left").setLogMode(self.scales["share"])
        curves = []
        for place, (name, (known, unit)) in enumerate(series.items()):
            if not known.n:
                continue
            ticks, counts = known.at_least()
            # Behind the longest, only those without an answer are left; none is no share, so the
            # curve then falls to half of one.
            open_ended = known.upper[(known.lower == ticks[-1]) & (known.counts > 0)] == OPEN
            last = counts[-1] if open_ended.any() else 0.5
            share = np.repeat(np.append(counts, last) / known.n, 2)[1:-1]
            shown = np.repeat(ticks > 0, 2)  # of those that took at least 0 nothing is known
            x = self._x(np.repeat(ticks, 2)[shown], unit)
            pen = pg.mkPen(self._colour(place), width=2, style=self._line(place))
            curve = pg.PlotDataItem(x, self._y(share[shown]), pen=pen)
            self._add(curve)
            curves.append(curve)
            limit = pg.InfiniteLine(
                float(self._y(1 / known.n)),
                angle=0,
                pen=pg.mkPen(self._colour(place), style=Qt.PenStyle.DotLine),
                label=f"1 of N = {known.n}",
                labelOpts={
                    "position": 0.97,
                    "anchors": [(1, 1), (1, 1)],
                    "color": self.theme.faint,
                },
            )
            self._add(limit, counts=False)
            for quantile in quantiles.get(name, ()):
                self._interval(quantile, unit, place)
        self._legend([name for name, (known, _) in series.items() if known.n], curves)
        box: Any = self.item.getViewBox()
        if not self.locked:
            box.enableAutoRange()
        self._ticks(box, box.viewRange()[0])

    def _x(self, ticks: Any, unit: Unit) -> Values:
        latency = np.maximum(ticks, 1 / 3) * unit.per_tick
        return np.asarray(np.log10(latency) if self.scales["latency"] else latency, np.float64)

    def _y(self, share: Any) -> Any:
        return np.log10(share) if self.scales["share"] else share

    def _interval(self, quantile: QuantileStats, unit: Unit, place: int) -> None:
        """A bar over the confidence interval; open ends are left out with their quantile."""
        lower, upper = quantile.lower_ticks, quantile.upper_ticks
        if quantile.note or lower is None or upper is None:
            return
        y = float(self._y(1 - quantile.p))
        # An interval of one tick has no width: two thirds of a tick are drawn.
        x = self._x(np.array([lower - 1 / 3, upper + 1 / 3]), unit)
        bar = pg.PlotDataItem(x, [y, y], pen=pg.mkPen(self.theme.text, width=4))
        self._add(bar)
        if place:  # the first series tells which is which
            return
        text = pg.TextItem(f"p{100 * quantile.p:.6g}", color=self.theme.faint, anchor=(1, 0.5))
        text.setPos(float(x[0]), y)
        self._add(text, counts=False)

    def _ticks(self, box: Any, span: tuple[float, float]) -> None:
        """Powers of ten say nothing about less than a decade or two: round values do."""
        axis = self.item.getAxis("bottom")
        if not self.scales["latency"]:
            axis.setTicks(None)
            return
        low, high = (10 ** min(max(end, -3.0), 12.0) for end in span)
        if high > 50 * low:
            values = _decades(low, high, (1, 2, 5))
        else:
            step = round_step((high - low) / 6)
            values = (np.arange(np.ceil(low / step), high / step + 1) * step).tolist()
        axis.setTicks([[(float(np.log10(v)), f"{v:g}") for v in values if low <= v <= high]])


def series_of(picture: Picture, unit: Unit) -> dict[str, tuple[Distribution, Unit]]:
    """Distributions of a run's channels, named."""
    return {f"channel {index}": (known, unit) for index, known in picture.distributions.items()}


def quantiles_of(picture: Picture) -> dict[str, tuple[QuantileStats, ...]]:
    """Quantiles of a run's channels whose intervals may be shown, named alike."""
    return {f"channel {s.channel}": wording.intervals(s) for s in picture.run.stats}


def _interleaved(first: Any, second: Any) -> Values:
    return np.column_stack((first, second)).ravel()


def _steps(lower: Any, upper: Any, counts: Any) -> tuple[Values, Values]:
    """Edges and counts of steps from sparse bins; between bins that are apart there is nothing."""
    if not len(lower):
        return np.array([0.0, 1.0]), np.array([0.0])
    order = np.argsort(lower)
    lower, upper, counts = lower[order], upper[order] + 1, counts[order]
    edges = [float(lower[0]) - 0.5]
    heights: list[float] = []
    for low, high, count in zip(lower.tolist(), upper.tolist(), counts.tolist(), strict=True):
        if low - 0.5 > edges[-1]:
            edges.append(low - 0.5)
            heights.append(0.0)
        edges.append(high - 0.5)
        heights.append(float(count))
    return np.array(edges), np.array(heights)


def _decades(low: float, high: float, digits: Sequence[int]) -> list[float]:
    """These digits times the powers of ten from below ``low`` to above ``high``."""
    powers = range(int(np.log10(low)) - 1, int(np.log10(high)) + 2)
    return [digit * 10.0**power for power in powers for digit in digits]


def round_step(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(max(step, 1e-9)))
    return float(next(digit * power for digit in (1, 2, 5, 10) if digit * power >= step))
