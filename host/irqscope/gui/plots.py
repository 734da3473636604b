"""What shapes latencies have: histogram and tail, latency upwards; and rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QGraphicsPathItem

from irqscope import wording
from irqscope.gui.density import LEAST
from irqscope.gui.feed import Picture
from irqscope.gui.plot import SYMBOLS, Name, Plot, Values, decades, round_step
from irqscope.gui.stock import Stocks, write
from irqscope.gui.theme import Theme
from irqscope.gui.units import Unit
from irqscope.results import curves
from irqscope.results.statistics import QuantileStats, Throughput
from irqscope.stats import OPEN, Distribution

#: Lines are told apart without colour, too.
_STYLES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
_DASHES = ("━━", "╍╍", "┅┅", "━╍")
#: Two N whose quotient is less would have labels over each other.
_APART = 2.5
#: Pixels that the label of a value of an axis takes at least.
_LABEL = 40


class ThroughputPlot(Plot):
    """Interrupts handled in a second while the line was high, phase by phase, one dot each."""

    def __init__(self) -> None:
        super().__init__("Throughput", "phase", "interrupts handled in a second")
        self.drawn = Stocks(self.item)
        self._dots = self.drawn.of(lambda: pg.ScatterPlotItem(size=8, pen=None, useCache=False))

    def draw(self, throughput: Sequence[Throughput], tick_hz: int) -> None:
        """Paints the ``throughput`` of run.json."""
        with self.drawn:
            texts = [self._draw(place, found, tick_hz) for place, found in enumerate(throughput)]
        self._title = "; ".join(texts) or "Throughput"
        self._caption()
        if throughput and not self.locked:
            # From 0 on: rates that hardly differ shall not look as if they did.
            greatest = max(found.max_hz for found in throughput)
            self.box.setYRange(0, 1.1 * max(greatest, 1.0), padding=0)

    def _draw(self, place: int, found: Throughput, tick_hz: int) -> str:
        """The dots of one; what the title says of it."""
        rates = np.array(found.stops) * (tick_hz / found.high_ticks)
        self._dots.take().setData(
            np.arange(1, len(rates) + 1),
            rates,
            symbol=SYMBOLS[place % len(SYMBOLS)],
            brush=self.theme.series[place % len(self.theme.series)],
        )
        name = "several cores" if found.core is None else f"core {found.core}"
        span = f"{found.min_hz:.0f} to {found.max_hz:.0f}"
        return f"{name}: median {found.median_hz:.0f}/s, {span}/s"


class _LatencyPlot(Plot):
    """Latency upwards, and curves of several series: channels, or runs."""

    def __init__(self, title: str, bottom: str) -> None:
        super().__init__(title, bottom, "latency, {unit}")
        self.scales = {"latency": False}
        self.drawn = Stocks(self.item)
        self.box.setDefaultPadding(0.03)
        self.box.sigYRangeChanged.connect(self._latency_ticks)
        self.box.sigXRangeChanged.connect(self._ticks)

    def beside(self, other: Plot) -> None:
        """Shares the latency axis of a plot on the left, which alone has its labels."""
        self.box.follow(other.box)
        self.item.getAxis("left").setStyle(showValues=False)
        self._left = ""
        self.item.getAxis("left").setWidth(8)

    def clear(self) -> None:
        """Nothing is drawn."""
        self.drawn.clear()
        self.set_names([])

    def level(self, latency: Any) -> Any:
        """Latencies in a unit as the axis has them."""
        return np.log10(np.maximum(latency, LEAST)) if self.scales["latency"] else latency

    def _legend(self, names: Iterable[str]) -> None:
        self.set_names(
            [
                Name(text, self._colour(place), _DASHES[place % len(_DASHES)])
                for place, text in enumerate(names)
            ]
        )

    def _fit_across(self, low: float, high: float) -> None:
        """What is across is always seen as a whole; latencies are, unless another plot leads."""
        if self.locked or not self.follows:
            return
        if self.box.leader is None:
            self.box.enableAutoRange(y=True)
        self.box.setXRange(low, high, padding=0)

    def _line(self, place: int) -> Qt.PenStyle:
        return _STYLES[place % len(_STYLES)]

    def _colour(self, place: int) -> str:
        return self.theme.series[place % len(self.theme.series)]

    def _most_labels(self) -> int:
        return max(2, int(self.box.width() / _LABEL))

    def _latency_ticks(self, _: Any, span: tuple[float, float]) -> None:
        """Powers of ten say nothing about less than a decade or two: round values do."""
        axis = self.item.getAxis("left")
        if self.scales["latency"]:
            axis.setTicks([logarithmic_ticks(span)])
        else:
            axis.setTicks(None)

    def _ticks(self, _: Any, span: tuple[float, float]) -> None:
        """Labels of what lies across."""


class HistogramPlot(_LatencyPlot):
    """The gateware's own bins, bars to the right, on a logarithmic count."""

    def __init__(self) -> None:
        super().__init__("Histogram", "stimuli in a bin")
        self.scales["count"] = True
        self._series: list[tuple[Distribution, Unit]] = []
        self._bars = self.drawn.of(QGraphicsPathItem)
        self._mark: Any = pg.InfiniteLine(angle=0, name="stimulus")
        self._mark.hide()
        self.item.addItem(self._mark, ignoreBounds=True)
        self._chosen: Any = pg.LinearRegionItem(orientation="horizontal", movable=False)
        self._chosen.hide()
        self.item.addItem(self._chosen, ignoreBounds=True)

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        super().dress(theme)
        self._mark.setPen(pg.mkPen(theme.warning, width=1.5))
        area = QColor(theme.text)
        area.setAlpha(50)
        self._chosen.setBrush(area)

    def mark(self, latency: float | None) -> None:
        """Marks a latency, in the unit shown; None: none."""
        self._mark.setVisible(latency is not None)
        self._mark.setValue(float(self.level(latency or 0.0)))

    def choose(self, span: tuple[float, float] | None) -> None:
        """Marks latencies between two ends, in the unit shown; None: none."""
        self._chosen.setVisible(span is not None)
        if span is not None:
            self._chosen.setRegion([float(self.level(end)) for end in span])

    def bin_at(self, level: float) -> tuple[int, int] | None:
        """Least and greatest latency, ticks, of the bar that is drawn at a place of the axis."""
        latency = 10.0**level if self.scales["latency"] else level
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
        self._series = list(series.values())
        logarithmic = self.scales["count"]
        floor = float(np.log10(curves.LEAST_COUNT)) if logarithmic else 0.0
        longer, most = [], 1.0
        with self.drawn:
            for place, (known, unit) in enumerate(series.values()):
                edges, counts = curves.steps(known)
                most = max(most, float(counts.max()))
                self._draw_bars(place, edges * unit.per_tick, counts, floor, len(series))
        for known, unit in series.values():
            beyond = known.upper == OPEN
            for least in np.unique(known.lower[beyond]).tolist():
                count = int(known.counts[beyond & (known.lower == least)].sum())
                if count:
                    where = f"longer than {unit.text(least)} {unit.name}" if least else "unknown"
                    longer.append(f"{count} {where}")
        self._legend(series)
        title = "; ".join(("Histogram", *longer))
        if title != self._title:
            self._title = title
            self._caption()
        self._fit_across(floor, float(np.log10(2 * most)) if logarithmic else 1.05 * most)
        self._ticks(self.box, self.box.viewRange()[0])
        self._latency_ticks(self.box, self.box.viewRange()[1])

    def _draw_bars(
        self, place: int, edges: Values, counts: Values, floor: float, several: int
    ) -> None:
        lengths = (
            np.log10(np.maximum(counts, curves.LEAST_COUNT)) if self.scales["count"] else counts
        )
        across = np.concatenate(([floor], np.repeat(lengths, 2), [floor]))
        up = np.concatenate(([edges[0]], np.repeat(edges, 2)[1:-1], [edges[-1]]))
        colour = QColor(self._colour(place))
        fill = QColor(colour)
        fill.setAlpha(255 if several == 1 else 90)
        bars = self._bars.take()
        bars.setPath(pg.arrayToQPath(across, self.level(up)))
        bars.setBrush(fill)
        bars.setPen(pg.mkPen(colour, width=1, style=self._line(place)))
        self.box.itemBoundsChanged(bars)  # Qt's own items do not tell it

    def _ticks(self, _: Any, span: tuple[float, float]) -> None:
        """Few enough to be read, on a logarithmic axis."""
        axis = self.item.getAxis("bottom")
        axis.setTicks(
            [logarithmic_ticks(span, self._most_labels())] if self.scales["count"] else None
        )


