"""The editor of an experiment's text."""

from __future__ import annotations

from PyQt6.QtCore import QSignalBlocker, pyqtSignal
from PyQt6.QtGui import QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QPlainTextEdit


class Editor(QPlainTextEdit):
    """Editor of the TOML. Undo applies to the experiment, not only to the text."""

    undo_asked = pyqtSignal()
    redo_asked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)  # TOML does not need a tab

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """The keys for undo and redo are the screen's."""
        if event is not None and event.matches(QKeySequence.StandardKey.Undo):
            self.undo_asked.emit()
        elif event is not None and event.matches(QKeySequence.StandardKey.Redo):
            self.redo_asked.emit()
        else:
            super().keyPressEvent(event)

    def show_text(self, text: str) -> None:
        """Replaces the text, keeps the scroll position, and emits no change."""
        if self.toPlainText() == text:
            return
        place, scroll = self.textCursor().position(), self.verticalScrollBar()
        scrolled = 0 if scroll is None else scroll.value()
        with QSignalBlocker(self):
            self.setPlainText(text)
        cursor = self.textCursor()
        cursor.setPosition(min(place, len(text)))
        self.setTextCursor(cursor)
        if scroll is not None:
            scroll.setValue(scrolled)
