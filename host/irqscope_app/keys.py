"""The keys of the window. Those without Ctrl belong to the screen that they act on."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PyQt6.QtCore import QObject, Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QApplication, QWidget

#: Keys that the scope handles if the focused widget does not, with their actions.
TAKEN = (
    ("Space", "Run or stop"),
    ("Backspace", "The previous view"),
    ("Home, End", "The begin and the end of the trace"),
    ("Page Up, Page Down", "A whole view earlier, later"),
    ("Arrows", "Pan"),
    ("+, -", "Zoom time; with Ctrl latency"),
    ("Shift+Left, Shift+Right", "The last cursor to the previous, next stimulus"),
    ("Shift+Up, Shift+Down", "The threshold by a tick"),
)


class Key(NamedTuple):
    """A key; ``text``: its action in words."""

    keys: str
    text: str
    done: Callable[[], object]

    @property
    def of_scope(self) -> bool:
        """Whether the key works on the Scope screen alone."""
        return len(self.keys) == 1 or self.keys == "Esc"


class Keys(QObject):
    """``all``: keys in the order in which they are listed.

    ``pattern``: screen in which letters are text.
    """

    def __init__(self, window: QWidget, scope: QWidget, pattern: QWidget, keys: list[Key]) -> None:
        super().__init__(window)
        self.all, self._pattern = keys, pattern
        for key in keys:
            if not key.of_scope:
                QShortcut(QKeySequence(key.keys), window).activated.connect(key.done)
        self._letters = self.serve(scope)
        # A field that is closed with the window loses the focus after the shortcuts are gone.
        scope.destroyed.connect(self._letters.clear)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus)

    def serve(self, widget: QWidget) -> list[QShortcut]:
        """Enables the keys of the Scope screen in this widget as well, except Esc."""
        shortcuts = []
        for key in self.all:
            if key.of_scope and not (key.keys == "Esc" and widget.isWindow()):
                shortcut = QShortcut(QKeySequence(key.keys), widget)
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.activated.connect(key.done)
                shortcuts.append(shortcut)
        return shortcuts

    def _on_focus(self, _: QWidget | None, now: QWidget | None) -> None:
        """Disables keys that are letters while a field of the pattern has the focus."""
        editing = now is not None and self._pattern.isAncestorOf(now)
        for shortcut in self._letters:
            shortcut.setEnabled(not editing)
