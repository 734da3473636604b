"""Latency over placement, with the instruction interrupted at each placement."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QAbstractItemView, QTableWidgetItem, QVBoxLayout, QWidget

from irqscope.errors import IrqscopeError
from irqscope.kinds.placement import report as placed
from irqscope.kinds.placement.record import Placements
from irqscope.kinds.placement.report import Points, Shown
from irqscope.results.reader import read
from irqscope_app.control.feed import Picture
from irqscope_app.control.station import Station
from irqscope_app.plots.base import SIGNS, SYMBOLS, Name, Plot
from irqscope_app.plots.stock import Stocks
from irqscope_app.widgets.common import SpareLabel, splitter, table
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

COLUMNS = ("address", "place", "instruction", "taken", "latency", "delays")
#: Interval between two reads of a running measurement, s.
_LOOK_S = 2.0
#: A click selects the nearest point up to this many pixels away.
_REACH = 12


class PlacementPlot(Plot):
    """One point for each placement; those of one instruction can be marked."""

    def __init__(self) -> None:
        super().__init__(
            "Placement", "rise of the line after the marker, {unit}", "latency, {unit}"
        )
        self.drawn = Stocks(self.item)
        self._dots = self.drawn.of(lambda: pg.ScatterPlotItem(pen=None, useCache=False))

    def draw(
        self, points: Points | None, symbol: str, unit: Unit, marked: int | None = None
    ) -> None:
        """Paints the points; ``marked``: address of an instruction whose points stand out."""
        if points is None:
            self.drawn.clear()
            self.set_names([])
            return
        names = []
        with self.drawn:
            for place, (text, members) in enumerate(points.by_place(symbol).items()):
                if members.any():
                    names.append(Name(text, self.theme.series[place], SIGNS[place]))
                    self._draw(points, members, unit, place, self.theme.series[place], 6)
            if marked is not None:
                self._draw(points, points.address == marked, unit, 0, self.theme.text, 10)
        self.set_names(names)
        self._follow_range()

    def nearest(self, points: Points, x: float, y: float, unit: Unit) -> int | None:
        """Number of the point nearest to a position, or None if no point is near."""
        if not len(points.delay):
            return None
        pixel: Any = self.item.getViewBox().viewPixelSize()
        across = (points.delay * unit.per_tick - x) / pixel[0]
        up = (points.latency * unit.per_tick - y) / pixel[1]
        away = np.hypot(across, up)
        best = int(np.argmin(away))
        return best if away[best] <= _REACH else None

    def _draw(
        self, points: Points, there: Any, unit: Unit, place: int, colour: str, size: int
    ) -> None:
        self._dots.take().setData(
            points.delay[there] * unit.per_tick,
            points.latency[there] * unit.per_tick,
            symbol=SYMBOLS[place],
            size=size,
            brush=colour,
        )


class Placement(QWidget):
    """The plot next to the table of the stretch's instructions.

    ``chosen``: called with the number of a stimulus whose point was clicked.
    """

    def __init__(self, station: Station, chosen: Callable[[int], None]) -> None:
        super().__init__()
        self._station, self._chosen = station, chosen
        self._unit = Unit("ns", 1, 1.0)
        self._picture: Picture | None = None
        self._points: Points | None = None
        self._shown: list[Shown] = []
        self._read: tuple[Path, int, bool] | None = None  # data read last
        self._busy, self._looked = False, 0.0
        self.plot = PlacementPlot()
        self.plot.clicked = self._on_click
        self.plot.stale = self._draw
        self.table = table(0, COLUMNS)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setAccessibleName("Instructions")
        self.table.setToolTip(
            "An interrupt is taken in front of the instruction that it returns to. A row marks\n"
            "its points. Delays: by how much longer than the shortest latency one waited\n"
            "that came here."
        )
        self.table.itemSelectionChanged.connect(self._draw)
        rows = self.table.verticalHeader()
        assert rows is not None  # a table view always has one
        rows.hide()
        self.said = SpareLabel("faint")
        parts = splitter("placement", Qt.Orientation.Horizontal, self.plot.widget, self.table)
        parts.setSizes([500, 520])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(parts, 1)
        layout.addWidget(self.said)

    @property
    def page(self) -> QWidget:
        """This widget, with the plot and the table."""
        return self

    def look(self, picture: Picture, unit: Unit, source: str) -> bool:
        """Shows the placements of a run, read in a thread; returns whether the run has any."""
        if picture.run.part(Placements) is None:
            return False
        if unit != self._unit:
            self._unit = unit
            self.plot.set_unit(unit.name)
            self._draw()
        self.plot.set_source(source)
        self._picture = picture
        folder = self._station.state.folder
        if folder is None:
            return True
        ended = picture.run.ended is not None
        state = (folder, picture.run.stimuli, ended)
        waits = not ended and time.monotonic() - self._looked < _LOOK_S
        if self._busy or state == self._read or waits:
            return True
        self._busy, self._looked, self._read = True, time.monotonic(), state
        self._station.begin(lambda: placed.points(read(folder)), self._on_points, self._on_failed)
        return True

    def _on_points(self, points: Points) -> None:
        self._busy, self._points = False, points
        picture = self._picture
        if picture is None or picture.run.part(Placements) is None:
            return
        never = "; ".join(placed.never(picture.run)) or "nothing"
        self.said.setText(f"Not interrupted: {never}")
        self._fill(placed.table(picture.run))
        self._draw()

    def _on_failed(self, error: IrqscopeError) -> None:
        self._busy = False
        self.clear()
        self._station.report_fault(error)

    def clear(self) -> None:
        """Empties the plot and the table of instructions."""
        self._picture = self._points = self._read = None
        self.said.setText("")
        self._fill([])
        self._draw()

    def _fill(self, shown: list[Shown]) -> None:
        if shown == self._shown:
            return
        self._shown = shown
        self.table.setRowCount(len(shown))
        for row, one in enumerate(shown):
            of = one.instruction
            texts = (f"{of.address:#x}", of.where, of.text, str(of.taken), one.latency, one.delays)
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                if column > COLUMNS.index("instruction"):
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.table.setItem(row, column, item)

    def _draw(self) -> None:
        picture = self._picture
        placements = None if picture is None else picture.run.part(Placements)
        if placements is None:
            self.plot.draw(None, "", self._unit)
            return
        row = self.table.currentRow() if self.table.selectedItems() else -1
        marked = self._shown[row].instruction.address if 0 <= row < len(self._shown) else None
        self.plot.draw(self._points, placements.symbol, self._unit, marked)

    def _on_click(self, x: float, y: float) -> None:
        """Selects the instruction and the stimulus of a point."""
        points = self._points
        nearest = None if points is None else self.plot.nearest(points, x, y, self._unit)
        if points is None or nearest is None:
            return
        address = int(points.address[nearest])
        rows = [n for n, one in enumerate(self._shown) if one.instruction.address == address]
        if rows:
            self.table.selectRow(rows[0])
        self._chosen(int(points.sequence[nearest]))

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        self.plot.dress(theme)
        self._draw()
