"""Mouse and wheel actions on the area of a plot, shared by all plots."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import QPoint, QPointF, QRectF, Qt
from pyqtgraph import functions

#: The share of the span that one notch of the wheel leaves when it zooms in.
_NOTCH = 0.8
#: The share of the span by which a key moves the view.
_STEP = 0.1
#: Turns of a wheel in a notch, as Qt counts them.
_TURN = 120
#: Number of stored views, and time within which a change is merged with the previous one, s.
_VIEWS, _ONE_GO_S = 50, 0.5


class Box(pg.ViewBox):  # type: ignore[misc]
    """Zooms and pans a plot by the mouse.

    The wheel zooms the horizontal axis, Ctrl and wheel the vertical one; a drag pans, Shift and
    drag zooms to a box. ``moved``: called with the axes that the user has moved: horizontal,
    vertical.

    ``leader``: another box with the same vertical axis, which is moved in place of this one's; a
    box with a leader cannot be moved horizontally. ``menu_asked``: called with the screen position
    of a right click.
    """

    def __init__(self) -> None:
        # pyqtgraph's own menu is never shown: it would add 40 widgets for each plot.
        super().__init__(enableMenu=False)
        self.leader: Box | None = None
        self.menu_asked: Callable[[QPoint], None] = lambda place: None
        self.moved: Callable[[bool, bool], None] = lambda across, up: None
        self._views: deque[Any] = deque(maxlen=_VIEWS)  # views to go back to, the latest at the end
        self._changed_at = 0.0

    def remember(self, *, leaps: bool = False) -> None:
        """Stores the current view before a change, so that :meth:`back` can restore it.

        A change may be continued or in one step.
        """
        now = time.monotonic()
        if leaps or now - self._changed_at > _ONE_GO_S:
            self._views.append(self.viewRange())
        self._changed_at = now

    def back(self) -> None:
        """Restores the previous view, if any."""
        if self._views:
            across, up = self._views.pop()
            self.setXRange(*across, padding=0)
            self.setYRange(*up, padding=0)
            self._tell(True, True)

    def forget(self) -> None:
        """Discards the stored views, which belong to other data."""
        self._views.clear()

    def follow(self, leader: Box) -> None:
        """Shares the vertical axis of another box."""
        self.leader = leader
        self.setYLink(leader)
        self.setMouseEnabled(x=False)

    def zoom(self, factor: float, *, across: bool, center: Any = None) -> None:
        """Zooms. ``factor``: share of the span that remains; ``center``: fixed point."""
        if self.leader is not None:
            self.leader.zoom(factor, across=False, center=center)
            return
        across, up = self._free(across, not across)
        if across or up:
            self.remember()
            self.scaleBy((factor if across else None, factor if up else None), center)
            self._tell(across, up)

    def pan(self, x: float, y: float) -> None:
        """Moves the view by ``x`` and ``y``, in units of the axes."""
        if self.leader is not None:
            self.leader.pan(0.0, y)
            return
        across, up = self._free(bool(x), bool(y))
        if across or up:
            self.remember()
            self.translateBy(x=x if across else None, y=y if up else None)
            self._tell(across, up)

    def look_up(self, low: float, high: float) -> None:
        """Shows this range of the vertical axis."""
        if self.leader is not None:
            self.leader.look_up(low, high)
            return
        _, up = self._free(False, True)
        if up:
            self.remember()
            self.setYRange(low, high, padding=0)
            self._tell(False, up)

    def step(self, x: int, y: int) -> None:
        """Moves the view by ``x`` and ``y`` tenths of its width and height."""
        (left, right), (low, high) = self.viewRange()
        self.pan(x * _STEP * (right - left), y * _STEP * (high - low))

    def notch(self, notches: float, *, across: bool, center: Any = None) -> None:
        """Zooms by a number of wheel notches; positive: closer."""
        self.zoom(_NOTCH**notches, across=across, center=center)

    def wheelEvent(self, ev: Any, axis: int | None = None) -> None:
        """Zooms around the mouse. ``axis``: the wheel was turned over that axis."""
        control = bool(ev.modifiers() & Qt.KeyboardModifier.ControlModifier)
        across = not control if axis is None else axis == 0
        self.notch(ev.delta() / _TURN, across=across, center=self._at(ev.pos()))
        ev.accept()

    def mouseClickEvent(self, ev: Any) -> None:
        """Opens the menu on a right click; other clicks go to the scene."""
        if ev.button() == Qt.MouseButton.RightButton:
            ev.accept()
            self.menu_asked(ev.screenPos().toPoint())

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Pans, or zooms to what lies between the two ends of the drag."""
        if ev.button() != Qt.MouseButton.LeftButton:
            ev.ignore()
            return
        ev.accept()
        boxing = bool(ev.modifiers() & Qt.KeyboardModifier.ShiftModifier) and axis is None
        if not boxing and not self.rbScaleBox.isVisible():
            before, now = self._at(ev.lastPos()), self._at(ev.pos())
            x, y = before.x() - now.x(), before.y() - now.y()
            self.pan(0.0 if axis == 1 else x, 0.0 if axis == 0 else y)
        elif ev.isFinish():
            self.rbScaleBox.hide()
            self._look_at(QRectF(self._at(ev.buttonDownPos()), self._at(ev.pos())).normalized())
        else:
            self.updateScaleBox(ev.buttonDownPos(), ev.pos())

    def _look_at(self, area: QRectF) -> None:
        if not area.height():
            return
        if self.leader is not None:
            self.leader.look_up(area.top(), area.bottom())
        elif area.width():
            across, up = self._free(True, True)
            self.remember()
            if across:
                self.setXRange(area.left(), area.right(), padding=0)
            if up:
                self.setYRange(area.top(), area.bottom(), padding=0)
            self._tell(across, up)

    def _free(self, across: bool, up: bool) -> tuple[bool, bool]:
        """The axes requested by the mouse that may move in this box."""
        free = self.state["mouseEnabled"]
        return across and bool(free[0]), up and bool(free[1])

    def _tell(self, across: bool, up: bool) -> None:
        self._resetTarget()
        self.moved(across, up)

    def _at(self, place: Any) -> QPointF:
        return QPointF(functions.invertQTransform(self.childGroup.transform()).map(place))
