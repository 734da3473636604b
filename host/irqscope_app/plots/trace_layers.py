"""Drawing of a trace's series: symbols for few stimuli, otherwise pixels coloured by count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor

from irqscope_app.control.feed import Series
from irqscope_app.plots.base import SIGNS, SYMBOLS, Name
from irqscope_app.plots.density import Density, Grid, Pixels, painted
from irqscope_app.plots.trace import Trace
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

#: Most stimuli that are drawn as symbols.
_SYMBOLS_UP_TO = 400
#: Colours from one stimulus a pixel to the greatest count, and how far the last one is from the
#: first towards the text's.
_SHADES, _FURTHEST = 64, 1.0


@dataclass
class _Layer:
    """Drawing of a series: symbols for few stimuli, otherwise an image."""

    symbols: Any
    image: Any
    density: Density


class TraceLayers:
    """The layers of all series in the item of a plot.

    ``level``: converts latencies in a unit to axis values. ``names``: names of the series for the
    title; for a single dense series, the meaning of its shades.
    """

    def __init__(self, item: Any, theme: Theme, level: Callable[[Any], Any]) -> None:
        self.names: list[Name] = []
        self._item, self._theme, self._level = item, theme, level
        self._layers: dict[Series, _Layer] = {}

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme; all is redrawn the next time."""
        self._theme = theme
        for series in list(self._layers):
            self._remove(series)

    def draw(
        self,
        traces: Mapping[Series, Trace],
        seen: Mapping[Series, tuple[int, int]],
        grid: Grid,
        unit: Unit,
        until: float,
    ) -> bool:
        """Paints stimuli up to ``until``, s.

        ``seen``: for each series the number of the first visible stimulus, and of the one after the
        last. ``grid``: a cell for each pixel.

        Returns False if not all of very many stimuli were counted yet; call again then.
        """
        for series in self._layers.keys() - traces.keys():
            self._remove(series)
        few = sum(last - first for first, last in seen.values()) <= _SYMBOLS_UP_TO
        complete, greatest = True, 0
        for series, trace in traces.items():
            layer = self._layer(series)
            layer.symbols.setVisible(few)
            layer.image.setVisible(not few)
            if few:
                first, last = seen[series]
                levels = self._level(trace.copy(first, last) * unit.per_tick)
                layer.symbols.setData(trace.times(first, last), levels)
                continue
            if layer.density.catch_up(trace, grid, until):
                self._paint(series, layer, unit)
            complete &= layer.density.complete
            greatest = max(greatest, int(layer.density.counts.max(initial=0)))
        self.names = self._named(few, greatest)
        return complete

    def _named(self, few: bool, greatest: int) -> list[Name]:
        if len(self._layers) == 1 and not few and greatest > 1:
            shades = self._shades(next(iter(self._layers)))
            ends = ((0, "1"), (_SHADES - 1, f"{greatest} stimuli a pixel"))
            return [
                Name(text, QColor(*map(int, shades[place][:3])).name(), "■") for place, text in ends
            ]
        return [
            Name(str(series), self._colour(series), SIGNS[series.place % len(SIGNS)])
            for series in sorted(self._layers, key=str)
        ]

    def _paint(self, series: Series, layer: _Layer, unit: Unit) -> None:
        grid = layer.density.grid
        assert grid is not None  # counted stimuli have a grid
        layer.image.setImage(
            painted(layer.density.counts, self._shades(series)), autoLevels=False, levels=None
        )
        low, high = grid.low, grid.high
        if grid.logarithmic:
            low, high = (float(end + np.log10(unit.per_tick)) for end in (low, high))
        else:
            low, high = low * unit.per_tick, high * unit.per_tick
        layer.image.setRect(QRectF(grid.begin, low, grid.end - grid.begin, high - low))

    def _layer(self, series: Series) -> _Layer:
        if series not in self._layers:
            symbols = pg.ScatterPlotItem(
                symbol=SYMBOLS[series.place % len(SYMBOLS)],
                size=6,
                brush=self._colour(series),
                pen=None,
                useCache=False,
            )
            image = pg.ImageItem(axisOrder="row-major")
            for item in (image, symbols):
                self._item.addItem(item, ignoreBounds=True)
            self._layers[series] = _Layer(symbols, image, Density())
        return self._layers[series]

    def _remove(self, series: Series) -> None:
        layer = self._layers.pop(series)
        self._item.removeItem(layer.symbols)
        self._item.removeItem(layer.image)

    def _shades(self, series: Series) -> Pixels:
        """Colours, RGBA, from one stimulus a pixel to many."""
        first, last = QColor(self._colour(series)), QColor(self._theme.dense)
        share = np.linspace(0, _FURTHEST, _SHADES)[:, np.newaxis]
        ends = [np.array(colour.getRgb()) for colour in (first, last)]
        shades: Pixels = np.round((1 - share) * ends[0] + share * ends[1]).astype(np.uint8)
        return shades

    def _colour(self, series: Series) -> str:
        return self._theme.series[series.place % len(self._theme.series)]