class CcdfPlot(_LatencyPlot):
    """Share of stimuli that took at least as long: from all of them on the left to one of N.

    With the intervals of quantiles.
    """

    def __init__(self) -> None:
        super().__init__("Tail (CCDF)", "share that took at least as long")
        self.scales["share"] = True
        self._curves = self.drawn.of(pg.PlotDataItem)
        self._bounds = self.drawn.of(self._bound, counts=False)
        self._intervals = self.drawn.of(pg.PlotDataItem)
        self._quantiles = self.drawn.of(lambda: pg.TextItem(anchor=(0.5, 1)), counts=False)

    def draw(
        self,
        series: dict[str, tuple[Distribution, Unit]],
        quantiles: Mapping[str, Sequence[QuantileStats]],
    ) -> None:
        """Paints distributions by name, and the quantiles of run.json beside them."""
        with self.drawn:
            for place, (name, (known, unit)) in enumerate(series.items()):
                if known.n:
                    self._curve(place, known, unit)
                    for quantile in quantiles.get(name, ()):
                        self._interval(quantile, unit, place)
            self._limits([known.n for known, _ in series.values()])
        least = min((0.4 / known.n for known, _ in series.values() if known.n), default=1.0)
        self._legend(series)
        self._fit_across(-0.05 if self.scales["share"] else 0.0, float(self._across(least)))
        self._ticks(self.box, self.box.viewRange()[0])
        self._latency_ticks(self.box, self.box.viewRange()[1])

    def _curve(self, place: int, known: Distribution, unit: Unit) -> None:
        ticks, counts = curves.tail(known)
        # None is no share: the curve then falls to half of one.
        share = np.repeat(np.maximum(counts, curves.LEAST_COUNT) / known.n, 2)[1:-1]
        up = self.level(np.repeat(ticks[:-1], 2) * unit.per_tick)
        pen = pg.mkPen(self._colour(place), width=2, style=self._line(place))
        self._curves.take().setData(self._across(share), up, pen=pen)

    def _bound(self) -> Any:
        """A line at one of N."""
        options = {"position": 0.03, "rotateAxis": (1, 0), "anchors": [(0, 0), (0, 0)]}
        return pg.InfiniteLine(angle=90, label="", labelOpts=options)

    def _limits(self, counted: Sequence[int]) -> None:
        """One of N, below which nothing is known; labels that would cover each other are one."""
        pens = {n: self._colour(place) for place, n in reversed(list(enumerate(counted))) if n}
        groups: list[list[int]] = []
        for n in sorted(pens):
            if groups and n < _APART * groups[-1][0]:
                groups[-1].append(n)
            else:
                groups.append([n])
        for group in groups:
            for n in group:
                line = self._bounds.take()
                line.setPen(pg.mkPen(pens[n], style=Qt.PenStyle.DotLine))
                line.setValue(float(self._across(1 / n)))
                text = f"1 of N = {', '.join(map(str, group))}" if n == group[0] else ""
                if line.label.format != text:
                    line.label.setFormat(text)
                line.label.setColor(self.theme.faint)

    def _across(self, share: Any) -> Any:
        """To the right shares become smaller."""
        return -np.log10(share) if self.scales["share"] else 1 - np.asarray(share)

    def _interval(self, quantile: QuantileStats, unit: Unit, place: int) -> None:
        """A bar over the confidence interval; open ends are left out with their quantile."""
        lower, upper = quantile.lower_ticks, quantile.upper_ticks
        if quantile.note or lower is None or upper is None:
            return
        x = float(self._across(1 - quantile.p))
        # An interval of one tick has no length: two thirds of a tick are drawn.
        up = self.level(np.array([lower - 1 / 3, upper + 1 / 3]) * unit.per_tick)
        bar = self._intervals.take()
        bar.setData([x, x], up, pen=pg.mkPen(self.theme.text, width=4))
        bar.setZValue(1)
        if place:  # the first series tells which is which
            return
        text = self._quantiles.take()
        write(text, f"p{100 * quantile.p:.6g}", self.theme.faint)
        text.setPos(x, float(up[1]))

    def _ticks(self, _: Any, span: tuple[float, float]) -> None:
        axis = self.item.getAxis("bottom")
        if self.scales["share"]:
            low, high = int(np.ceil(max(span[0], 0.0))), int(np.floor(min(span[1], 15.0)))
            step = max(1, round((high - low) / self._most_labels()))
            ticks = [(float(power), f"{10.0**-power:g}") for power in range(low, high + 1, step)]
        else:
            step_ = round_step((span[1] - span[0]) / self._most_labels())
            places = np.arange(np.ceil(span[0] / step_), span[1] / step_ + 1) * step_
            ticks = [(float(x), f"{1 - x:.3g}") for x in places if 0 <= x <= 1]
        axis.setTicks([ticks])


def logarithmic_ticks(span: tuple[float, float], most: int = 7) -> list[tuple[float, str]]:
    """Places and labels of an axis of logarithms; few enough to be read."""
    low, high = (10 ** min(max(end, -3.0), 15.0) for end in span)
    if high > 50 * low:
        values: Iterable[float] = decades(low, high, (1, 2, 5) if high < 100 * low else (1,))
        if np.log10(high / low) > most:
            values = [10.0**power for power in range(-2, 16, 2)]
    else:
        step = round_step((high - low) / max(2, most - 1))
        values = (np.arange(np.ceil(low / step), high / step + 1) * step).tolist()
    return [(float(np.log10(v)), f"{v:g}") for v in values if low <= v <= high and v > 0]


def series_of(picture: Picture, unit: Unit) -> dict[str, tuple[Distribution, Unit]]:
    """Distributions of a run's channels, named."""
    return {f"channel {index}": (known, unit) for index, known in picture.distributions.items()}


def quantiles_of(picture: Picture) -> dict[str, tuple[QuantileStats, ...]]:
    """Quantiles of a run's channels whose intervals may be shown, named alike."""
    run = picture.run
    return {f"channel {s.channel}": wording.intervals(run, s) for s in run.stats}
