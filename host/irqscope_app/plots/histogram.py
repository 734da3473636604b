"""The histogram: number of stimuli by latency, with latency on the vertical axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QGraphicsPathItem

from irqscope.analysis.stats import OPEN, Distribution
from irqscope.results import curves
from irqscope_app.plots.base import Values
from irqscope_app.plots.latency import LatencyPlot
from irqscope_app.widgets.axislabels import logarithmic_labels
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit


class HistogramPlot(LatencyPlot):
    """The gateware's own bins, bars to the right, on a logarithmic count."""

    def __init__(self) -> None:
        super().__init__("Histogram")
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
        """Marks a latency, in the unit shown, or removes the mark if None."""
        self._mark.setVisible(latency is not None)
        self._mark.setValue(float(self.level(latency or 0.0)))

    def choose(self, span: tuple[float, float] | None) -> None:
        """Marks a range of latencies, in the unit shown, or removes the mark if None."""
        self._chosen.setVisible(span is not None)
        if span is not None:
            self._chosen.setRegion([float(self.level(end)) for end in span])

    def bin_at(self, level: float) -> tuple[int, int] | None:
        """Smallest and greatest latency, ticks, of the bar at a position on the axis."""
        latency = 10.0**level if self.scales["latency"] else level
        for distribution, unit in self._series:
            ticks = latency / unit.per_tick
            held = (
                (distribution.lower - 0.5 <= ticks)
                & (ticks < distribution.upper + 0.5)
                & (distribution.counts > 0)
            )
            held &= distribution.upper != OPEN
            if held.any():
                place = int(np.argmax(held))
                return int(distribution.lower[place]), int(distribution.upper[place])
        return None

    def draw(self, series: dict[str, tuple[Distribution, Unit]], which: str = "") -> None:
        """Paints one histogram for each distribution, named by its key.

        ``which``: of what they are, for the title.
        """
        self._series = list(series.values())
        logarithmic = self.scales["count"]
        floor = float(np.log10(curves.LEAST_COUNT)) if logarithmic else 0.0
        longer, highest = [], 1.0
        with self.drawn:
            for place, (distribution, unit) in enumerate(series.values()):
                edges, counts = curves.steps(distribution)
                highest = max(highest, float(counts.max()))
                self._draw_bars(place, edges * unit.per_tick, counts, floor, len(series))
        for distribution, unit in series.values():
            beyond = distribution.upper == OPEN
            for lower in np.unique(distribution.lower[beyond]).tolist():
                count = int(distribution.counts[beyond & (distribution.lower == lower)].sum())
                if count:
                    where = f"longer than {unit.text(lower)} {unit.name}" if lower else "unknown"
                    longer.append(f"{count} {where}")
        self._legend(series)
        self.set_title(
            "; ".join(
                (
                    f"{self.name}{which or (': stimuli in a bin' if len(series) < 2 else '')}",
                    *longer,
                )
            )
        )
        self._fit_across(floor, float(np.log10(2 * highest)) if logarithmic else 1.05 * highest)
        self._ticks(self.box, self.box.viewRange()[0])
        self._latency_ticks(self.box, self.box.viewRange()[1])

    def _draw_bars(
        self, place: int, edges: Values, counts: Values, floor: float, several: int
    ) -> None:
        lengths = self._across(counts)
        across = np.concatenate(([floor], np.repeat(lengths, 2), [floor]))
        up = np.concatenate(([edges[0]], np.repeat(edges, 2)[1:-1], [edges[-1]]))
        colour = QColor(self._colour(place))
        fill = QColor(colour)
        fill.setAlpha(255 if several == 1 else 90)
        bars = self._bars.take()
        bars.setPath(pg.arrayToQPath(across, self.level(up)))
        bars.setBrush(fill)
        bars.setPen(pg.mkPen(colour, width=1, style=self._line(place)))
        self.box.itemBoundsChanged(bars)  # Qt's own items do not report it

    def _across(self, value: Any) -> Any:
        return np.log10(np.maximum(value, curves.LEAST_COUNT)) if self.scales["count"] else value

    def _value_at(self, place: float) -> float:
        return 10.0**place if self.scales["count"] else place

    def _ticks(self, _: Any, span: tuple[float, float]) -> None:
        """Labels for a logarithmic axis, few enough to be read."""
        axis = self.item.getAxis("bottom")
        axis.setTicks(
            [logarithmic_labels(span, self._most_labels())] if self.scales["count"] else None
        )
