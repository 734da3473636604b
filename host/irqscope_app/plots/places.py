"""Placement of plots: side by side, alone on their screen, or in separate windows."""

from __future__ import annotations

from typing import NamedTuple

from PyQt6.QtCore import QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QKeyEvent
from PyQt6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

#: Smallest size of a separate window, pixels.
_LEAST = QSize(480, 320)
#: From one such window to the next, pixels.
_STEP = 28


class Floating(QWidget):
    """A window with one part of a screen.

    Closing it, or Esc, puts the part back; other keys go to the screen.
    """

    closed = pyqtSignal()

    def __init__(self, screen: QWidget, part: QWidget, title: str) -> None:
        super().__init__(screen.window(), Qt.WindowType.Window)
        self._screen = screen
        self.setWindowTitle(f"{title}, irqscope")
        self.resize(part.size().expandedTo(_LEAST))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(part)

    def beside(self, others: int) -> None:
        """Moves a window clear of the Run button.

        It goes right of the screen's window if there is room, otherwise into the lower right
        corner; several are staggered.
        """
        screen, own = self._screen.screen(), self._screen.window()
        if screen is None or own is None:
            return
        room, frame = screen.availableGeometry(), own.frameGeometry()
        size = self.size().boundedTo(QSize(room.width() // 2, room.height() * 2 // 3))
        size = size.expandedTo(_LEAST)
        x = min(frame.right(), room.right() - size.width() - _STEP // 2)
        y = room.bottom() - size.height() - 2 * _STEP
        self.resize(size)
        self.move(max(room.left(), x - _STEP * others), max(room.top(), y - _STEP * others))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Closes the window on Esc; other keys are the screen's."""
        if event is not None and event.key() == Qt.Key.Key_Escape:
            self.close()
        elif event is not None:
            QApplication.sendEvent(self._screen, event)

    def closeEvent(self, event: QCloseEvent | None) -> None:
        """Puts the part back before the window is destroyed."""
        self.closed.emit()
        super().closeEvent(event)


class _Away(NamedTuple):
    """A part outside of its splitter, its placeholder, and the former sizes."""

    window: Floating
    stand_in: QWidget
    splitter: QSplitter
    sizes: list[int]


class Places(QObject):
    """Moves the parts of one screen, each of which belongs to a splitter.

    ``floated``: emitted when a part moves to a separate window.
    """

    floated = pyqtSignal(QWidget)

    def __init__(self, screen: QWidget) -> None:
        super().__init__(screen)
        self._screen = screen
        self._away: dict[QWidget, _Away] = {}
        self._sizes: list[tuple[QSplitter, list[int]]] = []
        self.alone: QWidget | None = None  #: the part that fills the screen

    def floats(self, part: QWidget) -> bool:
        """Whether a part is in a separate window."""
        return part in self._away

    @property
    def any_floats(self) -> bool:
        """Whether any part is visible in a separate window, even if the screen is hidden."""
        return bool(self._away)

    def maximise(self, part: QWidget, wanted: bool) -> None:
        """Hides a part's neighbours; their sizes are restored with them."""
        self.share()
        if self.floats(part):
            self._away[part].window.setWindowState(
                Qt.WindowState.WindowMaximized if wanted else Qt.WindowState.WindowNoState
            )
            return
        child = part
        while wanted and child is not self._screen and (above := child.parentWidget()) is not None:
            if isinstance(above, QSplitter):
                self._sizes.append((above, above.sizes()))
                place = above.indexOf(child)
                above.setSizes([int(n == place) for n in range(above.count())])
            child = above
        self.alone = part if wanted else None

    def share(self) -> None:
        """Shows all parts again after :meth:`maximise`."""
        for splitter, sizes in reversed(self._sizes):
            splitter.setSizes(sizes)
        self._sizes.clear()
        self.alone = None

    def float(self, part: QWidget, title: str) -> None:
        """Moves a part to a separate window."""
        splitter = part.parentWidget()
        if self.floats(part) or not isinstance(splitter, QSplitter):
            return
        self.share()
        sizes, hidden = splitter.sizes(), part.isHidden()
        stand_in = QWidget()  # keeps the position; the neighbours take the room
        splitter.replaceWidget(splitter.indexOf(part), stand_in)
        stand_in.hide()
        window = Floating(self._screen, part, title)
        window.beside(len(self._away))
        window.closed.connect(lambda: self.put_back(part))
        part.setHidden(hidden)
        self._away[part] = _Away(window, stand_in, splitter, sizes)
        self.floated.emit(window)
        window.show()
        window.activateWindow()
        part.setFocus()

    def put_back(self, part: QWidget) -> None:
        """Puts a part back at its position and size."""
        if (away := self._away.pop(part, None)) is None:
            return
        hidden = part.isHidden()
        away.splitter.replaceWidget(away.splitter.indexOf(away.stand_in), part)
        part.setHidden(hidden)
        away.splitter.setSizes(away.sizes)
        away.stand_in.deleteLater()
        away.window.close()
        away.window.deleteLater()
        self._screen.activateWindow()
        part.setFocus()

    def restore(self) -> None:
        """Puts all parts back."""
        self.share()
        for part in list(self._away):
            self.put_back(part)
