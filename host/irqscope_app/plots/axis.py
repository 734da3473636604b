"""Axes without titles, and the lane of names above a plot."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, NamedTuple

import pyqtgraph as pg
from PyQt6.QtCore import QPointF, QRectF, Qt, QTimer
from PyQt6.QtGui import QPen

#: Height of the lane, and room between two names, pixels.
LANE, _APART = 18, 6
_CENTRED = Qt.AlignmentFlag.AlignCenter


class Axis(pg.AxisItem):  # type: ignore[misc]
    """An axis whose last label carries the unit, and which grows where a label needs it."""

    unit = ""
    _least: int | None = None
    _lacking = 0

    def setWidth(self, w: int | None = None) -> None:
        """Sets the width without long labels, pixels; None: that of the labels."""
        self._least = w
        super().setWidth(w)

    def narrow(self) -> None:
        """Takes the width without long labels again."""
        if self.fixedWidth is not None:
            super().setWidth(self._least)

    def name_unit(self, unit: str) -> None:
        """Sets the unit."""
        if unit != self.unit:
            self.unit = unit
            self.picture = None
            self.update()

    def generateDrawSpecs(self, painter: Any) -> Any:
        """What is painted: the axis, its ticks, and its labels."""
        specs = super().generateDrawSpecs(painter)
        if specs is None or not specs[2] or not self.unit:
            return specs
        upright = self.orientation in ("left", "right")
        labels = specs[2]
        ends = [area.top() if upright else -area.right() for area, _, _ in labels]
        last = ends.index(min(ends))
        area, flags, text = labels[last]
        more = float(painter.fontMetrics().horizontalAdvance(f" {self.unit}"))
        right = 0.0 if upright else min(more / 2, max(0.0, self.width() - area.right()))
        labels[last] = area.adjusted(right - more, 0, right, 0), flags, f"{text} {self.unit}"
        left = min(area.left() for area, _, _ in labels)
        if upright and left < 0 and self.fixedWidth is not None:
            self._lacking = ceil(-left)
            QTimer.singleShot(0, self._widen)  # not while it paints
        return specs

    def _widen(self) -> None:
        if self.fixedWidth is not None:
            super().setWidth(self.fixedWidth + self._lacking)
        self._lacking = 0


class Cell(NamedTuple):
    """A name above a part of the horizontal axis; ``short``: the same if it does not fit."""

    begin: float
    end: float
    text: str
    short: str = ""


class Lane(pg.AxisItem):  # type: ignore[misc]
    """Names above a plot. One that is too long for its cell becomes its short form; one that would
    touch its neighbour is left out.
    """

    def __init__(self) -> None:
        super().__init__("top")
        self.cells: Sequence[Cell] = ()
        self.setHeight(LANE)

    def show_cells(self, cells: Sequence[Cell]) -> None:
        """Shows these names, from left to right."""
        if list(cells) != list(self.cells):
            self.cells = cells
            self.picture = None
            self.update()

    def generateDrawSpecs(self, painter: Any) -> Any:
        """What is painted: names, and no line."""
        view, metrics = self.linkedView(), painter.fontMetrics()
        low, high = view.viewRange()[0]
        labels: list[tuple[QRectF, Any, str]] = []
        taken = 0.0
        for cell in self.cells if high > low else ():
            begin, end = (
                (min(max(at, low), high) - low) / (high - low) * self.width()
                for at in (cell.begin, cell.end)
            )
            inside = low <= cell.end and cell.begin <= high
            for text in (cell.text, cell.short) if inside else ():
                wide = metrics.horizontalAdvance(text)
                middle = (begin + end) / 2
                area = QRectF(middle - wide / 2, 0, wide, LANE)
                fits = wide <= end - begin or cell.begin == cell.end
                if text and fits and area.left() >= taken and area.right() <= self.width() + LANE:
                    labels.append((area, _CENTRED, text))
                    taken = area.right() + _APART
                    break
        # A picture that is played again draws a line of no pen as a point of ink.
        nowhere = QPointF()
        return (QPen(Qt.GlobalColor.transparent), nowhere, nowhere), [], labels
