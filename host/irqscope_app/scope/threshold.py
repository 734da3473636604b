"""A threshold, drawn through all latency plots."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import Qt

from irqscope_app.plots.ccdf import CcdfPlot
from irqscope_app.plots.histogram import HistogramPlot
from irqscope_app.plots.trace_plot import TracePlot
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

#: Modes: treatment of latencies beyond the threshold.
MODES = ("threshold off", "count beyond", "stop beyond")
#: Initial position of the line, as a share of the visible height.
_FIRST = 0.9


class Threshold:
    """A line in each plot, one of them with a label.

    ``moved``: called when the line was dragged.
    """

    def __init__(
        self,
        trace: TracePlot,
        others: Sequence[HistogramPlot | CcdfPlot],
        moved: Callable[[], None],
    ) -> None:
        self._trace, self._moved = trace, moved
        self.mode = MODES[0]
        self._unit: Unit | None = None
        # The label begins at the left edge, and is below the line if there is no room above.
        options = {"position": 0.01, "anchors": [(0, 0), (0, 1)]}
        self.line: Any = pg.InfiniteLine(
            angle=0, movable=True, label="threshold", labelOpts=options, name="threshold"
        )
        more = (pg.InfiniteLine(angle=0, movable=True, name="threshold") for _ in others)
        self._lines = [self.line, *more]
        for plot, line in zip((trace, *others), self._lines, strict=True):
            line.setZValue(20)
            line.hide()
            plot.item.addItem(line, ignoreBounds=True)
            line.sigPositionChanged.connect(self._on_moved)

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        for line in self._lines:
            line.setPen(pg.mkPen(theme.warning, width=1.5, style=Qt.PenStyle.DashLine))
            line.setHoverPen(pg.mkPen(theme.warning, width=3))
        self.line.label.setColor(theme.warning)

    @property
    def value(self) -> float:
        """The threshold, in the unit shown."""
        level = float(self.line.value())
        return 10.0**level if self._trace.scales["latency"] else level

    @value.setter
    def value(self, latency: float) -> None:
        for line in self._lines:
            line.setValue(float(self._trace.level(latency)))

    @property
    def ticks(self) -> int | None:
        """The threshold in ticks, or None if it is off or no run is shown."""
        return None if self._unit is None or self.mode == MODES[0] else self._unit.ticks(self.value)

    @property
    def stops(self) -> int | None:
        """Latency beyond which a run ends, ticks, or None."""
        return self.ticks if self.mode == MODES[2] else None

    def step(self, ticks: int) -> None:
        """Moves the threshold by a number of ticks."""
        if self._unit is not None:
            self.value += ticks * self._unit.per_tick

    def rescale(self, before: bool) -> None:
        """Keeps the value when the axis changes between linear and logarithmic.

        ``before``: whether it was logarithmic.
        """
        level = float(self.line.value())
        self.value = 10.0**level if before else level

    def settle(self, mode: str, unit: Unit) -> None:
        """Rounds the threshold to whole ticks, so that line, label and count agree."""
        if self._unit is not None and self._unit != unit:
            self.value = self.value / self._unit.per_tick * unit.per_tick
        self.mode, self._unit = mode, unit
        if mode == MODES[0]:
            for line in self._lines:
                line.hide()
            return
        if not self.line.isVisible():
            low, high = self._trace.box.viewRange()[1]
            self.line.setValue(low + _FIRST * (high - low))
            for line in self._lines:
                line.show()
        ticks = unit.ticks(self.value)
        if not math.isclose(self.value, ticks * unit.per_tick):
            self.value = ticks * unit.per_tick
        self.line.label.setFormat(f"{mode} {unit.text(ticks)} {unit.name}")

    def _on_moved(self, moved: Any) -> None:
        for line in self._lines:
            if line is not moved and line.value() != moved.value():
                line.blockSignals(True)
                line.setValue(moved.value())
                line.blockSignals(False)
        self._moved()
