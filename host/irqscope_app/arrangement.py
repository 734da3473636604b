"""Positions and sizes of the window's parts, saved between sessions."""

from __future__ import annotations

from PyQt6.QtCore import QByteArray, QSize
from PyQt6.QtWidgets import QInputDialog, QMainWindow, QSplitter

from irqscope_app.preferences import Preferences

#: Share of the screen that the window has at first, all of one of a laptop, pixels; and what a
#: window's frame takes of a screen.
_SHARE, _LAPTOP, _FRAME = 0.85, QSize(1600, 900), QSize(16, 48)
#: Parts of the layout other than the splitters.
_GEOMETRY, _DOCKS = "window geometry", "window docks"


class Arrangement:
    """Gives a new window a comfortable size, then restores the saved layout."""

    def __init__(self, window: QMainWindow, preferences: Preferences) -> None:
        self._window, self._preferences = window, preferences
        self.take_size()
        self._first = self.parts()
        if (layout := preferences.layout()) is not None:
            self.take(layout)

    def parts(self) -> dict[str, QByteArray]:
        """Geometry, docks and splitters, by name."""
        window = self._window
        parts = {name: one.saveState() for name, one in self._splitters().items()}
        return parts | {_GEOMETRY: window.saveGeometry(), _DOCKS: window.saveState()}

    def take(self, parts: dict[str, QByteArray]) -> None:
        """Restores the states in ``parts``; a part without a state is left as is."""
        if _GEOMETRY in parts:
            self._window.restoreGeometry(parts[_GEOMETRY])
        if _DOCKS in parts:
            self._window.restoreState(parts[_DOCKS])
        for name, splitter in self._splitters().items():
            if name in parts:
                splitter.restoreState(parts[name])

    def keep(self) -> None:
        """Keeps the layout for the next start."""
        self._preferences.save_layout(self.parts())

    def ask_name(self) -> None:
        """Asks for a name and saves the current layout under it."""
        name, accepted = QInputDialog.getText(self._window, "Save the layout", "Name:")
        if accepted and name.strip():
            self._preferences.name_layout(name.strip(), self.parts())

    def reset(self) -> None:
        """Restores the layout of the first start."""
        self.take(self._first)
        self.take_size()

    def take_size(self) -> None:
        """Makes the window as large as is comfortable, and never larger than the screen."""
        screen = self._window.screen()
        if screen is None:
            return
        room = screen.availableGeometry().size() - _FRAME
        self._window.resize((_SHARE * room).expandedTo(_LAPTOP).boundedTo(room))

    def _splitters(self) -> dict[str, QSplitter]:
        """Qt has some of its own, in dialogs."""
        named = (one for one in self._window.findChildren(QSplitter) if one.objectName())
        return {one.objectName(): one for one in named}
