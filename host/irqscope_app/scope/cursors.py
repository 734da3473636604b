"""Named cursors in the trace: positions and distances."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem

from irqscope_app.control.feed import Feed
from irqscope_app.plots.trace import Trace
from irqscope_app.plots.trace_plot import Picked, TracePlot
from irqscope_app.widgets.common import OVER_TEXTS
from irqscope_app.widgets.theme import Theme
from irqscope_app.widgets.units import Unit

#: Columns; differences are relative to the first cursor.
COLUMNS = ("cursor", "time, s", "latency, {unit}", "Δt, s", "1/Δt, 1/s", "Δ latency, {unit}")
_TYPED = QAbstractItemView.EditTrigger
#: Height of a row, pixels, and number of rows visible without scrolling.
_ROW, _MOST_ROWS = 22, 4


@dataclass
class Cursor:
    """A cursor. ``picked``: the stimulus at its position, or None."""

    name: str
    line: Any
    picked: Picked | None = None

    @property
    def time(self) -> float:
        """Target time of the cursor, s."""
        return float(self.line.value())


class CursorTable(QTableWidget):
    """``removed``: emitted with a row on Del; ``named``: emitted when a row is renamed."""

    removed = pyqtSignal(int)
    named = pyqtSignal(int, str)

    def __init__(self) -> None:
        super().__init__(0, len(COLUMNS))
        # A single click does not edit: Del removes the cursor, not its name.
        self.setEditTriggers(_TYPED.DoubleClicked | _TYPED.EditKeyPressed | _TYPED.AnyKeyPressed)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        # The table is as wide as the screen and as high as its rows.
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setToolTip("Del takes a cursor away; its name can be typed over")
        rows, head = self.verticalHeader(), self.horizontalHeader()
        assert rows is not None and head is not None  # a table view always has them
        rows.hide()
        rows.setDefaultSectionSize(_ROW)
        head.setSectionResizeMode(head.ResizeMode.ResizeToContents)
        head.setStretchLastSection(True)
        head.setDefaultAlignment(OVER_TEXTS)
        self._filling = False
        self.cellChanged.connect(self._on_changed)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Del removes the selected cursor."""
        if event is not None and event.key() == Qt.Key.Key_Delete and self.currentRow() >= 0:
            self.removed.emit(self.currentRow())
            return
        super().keyPressEvent(event)

    def fill(self, rows: list[tuple[str, ...]], unit: str) -> None:
        """Shows a row for each cursor."""
        self._filling = True
        self.setHorizontalHeaderLabels([column.format(unit=unit) for column in COLUMNS])
        self.setRowCount(len(rows))
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                item = self.item(row, column)
                if item is None:
                    item = QTableWidgetItem()
                    if column:
                        item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
                    self.setItem(row, column, item)
                if item.text() != text:
                    item.setText(text)
        head = self.horizontalHeader()
        assert head is not None  # a table view always has one
        frame = head.sizeHint().height() + 2 * self.frameWidth()
        self.setFixedHeight(_ROW * min(len(rows), _MOST_ROWS) + frame)
        self.setVisible(bool(rows))
        self._filling = False

    def _on_changed(self, row: int, column: int) -> None:
        item = self.item(row, column)
        if not self._filling and column == 0 and item is not None:
            self.named.emit(row, item.text().strip())


