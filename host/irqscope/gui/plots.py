"""What shapes latencies have: histogram and tail; and rates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor

from irqscope import wording
from irqscope.gui.feed import Picture
from irqscope.gui.plot import SYMBOLS, Name, Plot, Values, decades, round_step
from irqscope.gui.theme import Theme
from irqscope.gui.units import Unit
from irqscope.results.statistics import QuantileStats, Throughput
from irqscope.stats import OPEN, Distribution

#: Bottom of a histogram: half of one stimulus, so that a single one is seen.
_FLOOR = 0.5
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
                symbol=SYMBOLS[place % len(SYMBOLS)],
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

    def __init__(self, title: str, left: str) -> None:
        super().__init__(title, "latency, {unit}", left)
        self._items: list[Any] = []
        self.item.getViewBox().setDefaultPadding(0.03)

    def clear(self) -> None:
        """Nothing is drawn."""
        self._remove()
        self.set_names([])

    def _remove(self) -> None:
        for item in self._items:
            self.item.removeItem(item)
        self._items.clear()

    def _add(self, item: Any, *, counts: bool = True) -> None:
        self.item.addItem(item, ignoreBounds=not counts)
        self._items.append(item)

    def _legend(self, names: Iterable[str]) -> None:
        self.set_names(
            [
                Name(text, self._colour(place), _DASHES[place % len(_DASHES)])
                for place, text in enumerate(names)
            ]
        )

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
        values = decades(low, high, (1, 2, 5) if high < 100 * low else (1,))
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
        self._remove()
        self._series = list(series.values())
        logarithmic = self.scales["count"]
        floor = float(np.log10(_FLOOR)) if logarithmic else 0.0
        self.item.getAxis("left").setLogMode(logarithmic)
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
            beyond = known.upper == OPEN
            for least in np.unique(known.lower[beyond]).tolist():
                count = int(known.counts[beyond & (known.lower == least)].sum())
                if count:
                    where = f"longer than {unit.text(least)} {unit.name}" if least else "unknown"
                    longer.append(f"{count} {where}")
        self._legend(series)
        title = "Histogram, every stimulus" + (f"; {', '.join(longer)}" if longer else "")
        if title != self._title:
            self._title = title
            self._caption()
        box: Any = self.item.getViewBox()
        box.setLimits(yMin=floor - 0.02)
        self._follow_range()
        self._ticks(box, box.viewRange()[1])


class CcdfPlot(_LatencyPlot):
    """Share of stimuli that took at least as long, with the intervals of quantiles."""

    def __init__(self) -> None:
        super().__init__("Tail (CCDF)", "share that took at least as long")
        self.scales = {"latency": True, "share": True}
        self.item.getViewBox().sigXRangeChanged.connect(self._ticks)

    def draw(
        self,
        series: dict[str, tuple[Distribution, Unit]],
        quantiles: Mapping[str, Sequence[QuantileStats]],
    ) -> None:
        """Paints distributions by name, and the quantiles of run.json beside them."""
        self._remove()
        self.item.getAxis("left").setLogMode(self.scales["share"])
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
            for quantile in quantiles.get(name, ()):
                self._interval(quantile, unit, place)
        self._limits([known.n for known, _ in series.values()])
        self._legend(series)
        box: Any = self.item.getViewBox()
        self._follow_range()
        self._ticks(box, box.viewRange()[0])

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
                line = pg.InfiniteLine(
                    float(self._y(1 / n)),
                    angle=0,
                    pen=pg.mkPen(pens[n], style=Qt.PenStyle.DotLine),
                    label=f"1 of N = {', '.join(map(str, group))}" if n == group[0] else None,
                    labelOpts={
                        "position": 0.97,
                        "anchors": [(1, 1), (1, 1)],
                        "color": self.theme.faint,
                    },
                )
                self._add(line, counts=False)

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
            values = decades(low, high, (1, 2, 5))
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
