"""Number of interrupts handled while a line was high."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg

from irqscope.results.statistics import Throughput
from irqscope_app.control.feed import Picture
from irqscope_app.kinds.view import PlotView
from irqscope_app.plots.base import SYMBOLS
from irqscope_app.plots.stock import Stocks
from irqscope_app.widgets.units import Unit


class ThroughputPlot(PlotView):
    """Interrupts handled per second while the line was high, one dot for each phase."""

    def __init__(self) -> None:
        super().__init__("Throughput", "phase", "interrupts handled in a second")
        self.item.getAxis("left").setWidth(None)  # rates have many digits
        self.drawn = Stocks(self.item)
        self._dots = self.drawn.of(lambda: pg.ScatterPlotItem(size=8, pen=None, useCache=False))

    def look(self, picture: Picture, unit: Unit, source: str) -> bool:
        """Shows the rates of a run; returns whether it has any."""
        if not picture.run.throughput:
            return False
        self.draw(picture.run.throughput, picture.tick_hz)
        return True

    def clear(self) -> None:
        """Shows no rates."""
        self.draw([], 1)

    def draw(self, throughput: Sequence[Throughput], tick_hz: int) -> None:
        """Paints the ``throughput`` of run.json."""
        with self.drawn:
            texts = [self._draw(place, figure, tick_hz) for place, figure in enumerate(throughput)]
        self._title = "; ".join(texts) or "Throughput"
        self._caption()
        if throughput and not self.locked:
            # The axis starts at 0, so that similar rates look similar.
            greatest = max(figure.max_hz for figure in throughput)
            self.box.setYRange(0, 1.1 * max(greatest, 1.0), padding=0)

    def _draw(self, place: int, found: Throughput, tick_hz: int) -> str:
        """Draws the dots of one rate; returns its part of the title."""
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
