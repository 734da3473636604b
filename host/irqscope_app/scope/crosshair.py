"""The mouse position, shown in all plots at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QObject, QPointF, Qt

from irqscope_app.plots.ccdf import CcdfPlot
from irqscope_app.plots.histogram import HistogramPlot
from irqscope_app.plots.trace_plot import TracePlot
from irqscope_app.widgets.theme import Theme


class Crosshair(QObject):
    """A vertical line in the trace, and a horizontal line in each latency plot.

    ``moved``: called with the time, s (None outside of the trace), and the level on the latency
    axis; both are None outside of all plots.
    """

    def __init__(
        self,
        trace: TracePlot,
        others: tuple[HistogramPlot | CcdfPlot, ...],
        moved: Callable[[float | None, float | None], None],
    ) -> None:
        super().__init__()
        self._trace, self._told = trace, moved
        self.time: float | None = None
        self.level: float | None = None
        self._upright: Any = pg.InfiniteLine(angle=90)
        trace.item.addItem(self._upright, ignoreBounds=True)
        self._across: list[Any] = []
        for plot in (trace, *others):
            line: Any = pg.InfiniteLine(angle=0, name="crosshair")
            plot.item.addItem(line, ignoreBounds=True)
            self._across.append(line)
            plot.widget.scene().sigMouseMoved.connect(lambda at, p=plot: self._on_moved(p, at))
            plot.widget.viewport().installEventFilter(self)
        for line in (self._upright, *self._across):
            line.setZValue(15)
            line.hide()

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        pen = pg.mkPen(theme.faint, width=1, style=Qt.PenStyle.DotLine)
        for line in (self._upright, *self._across):
            line.setPen(pen)

    def put(self, time: float | None, level: float | None) -> None:
        """Moves the lines to a position; hides a line whose coordinate is None."""
        self.time, self.level = time, level
        self._upright.setVisible(time is not None)
        self._upright.setValue(time or 0.0)
        for line in self._across:
            line.setVisible(level is not None)
            line.setValue(level or 0.0)
        self._told(time, level)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Hides the crosshair when the mouse has left a plot."""
        if event is not None and event.type() == QEvent.Type.Leave:
            self.put(None, None)
        return False

    def _on_moved(self, plot: TracePlot | HistogramPlot | CcdfPlot, at: QPointF) -> None:
        if not plot.box.sceneBoundingRect().contains(at):
            self.put(None, None)
            return
        place = plot.box.mapSceneToView(at)
        self.put(float(place.x()) if plot is self._trace else None, float(place.y()))
