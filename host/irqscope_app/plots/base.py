"""Base of all plots. Each shows the source of its data, or why it has none."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PyQt6.QtCore import QPoint, QRectF, Qt
from PyQt6.QtGui import QColor, QContextMenuEvent, QMouseEvent
from PyQt6.QtWidgets import (
    QGraphicsItem,
    QGraphicsSimpleTextItem,
    QWidget,
)

from irqscope.errors import IrqscopeError
from irqscope_app.plots.axis import Axis, Lane
from irqscope_app.plots.density import LEAST
from irqscope_app.plots.pictures import menu
from irqscope_app.plots.places import Places
from irqscope_app.widgets.badge import Badge
from irqscope_app.widgets.box import Box
from irqscope_app.widgets.theme import DARK, Theme

Values = npt.NDArray[np.float64]

#: Markers of series, and the same as text.
SYMBOLS = ("o", "t", "s", "d", "+", "x", "star", "p")
SIGNS = ("●", "▼", "■", "◆", "✚", "✖", "★", "⬟")
#: Least width that a badge leaves to the title in its line, pixels.
_WORD = 84
#: Characters of a name in a title.
_LONGEST_NAME = 32


@dataclass(frozen=True)
class Name:
    """Name of a series; ``sign`` distinguishes it without its colour."""

    text: str
    colour: str
    sign: str


class _View(pg.PlotWidget):  # type: ignore[misc]
    """The view of a plot. ``menu_asked``: called with a screen position on the menu key;
    ``title_clicked``: called on a double click above the plot area.
    """

    menu_asked: Callable[[QPoint], None]
    title_clicked: Callable[[], None]

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        """Reports a double click on the title; the plot area handles its own."""
        area = self.getPlotItem().getViewBox().sceneBoundingRect()
        if event is not None and self.mapToScene(event.pos()).y() < area.top():
            self.title_clicked()
        else:
            super().mouseDoubleClickEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        """Ignores the right button, which the plot area handles since it may drag."""
        if event is not None and event.reason() is QContextMenuEvent.Reason.Keyboard:
            self.menu_asked(self.mapToGlobal(self.rect().center()))


class Plot:
    """A plot widget with the badge of its source and a message. ``widget`` goes into a layout.

    ``bottom``, ``left``: titles of the axes; ``units``: of their last labels, in place of a title.
    ``follows``: whether the view follows new data, until the user zooms; :meth:`fit` resumes.
    """

    run_name = ""  #: name of the run that is shown, used for file names

    def __init__(
        self, title: str, bottom: str, left: str, units: tuple[str, str] = ("", "")
    ) -> None:
        self.box = Box()
        self.lane = Lane()
        axes = {"left": Axis("left"), "bottom": Axis("bottom"), "top": self.lane}
        self.widget: Any = _View(viewBox=self.box, axisItems=axes)
        self.item: Any = self.widget.getPlotItem()
        self.theme = DARK
        self.name = title.split(",")[0]
        self.widget.setAccessibleName(self.name)
        self._title, self._bottom, self._left, self.units = title, bottom, left, units
        self._unit = "ns"
        self._names: list[Name] = []
        self.title_height = 0  #: that the title needs, pixels
        self.least_title = 0  #: that it has at least
        self._captioned = 0.0  # width that the title was broken for
        self.follows = True
        self.locked = False  #: the visible range stays, whatever data arrive
        self.scales: dict[str, bool] = {}  #: axes that can be logarithmic: whether they are
        self.sharing: tuple[Plot, ...] = ()  #: other plots with the same latency axis
        #: told why a picture of it could not be saved
        self.failed: Callable[[IrqscopeError], None] = lambda error: None
        self.stale: Callable[[], None] = lambda: None  #: called when it needs to be redrawn
        #: told where a user has clicked into it, as its axes have it
        self.clicked: Callable[[float, float], None] = lambda x, y: None
        self.fit_asked: Callable[[], None] = self.fit  #: called by a double click
        self.places: Places | None = None  #: who moves ``part``, all that moves with it
        self.part: QWidget = self.widget
        box: Any = self.item.getViewBox()
        self.item.setMenuEnabled(False, None)
        self.widget.menu_asked = self.box.menu_asked = self.show_menu
        self.widget.title_clicked = lambda: self.maximise(not self.alone)
        self._badge = Badge(self.item)
        self.explained = False  #: the source stands next to the plot, unless it floats
        self.item.showAxis("top", False)
        self._message = QGraphicsSimpleTextItem(box)
        box.sigResized.connect(self._place)
        self.box.moved = self._on_moved
        self.widget.scene().sigMouseClicked.connect(self._on_click)
        for name in ("bottom", "left"):
            axis: Any = self.item.getAxis(name)
            axis.enableAutoSIPrefix(False)
            # Grid and labels cost more than all data, so they are painted only when they change.
            axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.item.getAxis("left").setWidth(62)
        # A title that is too long is broken into lines, so that it does not widen the plot.
        self.item.titleLabel.updateMin = lambda: None
        self.item.hideButtons()

    def show_menu(self, place: QPoint) -> None:
        """Shows the menu at a screen position; Enter chooses the first entry."""
        shown = menu(self)
        shown.popup(place)
        shown.setActiveAction(shown.actions()[0])

    def stand_in(self, places: Places, part: QWidget | None = None) -> None:
        """Makes the plot movable. ``part``: the widget that moves with it, if not only the plot."""
        self.places, self.part = places, part or self.widget

    @property
    def alone(self) -> bool:
        """Whether the plot fills its screen."""
        return self.places is not None and self.places.alone is self.part

    def maximise(self, wanted: bool) -> None:
        """Lets the plot fill the screen, or restores its size."""
        if self.places is not None:
            self.places.maximise(self.part, wanted)

    def float(self, wanted: bool) -> None:
        """Moves the plot to a separate window, or back."""
        if self.places is not None and wanted:
            self.places.float(self.part, self.name)
        elif self.places is not None:
            self.places.put_back(self.part)

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self.theme = theme
        self.widget.setBackground(theme.plot)
        self._badge.dress(theme)
        self._message.setBrush(QColor(theme.faint))
        for name in ("bottom", "left"):
            axis = self.item.getAxis(name)
            axis.setPen(theme.grid)
            axis.setTextPen(theme.faint)
        self.lane.setTextPen(theme.faint)
        self.item.showGrid(x=True, y=True, alpha=0.25)
        self._caption()

    def set_title(self, title: str) -> None:
        """Sets the title: content of the plot and how to read it."""
        if title != self._title:
            self._title = title
            self._caption()

    def set_unit(self, unit: str) -> None:
        """Names the unit of latencies on the axes."""
        if unit != self._unit:
            self._unit = unit
            self._caption()

    def set_source(self, label: str) -> None:
        """Sets the badge with the source of the numbers."""
        if label != self._badge.text:
            self._badge.text = label
            self._place()
            self._caption()
        floats = self.places is not None and self.places.floats(self.part)
        if self.explained and self.identified is not floats:
            self.identify(floats)

    def identify(self, shown: bool) -> None:
        """Shows or hides the badge."""
        self._badge.show(shown)
        self._caption()

    @property
    def identified(self) -> bool:
        """Whether the badge is shown."""
        return self._badge.shown

    @property
    def source(self) -> str:
        """Text of the badge: the source of the numbers."""
        return self._badge.text

    def show_axes(self, shown: bool) -> None:
        """Shows the axes, which an empty plot does not have."""
        for name in ("bottom", "left"):
            if self.item.getAxis(name).isVisible() is not shown:
                self.item.showAxis(name, shown)

    def say(self, text: str) -> None:
        """Shows a message in place of data, or removes it if the text is empty."""
        if text != self._message.text():
            self._message.setText(text)
            self._place()

    def set_names(self, names: Sequence[Name]) -> None:
        """Shows the series' names in the title, where they cover no data. A single series is not
        named.
        """
        wanted = list(names) if len(names) > 1 else []
        if wanted != self._names:
            self._names = wanted
            self._caption()

    def lock(self, locked: bool) -> None:
        """Locks the visible range against new data; the mouse still moves it."""
        self.locked = locked
        self.follows = self.follows and not locked
        if locked:
            box: Any = self.item.getViewBox()
            box.updateAutoRange()  # what is still to come of it
            box.disableAutoRange()

    def fit(self) -> None:
        """Shows all data and follows new data, unless the plot is locked."""
        self.follows = not self.locked
        self.stale()

    def _on_moved(self, across: bool, up: bool) -> None:
        self.follows = False

    def _follow_range(self) -> None:
        """Fits the range to all items, until the user zooms."""
        if self.follows and not self.locked:
            self.item.getViewBox().enableAutoRange()

    def scale(self, axis: str, logarithmic: bool) -> None:
        """Sets one of :attr:`scales`; the latency axis of :attr:`sharing` follows."""
        for plot in (self, *(self.sharing if axis == "latency" else ())):
            plot.set_scale(axis, logarithmic)

    def set_scale(self, axis: str, logarithmic: bool) -> None:
        """Sets one of :attr:`scales` of this plot alone."""
        self.scales[axis] = logarithmic
        self.stale()

    def level(self, latency: Any) -> Any:
        """Converts latencies in a unit to axis values."""
        return np.log10(np.maximum(latency, LEAST)) if self.scales.get("latency") else latency

    def _on_click(self, event: Any) -> None:
        box: Any = self.item.getViewBox()
        inside = box.sceneBoundingRect().contains(event.scenePos())
        if not inside or event.button() != Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.fit_asked()
        else:
            place = box.mapSceneToView(event.scenePos())
            self.clicked(place.x(), place.y())

    def level_title(self, height: int) -> None:
        """Gives plots side by side titles of equal height, so that their axes are level."""
        if height != self.least_title:
            self.least_title = height
            self._caption()

    def _caption(self) -> None:
        colour = self.theme.faint
        metrics = self.widget.fontMetrics()
        width = self.item.getViewBox().width()
        beside = width - self._badge.width
        lines = _wrapped(
            [
                (html.escape(word), metrics.horizontalAdvance(f"{word} "))
                for word in self._title.format(unit=self._unit).split()
            ]
            + [
                (
                    f"&nbsp; <span style='color: {name.colour}'>{name.sign}</span> "
                    f"{html.escape(shortened(name.text))}",
                    metrics.horizontalAdvance(f"   {name.sign} {shortened(name.text)} "),
                )
                for name in self._names
            ],
            beside if beside >= _WORD else width,
        )
        if beside < _WORD:
            lines.insert(0, "&nbsp;")  # the badge has a separate line
        self.item.setTitle("<br>".join(lines), color=colour, size="10pt", justify="left")
        self.title_height = 12 + len(lines) * metrics.height()
        height = max(self.least_title, self.title_height)
        self.item.titleLabel.setMaximumHeight(height)
        self.item.layout.setRowFixedHeight(0, height)
        # Without its tall title the plot may shrink to the height of its widget.
        self.item.setGeometry(self.widget.range)
        for side, text in (("bottom", self._bottom), ("left", self._left)):
            axis: Any = self.item.getAxis(side)  # the item's own setLabel shows a hidden axis
            axis.setLabel(text.format(unit=self._unit), color=colour)
            axis.showLabel(bool(text))
        for side, unit in zip(("bottom", "left"), self.units, strict=True):
            self.item.getAxis(side).name_unit(unit.format(unit=self._unit))

    def _place(self, *_: object) -> None:
        area: QRectF = self.item.getViewBox().boundingRect()
        self._message.setPos(area.center() - self._message.boundingRect().center())
        self._badge.place(self.item.vb.geometry())
        if area.width() != self._captioned:
            self._captioned = area.width()
            self._caption()


def shortened(text: str) -> str:
    """Shortens a name to fit into a title."""
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"


def _wrapped(words: Sequence[tuple[str, int]], width: float) -> list[str]:
    """Breaks words of given widths into lines of at most a width; returns at least one line."""
    lines, used = [""], 0.0
    for word, wide in words:
        if used and used + wide > width:
            lines.append("")
            used = 0.0
        lines[-1] += f"{word} "
        used += wide
    return [line.strip() for line in lines]
