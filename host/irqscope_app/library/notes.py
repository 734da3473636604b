"""Dialog for the name and the note of a run."""

from __future__ import annotations

from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from irqscope.results.note import LONGEST, Note


class AskNote(QDialog):
    """Asks for name and note; ``wanted`` holds the values of the fields."""

    def __init__(self, parent: QWidget, run: str, before: Note) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Name and note of {run}")
        self.name = QLineEdit(before.name)
        self.name.setMaxLength(LONGEST)
        self.name.setPlaceholderText("as the experiment")
        self.note = QPlainTextEdit(before.note)
        self.note.setTabChangesFocus(True)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QFormLayout(self)
        layout.addRow("name", self.name)
        layout.addRow("note", self.note)
        layout.addRow(buttons)
        self.resize(460, 240)

    @property
    def wanted(self) -> tuple[str, str]:
        """The name and the note that the user typed."""
        return self.name.text(), self.note.toPlainText()
