"""Reads the visible part of a plot, and uses the mouse there. ``plot``: the widget that is seen."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtGui import QMouseEvent, QPainter, QPicture, QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QGraphicsSimpleTextItem, QGraphicsTextItem
from pyqtgraph import InfiniteLine, ScatterPlotItem

NO_KEY = Qt.KeyboardModifier.NoModifier


def box(plot):
    """The area of the data."""
    return plot.getPlotItem().getViewBox()


def seen(plot):
    """Ends of the visible range: across, and up."""
    return box(plot).viewRange()


def title(plot):
    """In one line, however it is broken."""
    return " ".join(plot.getPlotItem().titleLabel.item.toPlainText().split())


def texts(plot):
    """All readable texts: title, badge, messages, and labels in the drawing."""
    items = [item for item in plot.scene().items() if item.isVisible()]
    plain = [item.text() for item in items if isinstance(item, QGraphicsSimpleTextItem)]
    rich = [item.toPlainText() for item in items if isinstance(item, QGraphicsTextItem)]
    return [text for text in (*plain, *rich) if text]


def ticks(plot, side):
    """Place and text of each label along an axis, as they are painted."""
    axis, picture = plot.getPlotItem().getAxis(side), QPicture()
    painter = QPainter(picture)
    _, _, labels = axis.generateDrawSpecs(painter)
    painter.end()
    places = [box(plot).mapSceneToView(axis.mapToScene(area.center())) for area, _, _ in labels]
    along = [place.y() if side in ("left", "right") else place.x() for place in places]
    return sorted((at, text) for at, (_, _, text) in zip(along, labels, strict=True))


def named(plot, name):
    """The line or curve of that name."""
    items = plot.getPlotItem().items
    (match,) = (item for item in items if hasattr(item, "name") and item.name() == name)
    return match


def moments(plot, name):
    """Where the upright lines of a curve are: each has two ends."""
    across, _ = named(plot, name).getData()
    return [] if across is None else across[::2].tolist()


def symbols(plot):
    """Clouds of symbols that are seen, one a series."""
    items = plot.getPlotItem().items
    return [item for item in items if isinstance(item, ScatterPlotItem) and item.isVisible()]


def counted(tail):
    """The N of each series of a tail, ascending: each ends at one of N."""
    lines = [item for item in tail.getPlotItem().items if isinstance(item, InfiniteLine)]
    bounds = [line for line in lines if line.isVisible() and line.name() == "1 of N"]
    return sorted(round(10 ** line.value()) for line in bounds)


def coloured(widget, colour):
    """Columns and rows of the picture in which a colour is seen; shape (n, 2)."""
    image = widget.grab().toImage()
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    matching = [place for place in places if image.pixelColor(*place).name() == colour.lower()]
    return np.array(matching).reshape(-1, 2)


def pixel(plot, x, y):
    """The pixel of a place on the axes."""
    return plot.mapFromScene(box(plot).mapViewToScene(QPointF(x, y)))


def click_at(plot, x, y):
    """Clicks the left button at a place on the axes."""
    QTest.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=pixel(plot, x, y))


def hover(plot, x, y):
    """Moves the mouse to a place on the axes.

    pyqtgraph drops a move that comes too fast: a caller that waits for an answer moves again.
    """
    move(plot.viewport(), QPointF(pixel(plot, x, y)))


def move(view, place, held=Qt.MouseButton.NoButton, modifiers=NO_KEY):
    """The mouse, to a pixel; QTest sends none to the place where it is already."""
    where = place, QPointF(view.mapToGlobal(place.toPoint()))
    none = Qt.MouseButton.NoButton
    event = QMouseEvent(QEvent.Type.MouseMove, *where, none, held, modifiers)
    QApplication.sendEvent(view, event)


def wheel(plot, where=None, modifiers=NO_KEY):
    """Turns the wheel by a notch away from oneself over a place on the axes, or over the middle."""
    view = plot.viewport()
    place = QPointF(view.rect().center() if where is None else pixel(plot, *where))
    event = QWheelEvent(
        place, QPointF(view.mapToGlobal(place.toPoint())), QPoint(), QPoint(0, 120),
        Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)
