"""Stages of a response as bars, one below the other, by duration."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QBrush, QColor

from irqscope.results.stages import Step
from irqscope_app.plots.base import Plot
from irqscope_app.plots.stock import Stocks, write
from irqscope_app.widgets.units import Unit

#: Height of a bar, relative to the distance of two bars.
_HEIGHT = 0.62
#: Height of a step, so that its name is legible, and of title and axis, pixels.
_STEP, _FRAME = 15, 46


class WaterfallPlot(Plot):
    """Bars for the steps from marker to marker. The cost of the marker itself is hatched."""

    def __init__(self, title: str) -> None:
        super().__init__(f"{title}, {{unit}}", "", "")
        self.drawn = Stocks(self.item)
        self._bars = self.drawn.of(lambda: pg.BarGraphItem(x0=[0], width=[0], y=[0], height=1))
        self._whiskers = self.drawn.of(pg.PlotDataItem)
        self._texts = self.drawn.of(lambda: pg.TextItem(anchor=(0, 0.5)))
        self.item.getAxis("left").setWidth(None)
        self.item.getViewBox().invertY(True)
        self.item.getViewBox().setMouseEnabled(y=False)

    def draw(self, steps: list[Step], unit: Unit) -> None:
        """Paints the steps."""
        self.item.getAxis("left").setTicks([[(n, step.name) for n, step in enumerate(steps)]])
        self.widget.setMinimumHeight(_FRAME + _STEP * len(steps))
        with self.drawn:
            for place, step in enumerate(steps):
                self._step(place, step, unit)
        box: Any = self.item.getViewBox()
        if steps and not self.locked:
            box.setYRange(-0.6, len(steps) - 0.4, padding=0)
            longest = max(step.greatest for step in steps) * unit.per_tick
            box.setXRange(0, 1.8 * longest, padding=0.02)

    def _step(self, place: int, step: Step, unit: Unit) -> None:
        begin, end = step.begin * unit.per_tick, step.end * unit.per_tick
        colour = QColor(self.theme.series[place % len(self.theme.series)])
        self._bar(place, begin, end, QBrush(colour))
        hatched = QBrush(QColor(self.theme.plot), Qt.BrushStyle.BDiagPattern)
        self._bar(place, begin, begin + step.probe * unit.per_tick, hatched)
        if step.least != step.greatest:
            ends = [step.least * unit.per_tick, step.greatest * unit.per_tick]
            pen = pg.mkPen(self.theme.text, width=1.5)
            self._whiskers.take().setData(ends, [place] * 2, pen=pen)
        text = unit.text(step.end - step.begin)
        if step.probe:
            text += f" ({unit.text(step.probe)} probe)"
        label = self._texts.take()
        write(label, text, self.theme.text)
        label.setPos(end, place)

    def _bar(self, place: int, begin: float, end: float, brush: QBrush) -> None:
        self._bars.take().setOpts(
            x0=[begin], width=[end - begin], y=[place], height=_HEIGHT, brush=brush, pen=None
        )
