"""Lines and markers of some stimuli, drawn to scale: the same signals as in the VCD export."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtGui import QColor

from irqscope.results.signals import Signal
from irqscope_app.plots.base import Plot
from irqscope_app.plots.stock import Stocks
from irqscope_app.widgets.units import Unit

#: Height of a level, relative to the distance of two signals.
_HEIGHT = 0.6
#: Height of a lane, so that its name is legible, pixels.
_LANE = 15.0
_SYMBOLS = {"vector": "t1", "handler": "o", "done": "s", "task": "d"}


class WavesPlot(Plot):
    """Signals over time since the edge of one stimulus, ``index``."""

    def __init__(self) -> None:
        super().__init__("Neighbours, µs", "", "")
        self._kept: int | None = None
        self.drawn = Stocks(self.item)
        self._markers = self.drawn.of(lambda: pg.ScatterPlotItem(size=9, pen=None, useCache=False))
        self._levels = self.drawn.of(pg.PlotDataItem)
        self._edge: Any = pg.InfiniteLine(0.0, angle=90)
        self.item.addItem(self._edge, ignoreBounds=True)
        self._shown: tuple[int, tuple[float, float], int] | None = None  # stimulus, ends, lanes
        self.item.getAxis("left").setWidth(None)
        box: Any = self.item.getViewBox()
        box.invertY(True)
        box.sigResized.connect(lambda *_: self._look())

    def draw(self, signals: list[Signal], origin: int, unit: Unit, kept: int | None = None) -> None:
        """Paints signals.

        ``origin``: time of the stimulus in the middle, ticks; ``kept``: number of its neighbours,
        if the run has not kept all.
        """
        self._kept = kept
        several = len({signal.channel for signal in signals}) > 1
        names = [f"{s.channel}: {s.name}" if several else s.name for s in signals]
        self.item.getAxis("left").setTicks([list(enumerate(names))])
        scale = 1e6 / unit.tick_hz
        ends = [0.0, 0.0]
        with self.drawn:
            for place, signal in enumerate(signals):
                rises = (signal.rises - origin) * scale
                falls = (signal.falls - origin) * scale
                if not len(rises):
                    continue
                ends = [min(ends[0], float(rises[0])), max(ends[1], float(falls[-1]))]
                self._signal(place, signal, rises, falls)
        self._edge.setPen(pg.mkPen(self.theme.warning, width=1))
        self._edge.setVisible(bool(signals))
        view = (origin, (ends[0], ends[1]), len(signals)) if signals else None
        if view != self._shown:
            self._shown, self.follows = view, not self.locked
        self._look()

    def _look(self) -> None:
        """Shows all of a new stimulus; keeps the user's view of the same one."""
        if self._shown is None:
            return
        _, ends, lanes = self._shown
        box: Any = self.item.getViewBox()
        fitting = max(2, int(box.height() / _LANE))
        cut = lanes > fitting
        self.widget.setToolTip("Neighbours; drag for the other lanes" if cut else "")
        named = f"{fitting} of {lanes} lanes" if cut else self.name
        title = f"{named}, µs" if self._kept is None else f"{named}, {self._kept} kept, µs"
        if self._title != title:
            self._title = title
            self._caption()
        if self.follows:
            box.setYRange(-0.6, min(lanes, fitting) - 0.4, padding=0)
            box.setXRange(*ends, padding=0.03)

    def zoom(self, begin_ticks: int, end_ticks: int, unit: Unit) -> None:
        """Shows these times since the edge."""
        scale = 1e6 / unit.tick_hz
        self.follows = False
        self.item.getViewBox().setXRange(begin_ticks * scale, end_ticks * scale, padding=0.05)

    def _signal(self, place: int, signal: Signal, rises: Any, falls: Any) -> None:
        """Markers as symbols; a level is up from rise to fall, low before and after."""
        colour = self.theme.series[signal.channel % len(self.theme.series)]
        if signal.marker:
            symbol = _SYMBOLS.get(signal.name, "+")
            places = np.full(len(rises), place)
            self._markers.take().setData(rises, places, symbol=symbol, brush=colour)
            return
        edges = np.column_stack((rises, rises, falls, falls)).ravel()
        low, high = place + _HEIGHT / 2, place - _HEIGHT / 2  # the axis is inverted
        levels = np.tile([low, high, high, low], len(rises))
        fill = QColor(colour)
        fill.setAlpha(70)
        pen = pg.mkPen(colour, width=1.5)
        self._levels.take().setData(edges, levels, pen=pen, fillLevel=low, brush=fill)
