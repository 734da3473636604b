"""The masked map of a run of a foreign program: when line 0 could not interrupt it."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QTableWidgetItem, QVBoxLayout, QWidget

from irqscope.results.masked import MaskedInterval
from irqscope_app.widgets.common import SpareLabel, switch, table
from irqscope_app.widgets.units import Unit

COLUMNS = ("least", "greatest", "times", "first", "called from", "last")
_NUMBERS = 3  # columns of these


class MaskedMap(QWidget):
    """The table of ``irqscope masked``; ``button``: shows the map, visible if the run has one.

    ``toggled``: called when the user shows or hides the map.
    """

    def __init__(self, toggled: Callable[[], None]) -> None:
        super().__init__()
        self._toggled = toggled
        self._shown: tuple[tuple[MaskedInterval, ...], Unit] | None = None
        self.button = switch("Masked", toggled, "When line 0 could not interrupt the program")
        self.button.hide()
        self.said = SpareLabel("faint")
        self.table = table(0, COLUMNS)
        self.table.setAccessibleName("Masked map")
        rows = self.table.verticalHeader()
        assert rows is not None  # a table view always has one
        rows.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.said)
        layout.addWidget(self.table, 1)

    @property
    def wanted(self) -> bool:
        """Whether a map exists and the user has chosen to see it."""
        return self._shown is not None and self.button.isChecked()

    def fill(self, found: tuple[MaskedInterval, ...] | None, unit: Unit | None) -> None:
        """Shows a run's map, the longest interval first, or no map for None."""
        content = None if found is None or unit is None else (found, unit)
        if content == self._shown:
            return
        self._shown = content
        self.table.setRowCount(0)
        if content is not None:
            self._fill(*content)
        self.button.setVisible(content is not None)
        self._toggled()

    def _fill(self, found: tuple[MaskedInterval, ...], unit: Unit) -> None:
        if found:
            title = "Intervals in which line 0 could not interrupt the program"
            self.said.setText(
                f"{title}; lengths are those in which the core was awake, {unit.name}"
            )
        else:
            self.said.setText("Line 0 was never masked for a whole interval")
        self.table.setRowCount(len(found))
        for row, one in enumerate(found):
            lengths = (unit.text(one.least_ticks), unit.text(one.greatest_ticks))
            texts = (*lengths, str(one.count), one.opened, one.caller, one.closed)
            for column, text in enumerate(texts):
                item = QTableWidgetItem(text)
                if column < _NUMBERS:
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.table.setItem(row, column, item)
