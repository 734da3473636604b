"""The source of the numbers, in the corner of each plot."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QColor, QFont, QPen
from PyQt6.QtWidgets import QGraphicsRectItem, QGraphicsSimpleTextItem

from irqscope_app.widgets.theme import Theme

#: Usual and smallest height of its letters, pixels.
_BADGE, _LEAST_BADGE = 11, 6


class Badge:
    """Draws the source in the corner above a plot, so that each picture contains it."""

    def __init__(self, item: Any) -> None:
        self._label = QGraphicsSimpleTextItem(item)
        self._frame = QGraphicsRectItem(item)
        self._label.setZValue(51)
        self._frame.setZValue(50)
        font = QFont()
        font.setBold(True)
        self._label.setFont(font)
        self.shown = True
        self.text = ""

    @property
    def text(self) -> str:
        """Text of the badge; empty if it is hidden."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text
        self.show(self.shown)

    def show(self, shown: bool) -> None:
        """Shows or hides the badge; without a text it is hidden."""
        self.shown = shown
        for item in (self._frame, self._label):
            item.setVisible(shown and bool(self._text))

    @property
    def width(self) -> float:
        """Width that the title leaves to the badge, pixels."""
        return self._frame.rect().width() + 6 if self._text and self.shown else 0.0

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self._label.setBrush(QColor(theme.faint))
        self._frame.setBrush(QColor(theme.plot))
        self._frame.setPen(QPen(QColor(theme.border)))

    def place(self, area: QRectF) -> None:
        """Places the badge above the right end of the area, no wider than the area."""
        self._label.setText(self._text)
        font = self._label.font()
        font.setPixelSize(_BADGE)
        self._label.setFont(font)
        bounds, limit = self._label.boundingRect(), area.width() - 10
        if bounds.width() > limit > 0:
            font.setPixelSize(max(_LEAST_BADGE, int(_BADGE * limit / bounds.width())))
            self._label.setFont(font)
            bounds = self._label.boundingRect()
        frame = bounds.adjusted(-5, -1, 5, 1)
        frame.moveTopRight(QPointF(area.right(), 3))
        self._frame.setRect(frame)
        self._label.setPos(frame.topLeft() + QPointF(5, 1))
