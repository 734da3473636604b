"""The manual's glossary in a separate window."""

from __future__ import annotations

from PyQt6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from irqscope.errors import StorageError
from irqscope.resources import resource

FILE = resource("docs/glossary.md")


class Glossary(QDialog):
    """Shows a page of Markdown without blocking the app. Esc closes it."""

    def __init__(self, parent: QWidget, page: str) -> None:
        super().__init__(parent)
        self.setWindowTitle("Glossary")
        self.browser = QTextBrowser()
        self.browser.setMarkdown(page)
        layout = QVBoxLayout(self)
        layout.addWidget(self.browser)
        self.resize(720, 640)


def read() -> str:
    """The glossary as the manual has it, Markdown. Raises StorageError."""
    try:
        return FILE.read_text(encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"cannot read {FILE}: {error.strerror}; get that page of the manual back"
        ) from error
