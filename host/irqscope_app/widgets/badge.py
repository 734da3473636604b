"""Where numbers come from, in the corner of each plot."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QPen
from PyQt6.QtWidgets import QGraphicsRectItem, QGraphicsSimpleTextItem

from irqscope_app.widgets.theme import Theme

#: Height of its letters, pixels: the usual one, and the least.
_BADGE, _LEAST_BADGE = 11, 6


class Badge:
    """The source in the corner above a plot: it covers no data, and every picture has it."""

    def __init__(self, item: Any) -> None:
        self._label = QGraphicsSimpleTextItem(item)
        self._frame = QGraphicsRectItem(item)
        self._label.setZValue(51)
        self._frame.setZValue(50)
        font = QFont()
        font.setBold(True)
        self._label.setFont(font)
        self.text = ""

    @property
    def text(self) -> str:
        """What the badge says; empty: no badge is shown."""
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text
        self._frame.setVisible(bool(text))

    @property
    def width(self) -> float:
        """Pixels that the title leaves to it."""
        return self._frame.rect().width() + 6 if self._text else 0.0

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        self._label.setBrush(QColor(theme.plot))
        self._frame.setBrush(QColor(theme.faint))
        self._frame.setPen(QPen(Qt.PenStyle.NoPen))

    def place(self, area: QRectF) -> None:
        """Above the right end of the area, and as wide at most."""
        self._label.setText(self._text)
        font = self._label.font()
        font.setPixelSize(_BADGE)
        self._label.setFont(font)
        bounds, most = self._label.boundingRect(), area.width() - 10
        if bounds.width() > most > 0:
            font.setPixelSize(max(_LEAST_BADGE, int(_BADGE * most / bounds.width())))
            self._label.setFont(font)
            bounds = self._label.boundingRect()
        frame = bounds.adjusted(-5, -1, 5, 1)
        frame.moveTopRight(QPointF(area.right(), 3))
        self._frame.setRect(frame)
        self._label.setPos(frame.topLeft() + QPointF(5, 1))