class Cursors:
    """The cursors of a trace.

    ``pick``: returns the stimulus near a time, s; ``moved``: called on each change.
    """

    def __init__(
        self,
        trace: TracePlot,
        pick: Callable[[float], Picked | None],
        moved: Callable[[], None],
    ) -> None:
        self._trace, self._pick, self._moved = trace, pick, moved
        self.all: list[Cursor] = []
        self.last: Cursor | None = None  #: the cursor that keys move
        self.apart = ""  #: distance of the first two cursors, in words
        self._theme = trace.theme
        self._rings: Any = pg.ScatterPlotItem(symbol="o", size=12, brush=None, name="picked")
        self._rings.hide()
        trace.item.addItem(self._rings, ignoreBounds=True)
        self.table = CursorTable()
        self.table.hide()
        self.table.removed.connect(lambda row: self.remove(self.all[row]))
        self.table.named.connect(self._rename)

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self._theme = theme
        self._rings.setPen(pg.mkPen(theme.text, width=2))
        for cursor in self.all:
            self._style(cursor)

    def put(self, name: str, time: float) -> Cursor:
        """Puts a cursor at the stimulus nearest to a time, or moves the one of that name."""
        cursor = self.named(name)
        if cursor is None:
            # The name hangs from the upper edge, so that it is fully visible in a low plot.
            options = {"position": 1.0, "anchors": [(0, 0), (1, 0)]}
            line: Any = pg.InfiniteLine(angle=90, movable=True, label=name, labelOpts=options)
            line.setZValue(18)
            cursor = Cursor(name, line)
            self.all.append(cursor)
            self._trace.item.addItem(line, ignoreBounds=True)
            line.sigPositionChangeFinished.connect(lambda _, m=cursor: self._snap(m))
            line.sigPositionChanged.connect(lambda _: self._moved())
            self._style(cursor)
        cursor.line.setValue(time)
        self._snap(cursor)
        return cursor

    def add(self, time: float) -> Cursor:
        """Puts a cursor at a time, s, and names it by the next free letter."""
        letters = (letter for letter in string.ascii_uppercase if self.named(letter) is None)
        return self.put(next(letters, f"M{len(self.all)}"), time)

    def remove(self, cursor: Cursor) -> None:
        """Removes a cursor."""
        self._trace.item.removeItem(cursor.line)
        self.all.remove(cursor)
        self.last = self.all[-1] if self.all else None
        self._moved()

    def step(self, places: int, feed: Feed) -> None:
        """Moves the last moved cursor by a number of stimuli."""
        if self.last is None:
            return
        at = self.last.time
        candidates: list[Picked] = []
        with feed.traces() as traces:
            for series, trace in traces.channels.items():
                if (place := _next_to(trace, at, places)) is not None:
                    time = float(trace.times(place, place + 1)[0])
                    latency = int(trace.copy(place, place + 1)[0])
                    candidates.append(Picked(series.channel, time, latency))
        if candidates:
            self._snap(self.last, min(candidates, key=lambda picked: abs(picked.time - at)))

    def clear(self) -> None:
        """Removes all cursors."""
        for cursor in list(self.all):
            self.remove(cursor)
        self._rings.hide()
        self.table.fill([], "")

    def named(self, name: str) -> Cursor | None:
        """The cursor with a name, or None."""
        return next((cursor for cursor in self.all if cursor.name == name), None)

    @property
    def between(self) -> tuple[float, float] | None:
        """Times of the first two cursors, the earlier first, or None if there are fewer."""
        if len(self.all) < 2:
            return None
        first, second = sorted(cursor.time for cursor in self.all[:2])
        return first, second

    def fill(self, unit: Unit) -> None:
        """Fills the table with positions and distances from the first cursor."""
        rows: list[tuple[str, ...]] = []
        self.apart = ""
        for cursor in self.all:
            first, at = self.all[0], cursor.picked
            texts = [cursor.name, f"{cursor.time:.9f}", unit.text(at.latency) if at else "-"]
            if cursor is not first:
                away = cursor.time - first.time
                texts += [f"{away:.9f}", f"{1 / away:.5g}" if away else "-"]
                if at is not None and first.picked is not None:
                    ticks = at.latency - first.picked.latency
                    texts.append(f"{'-' if ticks < 0 else ''}{unit.text(abs(ticks))}")
                else:
                    texts.append("-")
            if len(rows) == 1:
                self.apart = f"{first.name} to {cursor.name}: {texts[3]} s, {texts[5]} {unit.name}"
            rows.append((*texts, *[""] * (len(COLUMNS) - len(texts))))
        self.table.fill(rows, unit.name)
        self._place_names()
        met = [cursor.picked for cursor in self.all if cursor.picked is not None]
        levels = [float(self._trace.level(one.latency * unit.per_tick)) for one in met]
        self._rings.setData([one.time for one in met], levels)
        self._rings.setVisible(bool(met))

    def _place_names(self) -> None:
        """Puts the name of a cursor below that of one so near that both would overlap."""
        begin, end = self._trace.visible
        pixel, low, right = (end - begin) / max(1.0, self._trace.box.width()), 0, -np.inf
        for cursor in sorted(self.all, key=lambda cursor: cursor.time):
            label = cursor.line.label
            label.setFormat(cursor.name)
            low = low + 1 if cursor.time < right else 0
            right = max(right, cursor.time + label.boundingRect().width() * pixel)
            line = label.boundingRect().height()
            label.setPosition(1.0 - low * line / max(1.0, self._trace.box.height()))

    def _snap(self, cursor: Cursor, picked: Picked | None = None) -> None:
        cursor.picked = picked or self._pick(cursor.time)
        if cursor.picked is not None:
            cursor.line.blockSignals(True)
            cursor.line.setValue(cursor.picked.time)
            cursor.line.blockSignals(False)
        self.last = cursor
        self._moved()

    def _rename(self, row: int, name: str) -> None:
        cursor = self.all[row]
        if name and self.named(name) is None:
            cursor.name = name
        self._moved()

    def _style(self, cursor: Cursor) -> None:
        cursor.line.setPen(pg.mkPen(self._theme.text, width=1.5))
        cursor.line.setHoverPen(pg.mkPen(self._theme.text, width=3))
        cursor.line.label.setColor(self._theme.text)


def _next_to(trace: Trace, time: float, places: int) -> int | None:
    """Number of the latency a number of places after or before a time, or None."""
    first, last = trace.places(time, time)
    place = last + places - 1 if places > 0 else first + places
    begin, end = trace.dropped, trace.dropped + len(trace)
    return place if begin <= place < end else None
