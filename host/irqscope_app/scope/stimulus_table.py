"""Samples as a sortable table that creates only its visible cells."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QAbstractTableModel, QItemSelectionModel, QModelIndex, Qt, pyqtSignal
from PyQt6.QtWidgets import QAbstractItemView, QTableView

from irqscope.results.record import RunRecord
from irqscope.results.samples import flags
from irqscope_app.widgets.units import Unit

#: Columns, from the rows or derived, with their titles.
KEYS = (
    "index",
    "time_ticks",
    "latency_ticks",
    "channel",
    "core",
    "timer_tick_phase_ticks",
    "flags",
)
_TITLES = (
    "index",
    "time, s",
    "latency, {unit}",
    "channel",
    "core",
    "timer tick phase, µs",
    "flags",
)
#: Widths of the columns but the last, pixels.
_WIDTHS = (60, 82, 92, 64, 44, 104)
#: Columns that are hidden if all rows have the same value.
_MAY_HIDE = ("channel", "core", "timer_tick_phase_ticks")


#: Channel and time of the edge, ticks: known and unique for each sample.
Key = tuple[int, int]


def key_of(row: dict[str, Any]) -> Key:
    """Unique key of a stimulus within its run."""
    return row["channel"], row["time_ticks"]


class StimulusTable(QAbstractTableModel):
    """Model of the table. ``rows``: the given rows in the order shown; columns as INDEXED."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[str, Any]] = []
        self.origin = 0.0  #: begin of the run on the axis of the trace, s
        self._unit = Unit("ns", 1, 1.0)
        self._order: tuple[int, Qt.SortOrder] | None = None

    def show_rows(self, run: RunRecord | None, rows: list[dict[str, Any]]) -> None:
        """Sets the rows of a run, if any, and keeps the sort column."""
        self.beginResetModel()
        self.rows = [row | {"flags": ", ".join(flags(run, row))} for row in rows if run]
        self._sort()
        self.endResetModel()

    def show_unit(self, unit: Unit) -> None:
        """Shows latencies in this unit."""
        if unit != self._unit:
            self._unit = unit
            self.layoutChanged.emit()
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(KEYS) - 1)

    def place(self, stimulus: Key) -> int | None:
        """Row of a stimulus."""
        return next((n for n, row in enumerate(self.rows) if key_of(row) == stimulus), None)

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Number of samples in the table."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Number of columns, which never changes."""
        return len(KEYS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> Any:
        """Titles, aligned as their cells; the title of latencies includes the unit."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        if role != Qt.ItemDataRole.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        return _TITLES[section].format(unit=self._unit.name)

    def data(self, index: QModelIndex, role: int = 0) -> Any:
        """Returns the text of a cell and its tool tip; numbers are right-aligned."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        key = KEYS[index.column()]
        value = self.rows[index.row()][key]
        if value is None:
            return "-"
        if key == "latency_ticks":
            return self._unit.text(value)
        if key == "time_ticks":
            return f"{self.origin + value / self._unit.tick_hz:.6f}"
        if key == "timer_tick_phase_ticks":
            return f"{value / self._unit.tick_hz * 1e6:.1f}"
        return str(value)

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag
        across = side.AlignLeft if KEYS[column] == "flags" else side.AlignRight
        return across | side.AlignVCenter

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by a column, or restores the given order if it is negative.

        Unknown values come last.
        """
        self.layoutAboutToBeChanged.emit()
        self._order = (column, order) if column >= 0 else None
        self._sort()
        self.layoutChanged.emit()

    def _sort(self) -> None:
        if self._order is None:
            return
        column, order = self._order
        key = KEYS[column]
        filled = [row for row in self.rows if row[key] is not None]
        filled.sort(key=lambda row: row[key], reverse=order is Qt.SortOrder.DescendingOrder)
        self.rows = filled + [row for row in self.rows if row[key] is None]


class StimulusView(QTableView):
    """The table widget. ``picked``: emitted with the Key of the selected stimulus."""

    picked = pyqtSignal(object)

    def __init__(self, samples: StimulusTable) -> None:
        super().__init__()
        self._samples = samples
        self._selecting = False
        self.setModel(samples)
        self.setSortingEnabled(True)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        across, down = self.horizontalHeader(), self.verticalHeader()
        selection = self.selectionModel()
        # A table view always has headers, and with a model a selection model.
        assert across is not None and down is not None and selection is not None
        across.setStretchLastSection(True)
        across.setHighlightSections(False)
        across.setSortIndicator(-1, Qt.SortOrder.DescendingOrder)
        down.hide()
        down.setDefaultSectionSize(23)
        for place, width in enumerate(_WIDTHS):
            across.resizeSection(place, width)
        self._chosen = selection
        selection.selectionChanged.connect(lambda *_: self._on_row())

    def hide_alike(self, *, several: bool) -> None:
        """Hides columns with the same value in each row, but not the channel of several."""
        for key in _MAY_HIDE:
            uniform = len({row[key] for row in self._samples.rows}) < 2
            uniform &= not (several and key == "channel")
            self.setColumnHidden(KEYS.index(key), uniform)

    def select(self, stimulus: Key | None) -> None:
        """Selects the row of a stimulus, if the table has it."""
        place = None if stimulus is None else self._samples.place(stimulus)
        self._selecting = True
        if place is None:
            self._chosen.clear()
        else:
            flag = QItemSelectionModel.SelectionFlag
            where = self._samples.index(place, 0)
            self._chosen.setCurrentIndex(where, flag.ClearAndSelect | flag.Rows)
            self.scrollTo(where)
        self._selecting = False

    def _on_row(self) -> None:
        if not self._selecting and self._chosen.hasSelection():
            self.picked.emit(key_of(self._samples.rows[self._chosen.currentIndex().row()]))
