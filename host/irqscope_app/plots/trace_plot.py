"""Latency over time, each pixel coloured by its number of stimuli."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor

from irqscope_app.control.feed import Traces
from irqscope_app.plots.axis import Cell
from irqscope_app.plots.base import Plot
from irqscope_app.plots.density import Grid
from irqscope_app.plots.drift import DriftLayer
from irqscope_app.plots.drift import names as drift_names
from irqscope_app.plots.stock import Stocks, write
from irqscope_app.plots.trace_layers import TraceLayers
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

#: Share of the height that stays free above and below the data.
_MARGIN = 0.05
#: Share of the axis that a followed run may leave empty before the axis is drawn again: drawing it
#: is dear, and a run of hours grows by less than a pixel between two paints.
_SLACK = 0.02
#: A click selects the nearest stimulus up to this many pixels away.
_REACH = 4
#: Talks between batches are marked if they are at least this many pixels apart on average.
_APART = 40
#: Unanswered stimuli whose marks are closer than this on average, pixels, have short ones: their
#: height as a share of the plot's.
_CLOSE, _CROWDED = 4, 0.03


@dataclass(frozen=True)
class Picked:
    """A stimulus of the trace: ``time`` of its edge, s, and its latency, ticks."""

    channel: int
    time: float
    latency: int


class TracePlot(Plot):
    """Latency over time, each pixel coloured by its count. ``moved``: called when the user has
    changed the visible range; its first argument is true for a change in time.

    ``follows``: whether the time axis follows new data; ``free``: whether the latency axis does.
    """

    def __init__(self, moved: Callable[[bool], None]) -> None:
        super().__init__("Time trace", "", "", ("s", "{unit}"))
        self.item.showAxis("top")
        self.scales = {"latency": False}
        self.free = True
        self.rescaled: Callable[[bool], None] = lambda before: None  #: called with the former scale
        self._moved = moved
        self._followed: tuple[float, float] | None = None  # times requested last
        self._bounds: tuple[float, float] | None = None  # latencies requested last
        self._layers = TraceLayers(self.item, self.theme, self.level)
        self._drift: dict[int, DriftLayer] = {}
        self._unanswered: Any = pg.PlotDataItem(connect="pairs", name="unanswered")
        self._seams: Any = pg.PlotDataItem(connect="pairs", name="talks")
        self._borders: Any = pg.PlotDataItem(connect="pairs", name="segments")
        self._lost: Any = pg.LinearRegionItem(movable=False)
        self._left_out: Any = pg.LinearRegionItem(orientation="horizontal", movable=False)
        for item in (self._lost, self._left_out, self._seams, self._unanswered, self._borders):
            item.setZValue(-10)
            self.item.addItem(item, ignoreBounds=True)
        self.marks: list[tuple[float, float, str]] = []  #: notes: begin, end, s, and text
        self._noted: Any = pg.PlotDataItem(connect="pairs", name="notes")
        self.item.addItem(self._noted, ignoreBounds=True)
        self._mark_shade = QColor(self.theme.warning)
        self._changes = Stocks(self.item)
        self._said = self._changes.of(pg.TextItem, counts=False)
        self._spans = self._changes.of(
            lambda: pg.LinearRegionItem(movable=False, pen=pg.mkPen(None)), counts=False
        )
        self._lost.hide()
        self._left_out.hide()
        self._mark: Any = pg.InfiniteLine(angle=90, name="stimulus")
        self._mark.hide()
        self.item.addItem(self._mark, ignoreBounds=True)
        self.box.disableAutoRange()
        self.box.sigResized.connect(lambda *_: moved(False))

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        super().dress(theme)
        self._unanswered.setPen(pg.mkPen(theme.bad, width=1))
        self._borders.setPen(pg.mkPen(theme.border, width=1, style=Qt.PenStyle.DashLine))
        self._noted.setPen(pg.mkPen(theme.warning, width=2))
        shade, self._mark_shade = QColor(theme.warning), QColor(theme.warning)
        shade.setAlpha(90)
        self._mark_shade.setAlpha(40)
        self._mark.setPen(pg.mkPen(shade, width=9))  # the marked data stay visible
        self._seams.setPen(pg.mkPen(theme.grid, width=1))
        for region in (self._lost, self._left_out):
            region.setBrush(QColor(theme.grid))
        self._layers.dress(theme)
        self._dress_drift()

    def number(self, each: int | None) -> None:
        """Labels the axis of time by numbers of stimuli, ``each`` in a second, or by seconds."""
        unit = "stimuli" if each else "s"
        if self.units[0] != unit:
            self.units = unit, self.units[1]
            self.item.getAxis("bottom").setScale(each or 1.0)
            self._caption()

    def fit(self) -> None:
        """Shows all stimuli and follows new ones, unless the plot is locked."""
        self._followed = self._bounds = None
        self.free = not self.locked
        super().fit()

    def follow(self) -> None:
        """Shows all times and follows new ones; the visible latencies stay."""
        self.follows, self._followed = not self.locked, None

    def rescale(self, factor: float) -> None:
        """Shows the same latencies in a unit of which a tick has ``factor`` times as many."""
        low, high = self.box.viewRange()[1]
        if self.scales["latency"]:
            low, high = low + np.log10(factor), high + np.log10(factor)
        else:
            low, high = low * factor, high * factor
        self._bounds = None
        self.box.setYRange(float(low), float(high), padding=0)
        self.box.forget()

    def look_at(self, begin: float, end: float) -> None:
        """Shows these times, s, and stops following."""
        self.follows = False
        self.box.remember(leaps=True)
        self.box.setXRange(begin, end, padding=0)
        self._moved(True)

    def noted_at(self, time: float) -> tuple[float, float] | None:
        """Begin and end of the shortest note at a time, s, or None."""
        reach = _REACH * (self.visible[1] - self.visible[0]) / max(50, int(self.box.width()))
        met = [(to - at, at, to) for at, to, _ in self.marks if at - reach <= time <= to + reach]
        return min(met)[1:] if met else None

    def mark(self, time: float | None) -> None:
        """Marks a moment, s, or removes the mark if None."""
        self._mark.setVisible(time is not None)
        self._mark.setValue(time or 0.0)

    def pick(self, traces: Traces, time: float, y: float, unit: Unit) -> Picked | None:
        """The stimulus drawn nearest to a position."""
        (begin, end), (low, high) = self.box.viewRange()
        wide = (end - begin) / max(50, int(self.box.width()))
        tall = (high - low) / max(50, int(self.box.height()))
        reach = _REACH * wide
        best: tuple[float, Picked] | None = None
        for series, trace in traces.channels.items():
            first, last = trace.places(time - reach, time + reach)
            if first < last:
                latencies, times = trace.copy(first, last), trace.times(first, last)
                up = (self.level(latencies * unit.per_tick) - y) / tall
                away = np.hypot(up, (times - time) / wide)
                place = int(np.argmin(away))
                if best is None or away[place] < best[0]:
                    found = Picked(series.channel, float(times[place]), int(latencies[place]))
                    best = float(away[place]), found
        return None if best is None else best[1]

    def set_scale(self, axis: str, logarithmic: bool) -> None:
        """Makes the latency axis logarithmic or linear; the visible latencies stay."""
        before = self.scales["latency"]
        seen = (10.0**end if before else end for end in self.box.viewRange()[1])
        self.item.getAxis("left").setLogMode(logarithmic)
        self._bounds, self.free = None, True
        super().set_scale(axis, logarithmic)
        self.box.setYRange(*(float(self.level(end)) for end in seen), padding=0)
        self.rescaled(before)

    @property
    def visible(self) -> tuple[float, float]:
        """First and last visible time, s."""
        begin, end = self.box.viewRange()[0]
        return float(begin), float(end)

    def visible_ticks(self, unit: Unit) -> tuple[float, float]:
        """Smallest and greatest visible latency, ticks."""
        ends = (float(end) for end in self.box.viewRange()[1])
        low, high = (10.0**end if self.scales["latency"] else end for end in ends)
        return low / unit.per_tick, high / unit.per_tick

    def draw(
        self,
        traces: Traces,
        unit: Unit,
        until: float = np.inf,
        *,
        selected: bool = False,
        piece: str = "batch",
        beside: Sequence[tuple[int, int]] = (),
    ) -> bool:
        """Paints the visible part of the traces up to ``until``, s.

        ``beside``: smallest and greatest latencies, ticks, of plots with the same axis; an axis
        that follows makes room for them.

        ``piece``: what each row of the drift is of.

        ``selected``: whether the traces hold only the longest latencies, and of those equal to the
        shortest of them only the first; latencies up to that one are shaded.

        Returns False if not all of very many stimuli were counted yet; call again then.
        """
        spans = traces.spans
        if self.follows and spans:
            self._follow(min(s[0] for s in spans), min(max(s[1] for s in spans), until))
        begin, end = self.visible
        ends = [
            found
            for trace in traces.every
            if (found := trace.extremes(begin, min(end, until))) is not None
        ]
        if self.follows and ends:
            ends += beside
        if ends and self.free and not self.locked:
            self._span(min(low for low, _ in ends), max(high for _, high in ends), unit)
        self._shade(traces, unit, selected, piece)
        grid = self._grid(unit)
        seen = {s: t.places(begin, min(end, until)) for s, t in traces.channels.items()}
        complete = self._layers.draw(traces.channels, seen, grid, unit, until)
        self._draw_drift(traces, (begin, min(end, until)), unit)
        drift = drift_names(self.theme.series[0]) if len(traces.drift) == 1 else []
        self.set_names([*self._layers.names, *drift])
        self._draw_moments(traces, begin, end)
        return complete

    def _shade(self, traces: Traces, unit: Unit, selected: bool, piece: str) -> None:
        """Shades the latencies that are not drawn completely, and notes that in the title."""
        known = [trace.extremes(-np.inf, np.inf) for trace in traces.channels.values()]
        least = min((ends[0] for ends in known if ends), default=None) if selected else None
        self._left_out.setVisible(least is not None)
        if least is None:
            alone = f": figures of each {piece}" if traces.drift and not traces.channels else ""
            self.set_title(self.name + alone)
            return
        edge = float(self.level((least + 0.5) * unit.per_tick))
        low, high = self.box.viewRange()[1]
        self._left_out.setRegion((min(low, edge), min(edge, high)))
        self.set_title(
            f"{self.name}: the longest stimuli alone; all above {unit.text(least)} {unit.name}"
        )

    def _draw_drift(self, traces: Traces, seen: tuple[float, float], unit: Unit) -> None:
        for channel in self._drift.keys() - traces.drift.keys():
            self._drift.pop(channel).remove()
        for channel, trace in traces.drift.items():
            if channel not in self._drift:
                self._drift[channel] = DriftLayer(self.item, channel)
                self._dress_drift()
            self._drift[channel].draw(trace, seen, lambda ticks: self.level(ticks * unit.per_tick))

    def _dress_drift(self) -> None:
        for channel, layer in self._drift.items():
            layer.dress(self.theme, self.theme.series[channel % len(self.theme.series)])

    def _grid(self, unit: Unit) -> Grid:
        """A grid with one cell for each visible pixel."""
        (begin, end), (low, high) = self.box.viewRange()
        columns, rows = (max(50, round(side)) for side in (self.box.width(), self.box.height()))
        logarithmic = self.scales["latency"]
        if logarithmic:
            low, high = (level - np.log10(unit.per_tick) for level in (low, high))
        else:
            low, high = low / unit.per_tick, high / unit.per_tick
        return Grid(begin, end, columns, float(low), float(high), rows, logarithmic)

    def _span(self, low: int, high: int, unit: Unit) -> None:
        """Shows latencies from ``low`` to ``high``, ticks."""
        # A mark is a tick high. On a linear axis there is no latency below zero.
        ends = [float(self.level(max(0, end) * unit.per_tick)) for end in (low - 0.5, high + 0.5)]
        margin = _MARGIN * (ends[1] - ends[0])
        least = ends[0] - margin if self.scales["latency"] else max(0.0, ends[0] - margin)
        bounds = least, ends[1] + margin
        if bounds != self._bounds:
            self._bounds = bounds
            self.box.setYRange(*bounds, padding=0)

    def _follow(self, begin: float, end: float) -> None:
        """Shows these times, s, and some room into which the next ones grow."""
        span = max(end - begin, 1e-9)
        if self._followed is not None:
            left, right = self._followed
            if left == begin and 0 <= right - end <= 2 * _SLACK * span:
                return
        self._followed = begin, begin + (1 + _SLACK) * span
        self.box.setXRange(begin - span / 100, self._followed[1], padding=0)

    def _draw_moments(self, traces: Traces, begin: float, end: float) -> None:
        """Draws full-height marks: unanswered stimuli, omitted talks, times not kept, and the begin
        of another pattern.
        """
        low, high = self.box.viewRange()[1]
        curves = (
            (self._unanswered, traces.unanswered),
            (self._seams, traces.seams),
            (self._borders, traces.borders),
        )
        every = {curve: np.fromiter(times, float, len(times)) for curve, times in curves}
        seen = {curve: at[(at >= begin) & (at <= end)] for curve, at in every.items()}
        if len(seen[self._seams]) > self.box.width() / _APART:
            seen[self._seams] = np.empty(0)
        crowded = len(seen[self._unanswered]) > self.box.width() / _CLOSE
        if crowded:  # each pixel that has any, and low enough to leave the data in sight
            across = max(50, int(self.box.width())) / (end - begin)
            columns = np.unique(((seen[self._unanswered] - begin) * across).astype(int))
            seen[self._unanswered] = begin + (columns + 0.5) / across
        for curve, times in seen.items():
            short = crowded and curve is self._unanswered
            top = low + _CROWDED * (high - low) if short else high
            curve.setData(np.repeat(times, 2), np.tile([low, top], len(times)))
        with self._changes:
            for at, to, said in self.marks:
                if at <= end and to >= begin:
                    text, span = self._said.take(), self._spans.take()
                    write(text, said, self.theme.warning)
                    text.fill = pg.mkBrush(self.theme.plot)
                    text.setPos(max(at, begin), low)
                    text.setAnchor((0, 1))
                    span.setRegion((at, to))
                    span.setBrush(self._mark_shade)
        starts = [-np.inf, *traces.borders] if traces.borders else []
        cells = zip(starts, [*starts[1:], np.inf], ["", *traces.borders.values()], strict=False)
        self.lane.show_cells(
            [
                Cell(left, right, f"{number}: {changed}" if changed else str(number), str(number))
                for number, (left, right, changed) in enumerate(cells, 1)
            ]
        )
        noted = [moment for at, to, _ in self.marks for moment in dict.fromkeys((at, to))]
        self._noted.setData(np.repeat(noted, 2), np.tile([low, high], len(noted)))
        first = [trace.span for trace in traces.channels.values() if trace.dropped]
        self._lost.setVisible(bool(first))
        if first:
            self._lost.setRegion((0.0, min(span[0] for span in first if span)))

    def _on_moved(self, across: bool, up: bool) -> None:
        self.follows &= not across
        self.free &= not up
        self._moved(across)
