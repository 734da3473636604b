"""The tail plot: share of stimuli that took at least as long, with latency on the vertical axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor

from irqscope.analysis.stats import Distribution
from irqscope.results import curves
from irqscope.results.statistics import QuantileStats
from irqscope_app.plots.axis import Cell
from irqscope_app.plots.latency import LatencyPlot
from irqscope_app.widgets.axislabels import round_step
from irqscope_app.widgets.units import Unit

#: Smallest share with a label on the logarithmic axis.
_LEAST_SHARE = 1e-15


class CcdfPlot(LatencyPlot):
    """Share of stimuli that took at least as long: from all on the left to one of N on the right.

    With the intervals of quantiles.
    """

    def __init__(self) -> None:
        super().__init__("Tail")
        self.scales["share"] = True
        self._curves = self.drawn.of(pg.PlotDataItem)
        self._bounds = self.drawn.of(lambda: pg.InfiniteLine(angle=90, name="1 of N"), counts=False)
        self._beyond: Any = pg.LinearRegionItem(movable=False, pen=pg.mkPen(None))
        self._beyond.setZValue(-10)
        self._beyond.hide()
        self.item.addItem(self._beyond, ignoreBounds=True)
        self._intervals = self.drawn.of(pg.PlotDataItem)

    def draw(
        self,
        series: dict[str, tuple[Distribution, Unit]],
        quantiles: Mapping[str, Sequence[QuantileStats]],
    ) -> None:
        """Paints distributions by name, with the quantiles of run.json."""
        with self.drawn:
            for place, (name, (distribution, unit)) in enumerate(series.items()):
                if distribution.n:
                    self._curve(place, distribution, unit)
                    for quantile in quantiles.get(name, ()):
                        self._interval(quantile, unit, place)
            self._limits([distribution.n for distribution, _ in series.values()])
        known_p = sorted({q.p for name in series for q in quantiles.get(name, ()) if not q.note})
        places = [(float(self._across(1 - p)), f"p{100 * p:.6g}") for p in known_p]
        self.lane.show_cells([Cell(at, at, text) for at, text in places])
        lowest = min(
            (0.4 / distribution.n for distribution, _ in series.values() if distribution.n),
            default=1.0,
        )
        self._legend(series)
        self._fit_across(-0.05 if self.scales["share"] else 0.0, float(self._across(lowest)))
        self._ticks(self.box, self.box.viewRange()[0])
        self._latency_ticks(self.box, self.box.viewRange()[1])

    def _curve(self, place: int, known: Distribution, unit: Unit) -> None:
        ticks, counts = curves.tail(known)
        # A share of 0 has no logarithm: the curve ends at half of one stimulus.
        share = np.repeat(np.maximum(counts, curves.LEAST_COUNT) / known.n, 2)[1:-1]
        up = self.level(np.repeat(ticks[:-1], 2) * unit.per_tick)
        pen = pg.mkPen(self._colour(place), width=2, style=self._line(place))
        self._curves.take().setData(self._across(share), up, pen=pen)

    def _limits(self, counted: Sequence[int]) -> None:
        """Draws a line at one of each N, and shades what lies beyond the greatest."""
        for place, n in enumerate(counted):
            if n:
                line = self._bounds.take()
                line.setPen(pg.mkPen(self._colour(place), style=Qt.PenStyle.DotLine))
                line.setValue(float(self._across(1 / n)))
        self._beyond.setVisible(any(counted))
        if any(counted):
            edge = float(self._across(1 / max(counted)))
            self._beyond.setRegion((edge, edge + 1))
            self._beyond.setBrush(QColor(self.theme.grid))

    def _across(self, value: Any) -> Any:
        if self.scales["share"]:
            return -np.log10(np.maximum(value, _LEAST_SHARE))
        return 1 - np.asarray(value)  # shares decrease to the right

    def _value_at(self, place: float) -> float:
        return 10.0**-place if self.scales["share"] else 1 - place

    def _interval(self, quantile: QuantileStats, unit: Unit, place: int) -> None:
        """Draws a bar over the confidence interval; omits quantiles with an open interval."""
        lower, upper = quantile.lower_ticks, quantile.upper_ticks
        if quantile.note or lower is None or upper is None:
            return
        x = float(self._across(1 - quantile.p))
        # An interval of one tick has no length: two thirds of a tick are drawn.
        up = self.level(np.array([lower - 1 / 3, upper + 1 / 3]) * unit.per_tick)
        bar = self._intervals.take()
        bar.setData([x, x], up, pen=pg.mkPen(self.theme.text, width=4))
        bar.setZValue(1)

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
