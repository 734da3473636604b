"""The experiments that come with irqscope: searched by words, each with what it is for."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope.errors import ExperimentError
from irqscope.experiment.tomlfile import read
from irqscope.gui.pattern.shipped import presets
from irqscope.gui.widgets.common import label

_COLUMNS = ("experiment", "case", "what it is")
_SIZE = (860, 520)
#: Keys that move in the list; the search has no use for them.
_MOVING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Presets(QDialog):
    """``chosen``: a file was; :meth:`open` shows it."""

    chosen = pyqtSignal(Path)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Presets")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.search = QLineEdit()
        self.search.setPlaceholderText("search: words of folder, name, case and description")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda _: self._filter())
        self.list = QTreeWidget()
        self.list.setHeaderLabels(_COLUMNS)
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setUniformRowHeights(True)
        self.list.itemActivated.connect(lambda *_: self.accept())
        self.whole = label("", "faint", wraps=True)  # the end of a long one tells it from others
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Open | QDialogButtonBox.StandardButton.Cancel
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.list.currentItemChanged.connect(lambda *_: self._on_current())
        layout = QVBoxLayout(self)
        layout.addWidget(self.search)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.whole)
        layout.addWidget(self.buttons)
        self.resize(*_SIZE)
        for path in presets():
            self._add(path)
        for column in range(len(_COLUMNS) - 1):
            self.list.resizeColumnToContents(column)
        self._filter()

    def accept(self) -> None:
        """Chooses the current experiment and closes the dialog."""
        item = self.list.currentItem()
        if item is not None and not item.isHidden():
            self.chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))
            super().accept()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Arrows move in the list while one types."""
        if event is not None and event.key() in _MOVING:
            self.list.keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    def shown(self) -> list[QTreeWidgetItem]:
        """Rows of the experiments that the search leaves."""
        items = (self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount()))
        return [item for item in items if item is not None and not item.isHidden()]

    def _add(self, path: Path) -> None:
        try:
            _, table = read(path)
        except ExperimentError as error:
            table = {"description": str(error)}  # opened, it says the same
        texts = (f"{path.parent.name}: {path.stem}", table.get("case"), table.get("description"))
        item = QTreeWidgetItem([str(text or "") for text in texts])
        item.setData(0, Qt.ItemDataRole.UserRole, path)
        for column in range(len(_COLUMNS)):
            item.setToolTip(column, f"{path}\n{texts[-1] or ''}".strip())
        self.list.addTopLevelItem(item)

    def _filter(self) -> None:
        words = self.search.text().lower().split()
        for place in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(place)
            assert item is not None  # it is one of those that are there
            text = " ".join(item.text(column) for column in range(len(_COLUMNS))).lower()
            item.setHidden(not all(word in text for word in words))
        if left := self.shown():
            self.list.setCurrentItem(left[0])
        self._on_current()

    def _on_current(self) -> None:
        ready = self.buttons.button(QDialogButtonBox.StandardButton.Open)
        item = self.list.currentItem()
        if ready is not None:
            ready.setEnabled(item is not None and not item.isHidden())
        self.whole.setText("" if item is None or item.isHidden() else item.text(2))
