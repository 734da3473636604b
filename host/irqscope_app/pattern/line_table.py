"""Table of an experiment's lines, to switch each on and to edit its times."""

from __future__ import annotations

from typing import Any, get_args

from PyQt6.QtCore import QObject, Qt, pyqtSignal
from PyQt6.QtWidgets import QAbstractItemView, QComboBox, QTableWidgetItem

from irqscope.constants import LINES
from irqscope.experiment.tables import Line
from irqscope_app.pattern.draft import Draft
from irqscope_app.pattern.fields import explained
from irqscope_app.widgets.common import table

#: Where a line leads on the chip of a foreign program; these columns are hidden for other software.
_LEADS = ("pin", "irq")
_COLUMNS = ("mode", "high", "low", "start_delay", "phase", "dither_bits", "acknowledge", *_LEADS)
_CHOICES, _NUMBERS = {"mode", "phase"}, {"dither_bits", "irq"}


class LineTable(QObject):
    """``widget``: the table, with a row for each possible line. ``changed``: emitted when the user
    changes the draft.
    """

    changed = pyqtSignal()

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self._draft = draft
        self._filling = False
        self.widget = table(LINES, ("on", *_COLUMNS, "interrupt"))
        self.widget.setEditTriggers(QAbstractItemView.EditTrigger.AllEditTriggers)
        for column, key in enumerate(_COLUMNS, 1):
            if (head := self.widget.horizontalHeaderItem(column)) is not None:
                head.setToolTip(explained(f"lines.0.{key}"))
        self.widget.setVerticalHeaderLabels([f"line {n}" for n in range(LINES)])
        self.widget.cellChanged.connect(self._set_cell)

    def fill(self) -> None:
        """Shows the current draft."""
        self._filling = True
        of_program = self._draft.table.get("machine") == "program"
        for key in _LEADS:
            self.widget.setColumnHidden(_COLUMNS.index(key) + 1, not of_program)
        lines = enumerate(self._draft.lines())
        described = {line.get("index", place): (place, line) for place, line in lines}
        for row in range(LINES):
            self._fill_row(row, *described.get(row, (-1, None)))
        self._filling = False

    def _fill_row(self, row: int, place: int, line: dict[str, Any] | None) -> None:
        """Fills a row. ``place``: position of the line in the file; ``line``: None if it is off."""
        box = QTableWidgetItem()
        box.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
        box.setCheckState(Qt.CheckState.Unchecked if line is None else Qt.CheckState.Checked)
        self.widget.setItem(row, 0, box)
        for column, key in enumerate(_COLUMNS, 1):
            default = Line.model_fields[key].get_default()
            text = "" if line is None else str(line.get(key, default))
            self._fill_cell(row, column, key, "" if text == "None" else text, line is not None)
        reach = "" if line is None else "a copy only"
        if place == 0 or (line or {}).get("interrupt", "none") != "none":
            core = self._draft.table.get("core", 0)
            interrupt = self._draft.table.get("interrupt", "shared")
            reach = f"{interrupt}, core {core}"
        if line is not None and self._draft.table.get("machine") == "program":
            reach = "the program"
        routed = QTableWidgetItem(reach)
        routed.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.widget.setItem(row, len(_COLUMNS) + 1, routed)

    def _fill_cell(self, row: int, column: int, key: str, text: str, present: bool) -> None:
        if key in _CHOICES and present:
            combo = self.widget.cellWidget(row, column)
            if not isinstance(combo, QComboBox):
                combo = QComboBox()
                combo.addItems(get_args(Line.model_fields[key].annotation))
                combo.currentTextChanged.connect(lambda t, r=row, k=key: self._set_choice(r, k, t))
                self.widget.setCellWidget(row, column, combo)
            combo.setCurrentText(text)
            return
        if key in _CHOICES:
            self.widget.removeCellWidget(row, column)
        item = self.widget.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            self.widget.setItem(row, column, item)
        item.setText(text)
        editable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable
        item.setFlags(editable if present else Qt.ItemFlag.NoItemFlags)

    def _set_cell(self, row: int, column: int) -> None:
        item = self.widget.item(row, column)
        if self._filling or item is None:
            return
        if column == 0:
            self._draft.set_line(row, item.checkState() is Qt.CheckState.Checked)
            self.changed.emit()
            return
        key, text = _COLUMNS[column - 1], item.text().strip()
        number = key in _NUMBERS and text.isdecimal()
        self._set(row, key, int(text) if number else text or None)

    def _set_choice(self, row: int, key: str, text: str) -> None:
        if not self._filling:
            self._set(row, key, text)

    def _set(self, row: int, key: str, value: object) -> None:
        indices = [line.get("index", place) for place, line in enumerate(self._draft.lines())]
        self._draft.set(("lines", indices.index(row), key), value)
        self.changed.emit()
