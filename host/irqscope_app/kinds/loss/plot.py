"""A map of lost pulses: pulse width over the distance of the two pulses of a pair."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QColor, QPen
from PyQt6.QtWidgets import QGraphicsRectItem

from irqscope.kinds.loss.record import KINDS, LossCell, LossMap
from irqscope.units import short_time
from irqscope_app.control.feed import Picture
from irqscope_app.kinds.view import PlotView
from irqscope_app.plots.base import SIGNS, Name
from irqscope_app.plots.stock import Stocks, write
from irqscope_app.widgets.units import Unit

#: The filled share of a cell's side; the rest separates it from its neighbours.
_FILLED = 0.94
_ALPHA = 150


class LossPlot(PlotView):
    """Shows in each cell the share of its pulses that were served, in percent.

    ``under``: text for the cell under the mouse.
    """

    def __init__(self) -> None:
        super().__init__("Loss map: % served", "from rise to rise", "width of a pulse")
        self.drawn = Stocks(self.item)
        self._cells = self.drawn.of(QGraphicsRectItem, counts=False)
        self._shares = self.drawn.of(lambda: pg.TextItem(anchor=(0.5, 0.5)), counts=False)
        self._drawn: tuple[LossMap | None, int] = (None, 0)
        self.item.getAxis("left").setWidth(None)
        self.widget.scene().sigMouseMoved.connect(self._on_mouse)
        self.under = ""

    def look(self, picture: Picture, unit: Unit, source: str) -> bool:
        """Shows the map of a run; returns whether it has one."""
        if (loss_map := picture.run.part(LossMap)) is None:
            return False
        self.draw(loss_map, picture.tick_hz)
        return True

    def clear(self) -> None:
        """Shows no map."""
        self.draw(None, 1)

    def draw(self, found: LossMap | None, tick_hz: int) -> None:
        """Paints a map, unless it is painted already; clears the plot for None."""
        if self._drawn == (found, tick_hz):
            return
        self._drawn = found, tick_hz
        if found is None:
            self.drawn.clear()
            self.set_names([])
            return
        with self.drawn:
            for cell in found.cells:
                self._cell(cell, *_place(found, cell))
        times = {"bottom": found.spacings, "left": found.widths}
        for side, ticks in times.items():
            labels = [(n, short_time(one, tick_hz)) for n, one in enumerate(ticks)]
            self.item.getAxis(side).setTicks([labels])
        self.set_names([Name(text, self._colour(n), SIGNS[2]) for n, text in enumerate(KINDS)])
        if self.follows and not self.locked:
            self.box.setRange(
                xRange=(-0.6, len(found.spacings) - 0.4),
                yRange=(-0.6, len(found.widths) - 0.4),
                padding=0,
            )

    def dress(self, theme: Any) -> None:
        """Takes the colours of a theme."""
        super().dress(theme)
        loss_map, tick_hz = self._drawn
        self._drawn = None, 0
        self.draw(loss_map, tick_hz)

    def fit(self) -> None:
        """Shows the whole map and follows new data, unless the plot is locked."""
        self._drawn = None, self._drawn[1]
        super().fit()

    def said_of(self, x: float, y: float) -> str:
        """Describes the pulses of the cell at a position; empty outside of all cells."""
        loss_map, hz = self._drawn
        for cell in loss_map.cells if loss_map is not None else ():
            if (round(x), round(y)) == _place(loss_map, cell):  # type: ignore[arg-type]
                width, spacing = (short_time(t, hz) for t in (cell.width_ticks, cell.spacing_ticks))
                return (
                    f"{width}, {spacing} apart: {2 * cell.pairs} pulses, {cell.served} served, "
                    f"{cell.coalesced} coalesced, {cell.lost} lost, {cell.spurious} spurious"
                )
        return ""

    def _cell(self, cell: LossCell, column: int, row: int) -> None:
        side = QRectF(column - _FILLED / 2, row - _FILLED / 2, _FILLED, _FILLED)
        filled, colour = self._cells.take(), QColor(self._colour(cell.kind))
        colour.setAlpha(_ALPHA)
        filled.setRect(side)
        filled.setBrush(colour)
        filled.setPen(QPen(QColor(0, 0, 0, 0)))
        text = self._shares.take()
        write(text, cell.share, self.theme.text)
        text.setPos(column, row)
        text.setZValue(1)

    def _colour(self, kind: int) -> str:
        theme = self.theme
        return (theme.good, theme.warning, theme.bad, theme.series[3])[kind]

    def _on_mouse(self, place: QPointF) -> None:
        at: Any = self.item.getViewBox().mapSceneToView(place)
        self.under = self.said_of(at.x(), at.y())
        self.widget.setToolTip(self.under)


def _place(found: LossMap, cell: LossCell) -> tuple[int, int]:
    """Column and row of a cell in the map."""
    return found.spacings.index(cell.spacing_ticks), found.widths.index(cell.width_ticks)
