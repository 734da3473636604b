"""The statistics table: whole run, visible part, and part between the cursors."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QSignalBlocker, Qt
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QScrollArea,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope.report import kinds, wording
from irqscope.results.record import RunRecord
from irqscope_app.control.feed import Picture
from irqscope_app.scope.cells import ROWS, SOMETIMES, Cells
from irqscope_app.widgets import units
from irqscope_app.widgets.common import label, switch, table

COLUMNS = ("whole run", "visible", "cursors", "reference")

#: Height of a row, pixels, so that all rows are visible without scrolling.
_ROW = 21


def carried(text: str) -> bool:
    """Whether a cell holds a value, not only the note that N is too small."""
    return bool(text) and not text.startswith(("≥", "N too small"))


class Figures(QWidget):
    """``changed``: called when the unit, or raw or corrected values, are selected."""

    def __init__(self, unit: str, changed: Callable[[], None]) -> None:
        super().__init__()
        self.unit_name = unit  #: the preferred unit, which not each run has
        self.unit = QComboBox()
        self.unit.addItems(units.NAMES)
        self.unit.setCurrentText(unit)
        self.unit.setToolTip(
            "Unit of latencies: ns, ticks of the PL clock, cycles of the CPU.\n"
            "A core in RTL simulation has no ns, and another instrument no cycles."
        )
        self.unit.currentTextChanged.connect(self._on_unit)
        self._changed = changed
        self.corrected = switch(
            "software alone",
            changed,
            "The headline is raw: edge to handler's marker. The calibration bounds the way of the\n"
            "marker to the PL, so software alone took between raw - bound and raw.",
        )
        self.channel = QComboBox()
        self.channel.currentTextChanged.connect(lambda _: changed())
        self.channel.hide()
        self._shown: dict[str, Cells] = {}  # by column
        self.table = table(len(ROWS), COLUMNS)
        self.table.setVerticalHeaderLabels(ROWS)
        rows = self.table.verticalHeader()
        assert rows is not None  # a table view always has one
        rows.setDefaultSectionSize(_ROW)
        self.table.setToolTip(
            "Brackets: 95 % interval of the quantile. ≥: N is too small for it, this is its lower\n"
            "end; none: latencies are not independent. no answer: timed out or coalesced. longer:\n"
            "share beyond the maximum, or the timeout where it was met, 95 % each. beyond: beyond\n"
            "the threshold. 1/s: interrupts handled in a second of high phase. deviation:\n"
            "standard deviation of these latencies, no statement about others. rate: stimuli in a\n"
            "second of target time."
        )
        copy = QShortcut(QKeySequence.StandardKey.Copy, self.table, self._copy)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        row = QHBoxLayout()
        row.addWidget(self.corrected)
        row.addStretch()
        self.more = label("", "faint", wraps=True)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        all_of_it = QWidget()
        column = QVBoxLayout(all_of_it)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table)
        column.addWidget(self.more)
        column.addStretch()
        scroll = QScrollArea()
        scroll.setWidget(all_of_it)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll, 1)
        self._size_table()

    @property
    def index(self) -> int | None:
        """Index of the selected channel, or None before the first channel."""
        selected = self.channel.currentData()
        return None if selected is None else int(selected)

    def begin(self) -> None:
        """Empties the table, as another run begins."""
        with QSignalBlocker(self.channel):
            self.channel.clear()
        self.channel.hide()
        self.show_wants(None)
        for column in COLUMNS:
            self.show_column(column, {})

    def show_choices(self, run: RunRecord) -> None:
        """Sets the units and channels of a run; hides the selection of a single channel."""
        names = units.names(run)
        if [self.unit.itemText(place) for place in range(self.unit.count())] != list(names):
            with QSignalBlocker(self.unit):
                self.unit.clear()
                self.unit.addItems(names)
        with QSignalBlocker(self.unit):
            self.unit.setCurrentText(units.Unit.of(self.unit_name, run).name)
        indices = [one.channel for one in run.stats]
        present = [self.channel.itemData(place) for place in range(self.channel.count())]
        if present == indices:
            return
        self.channel.blockSignals(True)
        self.channel.clear()
        for index in indices:
            self.channel.addItem(f"channel {index}", index)
        self.channel.blockSignals(False)
        self.channel.setVisible(len(indices) > 1)

    def _on_unit(self, name: str) -> None:
        self.unit_name = name
        self._changed()

    def show_column(self, column: str, cells: Cells) -> None:
        """Fills a column; rows without a cell are blank.

        Hides unused columns of cursors and reference.
        """
        place = COLUMNS.index(column)
        if column in COLUMNS[2:]:
            self.table.setColumnHidden(place, not cells)
        if cells == self._shown.get(column):
            return
        self._shown[column] = cells
        for row, name in enumerate(ROWS):
            text = cells.get(name, "")
            item = self.table.item(row, place)
            if item is None:
                item = QTableWidgetItem()
                self.table.setItem(row, place, item)
            if item.text() != text:
                item.setText(text)
        for name in SOMETIMES:
            filled = any(carried(shown.get(name, "")) for shown in self._shown.values())
            self.table.setRowHidden(ROWS.index(name), not filled)
        self._size_table()

    def _size_table(self) -> None:
        """Makes the table as high as its rows, so that the widgets below scroll with it."""
        visible = sum(not self.table.isRowHidden(row) for row in range(len(ROWS)))
        head = self.table.horizontalHeader()
        bar = self.table.horizontalScrollBar()
        assert head is not None and bar is not None  # a table view always has them
        self.table.setFixedHeight(
            visible * _ROW + head.sizeHint().height() + bar.sizeHint().height()
        )

    def show_wants(self, picture: Picture | None) -> None:
        """Shows the time until N suffices for further quantiles, and what the others assume."""
        notes: list[str] = []
        for stats in [] if picture is None else picture.run.stats:
            if picture is None or stats.channel != self.index:
                continue
            if grid := wording.grid(picture.run):
                notes.append(f"No quantiles: {grid}.")
            else:
                notes += [quantile.note for quantile in stats.quantiles if quantile.note]
                notes.append(f"Independence: {wording.independence(stats, picture.run.tick_hz)}.")
            if model := kinds.of_run(picture.run).model():
                notes.append(f"Model: {model}.")
        self.more.setText("\n".join(notes))

    def cell(self, column: str, row: str) -> str:
        """The text of a cell, which may be empty."""
        item = self.table.item(ROWS.index(row), COLUMNS.index(column))
        return "" if item is None else item.text()

    def _copy(self) -> None:
        texts: dict[int, list[str]] = {}
        for item in sorted(self.table.selectedItems(), key=lambda i: (i.row(), i.column())):
            texts.setdefault(item.row(), []).append(item.text())
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText("\n".join("\t".join(row) for row in texts.values()))
