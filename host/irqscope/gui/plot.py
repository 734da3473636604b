"""What all plots have. Each bears its source; one without data is blank and says why."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QFont
from PyQt6.QtWidgets import QGraphicsItem, QGraphicsSimpleTextItem

from irqscope.errors import IrqscopeError
from irqscope.gui.pictures import menu
from irqscope.gui.theme import DARK, Theme

Values = npt.NDArray[np.float64]

#: Marks of series, and the same as text.
SYMBOLS = ("o", "t", "s", "d", "+", "x", "star", "p")
SIGNS = ("●", "▼", "■", "◆", "✚", "✖", "★", "⬟")
#: Characters of a name in a title.
_LONGEST_NAME = 32


@dataclass(frozen=True)
class Name:
    """Name of a series; ``sign`` distinguishes it without its colour."""

    text: str
    colour: str
    sign: str


class Plot:
    """A plot widget with watermark and message. ``widget`` goes into a layout.

    ``follows``: shows all that comes, until a user zooms; :meth:`fit` follows again.
    """

    #: Height of the watermark's middle, 0 at the top and 1 at the bottom.
    _watermark_at = 0.5

    def __init__(self, title: str, bottom: str, left: str) -> None:
        self.widget: Any = pg.PlotWidget()
        self.item: Any = self.widget.getPlotItem()
        self.theme = DARK
        self._title, self._bottom, self._left = title, bottom, left
        self._unit = "ns"
        self._names: list[Name] = []
        self._captioned = 0.0  # width that the title was broken for
        self.follows = True
        self.locked = False  #: what is seen stays, whatever comes
        self.scales: dict[str, bool] = {}  #: axes that can be logarithmic: whether they are
        #: told why a picture of it could not be saved
        self.failed: Callable[[IrqscopeError], None] = lambda error: None
        self.stale: Callable[[], None] = lambda: None  #: called when it is to be drawn anew
        #: told where a user has clicked into it, as its axes have it
        self.clicked: Callable[[float, float], None] = lambda x, y: None
        box: Any = self.item.getViewBox()
        self.item.setMenuEnabled(False, None)
        box.raiseContextMenu = lambda event: menu(self).popup(event.screenPos().toPoint())
        self._watermark = QGraphicsSimpleTextItem(box)
        self._watermark.setZValue(50)
        self._message = QGraphicsSimpleTextItem(box)
        box.sigResized.connect(self._place)
        box.sigRangeChangedManually.connect(lambda *_: self._on_moved())
        self.widget.scene().sigMouseClicked.connect(self._on_click)
        for name in ("bottom", "left"):
            axis: Any = self.item.getAxis(name)
            axis.enableAutoSIPrefix(False)
            # Grid and labels cost more than all data: they are painted when they change.
            axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.item.getAxis("left").setWidth(62)
        # A title is broken into lines where it is too long; no plot becomes wider for it.
        self.item.titleLabel.updateMin = lambda: None
        self.item.hideButtons()

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        self.theme = theme
        self.widget.setBackground(theme.plot)
        faint = QColor(theme.text)
        faint.setAlpha(38)
        self._watermark.setBrush(faint)
        self._message.setBrush(QColor(theme.faint))
        for name in ("bottom", "left"):
            axis = self.item.getAxis(name)
            axis.setPen(theme.grid)
            axis.setTextPen(theme.faint)
        self.item.showGrid(x=True, y=True, alpha=0.25)
        self._caption()

    def set_unit(self, unit: str) -> None:
        """Names the unit of latencies on the axes."""
        if unit != self._unit:
            self._unit = unit
            self._caption()

    def set_source(self, label: str) -> None:
        """The watermark: where the numbers come from."""
        if label != self._watermark.text():
            self._watermark.setText(label)
            self._place()

    def say(self, text: str) -> None:
        """A message in place of data; empty: there are data."""
        if text != self._message.text():
            self._message.setText(text)
            self._place()

    def set_names(self, names: Sequence[Name]) -> None:
        """Shows the series' names in the title, where they cover no data. One alone needs none."""
        wanted = list(names) if len(names) > 1 else []
        if wanted != self._names:
            self._names = wanted
            self._caption()

    def lock(self, locked: bool) -> None:
        """Keeps what is seen, whatever comes; the mouse still moves it."""
        self.locked = locked
        self.follows = self.follows and not locked
        if locked:
            box: Any = self.item.getViewBox()
            box.updateAutoRange()  # what is still to come of it
            box.disableAutoRange()

    def fit(self) -> None:
        """Shows all, and what comes; unless it is locked."""
        self.follows = not self.locked
        self.stale()

    def _on_moved(self) -> None:
        self.follows = False

    def _follow_range(self) -> None:
        """All that is drawn is seen, until a user zooms."""
        if self.follows and not self.locked:
            self.item.getViewBox().enableAutoRange()

    def set_scale(self, axis: str, logarithmic: bool) -> None:
        """Sets one of :attr:`scales`."""
        self.scales[axis] = logarithmic
        self.stale()

    def _on_click(self, event: Any) -> None:
        box: Any = self.item.getViewBox()
        inside = box.sceneBoundingRect().contains(event.scenePos())
        if inside and event.button() == Qt.MouseButton.LeftButton:
            place = box.mapSceneToView(event.scenePos())
            self.clicked(place.x(), place.y())

    def _caption(self) -> None:
        colour = self.theme.faint
        metrics = self.widget.fontMetrics()
        lines = _wrapped(
            [
                (html.escape(word), metrics.horizontalAdvance(f"{word} "))
                for word in self._title.split()
            ]
            + [
                (
                    f"&nbsp; <span style='color: {name.colour}'>{name.sign}</span> "
                    f"{html.escape(shortened(name.text))}",
                    metrics.horizontalAdvance(f"   {name.sign} {shortened(name.text)} "),
                )
                for name in self._names
            ],
            self.item.getViewBox().width(),
        )
        self.item.setTitle("<br>".join(lines), color=colour, size="10pt")
        height = 12 + len(lines) * metrics.height()
        self.item.titleLabel.setMaximumHeight(height)
        self.item.layout.setRowFixedHeight(0, height)
        for side, text in (("bottom", self._bottom), ("left", self._left)):
            self.item.setLabel(side, text.format(unit=self._unit), color=colour)

    def _place(self, *_: object) -> None:
        area: QRectF = self.item.getViewBox().boundingRect()
        font = QFont()
        font.setPixelSize(max(14, min(int(area.height() / 6), int(area.width() / 14))))
        font.setBold(True)
        self._watermark.setFont(font)
        for text in (self._watermark, self._message):
            bounds = text.boundingRect()
            if text is self._watermark and bounds.width() > area.width() > 0:
                font.setPixelSize(max(8, int(font.pixelSize() * area.width() / bounds.width())))
                text.setFont(font)
                bounds = text.boundingRect()
            text.setPos(area.center() - bounds.center())
        self._watermark.moveBy(0, (self._watermark_at - 0.5) * area.height())
        if area.width() != self._captioned:
            self._captioned = area.width()
            self._caption()


def shortened(text: str) -> str:
    """A name that fits into a title."""
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


def _wrapped(words: Sequence[tuple[str, int]], width: float) -> list[str]:
    """Lines of words, each with its own width, that are as wide at most; at least one."""
    lines, used = [""], 0.0
    for word, wide in words:
        if used and used + wide > width:
            lines.append("")
            used = 0.0
        lines[-1] += f"{word} "
        used += wide
    return [line.strip() for line in lines]


def decades(low: float, high: float, digits: Sequence[int]) -> list[float]:
    """These digits times the powers of ten from below ``low`` to above ``high``."""
    powers = range(int(np.log10(low)) - 1, int(np.log10(high)) + 2)
    return [digit * 10.0**power for power in powers for digit in digits]


def round_step(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(max(step, 1e-9)))
    return float(next(digit * power for digit in (1, 2, 5, 10) if digit * power >= step))
