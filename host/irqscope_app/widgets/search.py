"""A list with a search field, from which one row is selected."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import Qt
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

from irqscope_app.widgets.common import label

_SIZE = (860, 520)
#: Keys that move in the list, as the search field does not use them.
_MOVING = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class Search(QDialog):
    """A dialog with the list.

    ``hidden``: values of rows that are always hidden; ``done``: label of the button that selects.
    """

    def __init__(
        self, parent: QWidget, title: str, columns: tuple[str, ...], hint: str, done: str
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.hidden: frozenset[Any] = frozenset()
        self.search = QLineEdit()
        self.search.setPlaceholderText(f"search: {hint}")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(lambda _: self.filter())
        self.list = QTreeWidget()
        self.list.setHeaderLabels(columns)
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        self.list.setUniformRowHeights(True)
        self.list.itemActivated.connect(lambda *_: self.accept())
        self.whole = label("", "faint", wraps=True)  # the end of a long text distinguishes it
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._ready = self.buttons.addButton(done, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.list.currentItemChanged.connect(lambda *_: self._on_current())
        layout = QVBoxLayout(self)
        layout.addWidget(self.search)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.whole)
        layout.addWidget(self.buttons)
        self.resize(*_SIZE)

    @property
    def current(self) -> QTreeWidgetItem | None:
        """The row that Enter selects, or None if no row matches."""
        item = self.list.currentItem()
        return None if item is None or item.isHidden() else item

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """Lets arrows move in the list while the search field has the focus."""
        if event is not None and event.key() in _MOVING:
            self.list.keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    def shown(self) -> list[QTreeWidgetItem]:
        """Rows that match the search."""
        items = (self.list.topLevelItem(n) for n in range(self.list.topLevelItemCount()))
        return [item for item in items if item is not None and not item.isHidden()]

    def add(self, texts: tuple[str, ...], of: Any, tip: str) -> None:
        """Adds a row. ``of``: its value, returned by :meth:`of`."""
        item = QTreeWidgetItem(list(texts))
        item.setData(0, Qt.ItemDataRole.UserRole, of)
        for column in range(len(texts)):
            item.setToolTip(column, tip)
        self.list.addTopLevelItem(item)

    def show_all(self) -> None:
        """Shows the added rows, each column but the last as wide as its texts."""
        for column in range(self.list.columnCount() - 1):
            self.list.resizeColumnToContents(column)
        self.filter()

    def of(self, item: QTreeWidgetItem) -> Any:
        """Value of a row."""
        return item.data(0, Qt.ItemDataRole.UserRole)

    def filter(self) -> None:
        """Shows only the rows that contain all words."""
        words = self.search.text().lower().split()
        columns = range(self.list.columnCount())
        for place in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(place)
            assert item is not None  # the index is in range
            text = " ".join(item.text(column) for column in columns).lower()
            visible = all(word in text for word in words) and self.of(item) not in self.hidden
            item.setHidden(not visible)
        if left := self.shown():
            self.list.setCurrentItem(left[0])
        self._on_current()

    def _on_current(self) -> None:
        item = self.current
        assert self._ready is not None  # it was just added
        self._ready.setEnabled(item is not None and self.of(item) is not None)
        self.whole.setText("" if item is None else item.text(self.list.columnCount() - 1))
