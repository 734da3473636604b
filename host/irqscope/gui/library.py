"""Runs on disk: looked through, opened, run again, compared, exported."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope import summary
from irqscope.errors import StorageError
from irqscope.gui.preferences import Preferences
from irqscope.gui.station import Station
from irqscope.gui.widgets import button, label, table
from irqscope.results.export import export
from irqscope.results.reader import read
from irqscope.units import ticks_to_ns

COLUMNS = ("started", "name", "case", "source", "N", "p50, ns", "p99.9, ns", "max, ns", "verdict")
#: Runs that can be compared at once.
MOST = 8


@dataclass(frozen=True)
class Entry:
    """A run folder in one row; ``error``: why it cannot be opened."""

    path: Path
    run: dict[str, Any] | None
    error: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """Texts of the columns."""
        run = self.run
        if run is None:
            return ("", self.path.name, "", "", "", "", "", "", self.error)
        stats = run["stats"][0] if run["stats"] else None
        verdict = "valid" if run["valid"] else summary.verdict(run)
        return (
            run["started"].replace("T", " ").rstrip("Z"),
            run["experiment"]["name"],
            run["experiment"]["case"],
            summary.label(run),
            str(stats["n"]) if stats else "0",
            self._quantile(stats, 0.5),
            self._quantile(stats, 0.999),
            "" if stats is None else self._ns(stats["max_ticks"]),
            verdict,
        )

    def _quantile(self, stats: dict[str, Any] | None, p: float) -> str:
        for quantile in [] if stats is None else stats["quantiles"]:
            if quantile["p"] == p:
                return "N too small" if quantile["note"] else self._ns(quantile["value_ticks"])
        return ""

    def _ns(self, ticks: int | None) -> str:
        if ticks is None or self.run is None:
            return ""
        return str(ticks_to_ns(ticks, self.run["identity"]["tick_hz"]))


def entries(folder: Path) -> list[Entry]:
    """All run folders below ``folder``, the latest first."""
    found = []
    for path in folder.rglob("run.json"):
        try:
            found.append(Entry(path.parent, read(path.parent).run))
        except StorageError as error:
            found.append(Entry(path.parent, None, str(error)))
    return sorted(found, key=lambda e: "" if e.run is None else e.run["started"], reverse=True)


class Library(QWidget):
    """``open_asked``: a folder; ``again_asked``: an experiment; ``compare_asked``: folders."""

    open_asked = pyqtSignal(Path)
    again_asked = pyqtSignal(dict)
    compare_asked = pyqtSignal(list)

    def __init__(self, station: Station, preferences: Preferences) -> None:
        super().__init__()
        self._station, self._preferences = station, preferences
        self._entries: list[Entry] = []
        self._build()
        self.refresh()

    def refresh(self) -> None:
        """Looks at the folder again, in a thread."""
        folder = self._preferences.runs
        self.folder.setText(str(folder))
        self.folder.setToolTip(str(folder.resolve()))
        self._station.begin(lambda: entries(folder), self._on_entries)

    def selected(self) -> list[Entry]:
        """Rows that are selected, top to bottom."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        return [entry for row in rows if (entry := self._entry(row)).run is not None]

    def export_to(self, entry: Entry, path: Path) -> None:
        """Writes the samples of a run into a file, in a thread."""
        command = f"irqscope export {shlex.quote(str(entry.path))} {shlex.quote(str(path))}"
        self._station.told.emit("command", command)

        def done(rows: int) -> None:
            self._station.told.emit("info", f"{rows} samples in {path}")

        self._station.begin(lambda: export(read(entry.path), path), done)

    def report_of(self, entry: Entry) -> None:
        """Writes the report of a run in a thread, then opens it."""
        self._station.told.emit("command", f"irqscope report {shlex.quote(str(entry.path))}")

        def done(path: Path) -> None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.resolve())))

        self._station.begin(lambda: _report(entry.path), done)

    def _on_entries(self, found: list[Entry]) -> None:
        self._entries = found
        self.table.setSortingEnabled(False)
        self.table.setRowCount(len(found))
        for row, entry in enumerate(found):
            for column, text in enumerate(entry.cells):
                item = QTableWidgetItem()
                if text.isdecimal():
                    item.setData(Qt.ItemDataRole.DisplayRole, int(text))
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                else:
                    item.setText(text)
                item.setToolTip(f"{entry.path}\n{text}")
                item.setData(Qt.ItemDataRole.UserRole, row)
                self.table.setItem(row, column, item)
        self.table.setSortingEnabled(True)
        self.empty.setVisible(not found)
        self._filter()

    def _entry(self, row: int) -> Entry:
        item = self.table.item(row, 0)
        assert item is not None  # every cell was filled
        return self._entries[int(item.data(Qt.ItemDataRole.UserRole))]

    def _filter(self) -> None:
        words = self.search.text().lower().split()
        for row in range(self.table.rowCount()):
            text = " ".join(self._entry(row).cells).lower()
            self.table.setRowHidden(row, not all(word in text for word in words))

    def _on_selection(self) -> None:
        chosen = self.selected()
        for single in (self.open, self.again, self.export, self.report):
            single.setEnabled(len(chosen) == 1)
        self.compare.setEnabled(2 <= len(chosen) <= MOST)

    def _ask_export(self) -> None:
        (entry,) = self.selected()
        name, _ = QFileDialog.getSaveFileName(
            self, "Export samples", f"{entry.path.name}.csv", "CSV (*.csv);;Parquet (*.parquet)"
        )
        if name:
            self.export_to(entry, Path(name))

    def _ask_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of runs", str(self._preferences.runs))
        if name:
            self._preferences.runs = Path(name)
            self.refresh()

    def _build(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("search: words of name, case, source, verdict")
        self.search.textChanged.connect(lambda _: self._filter())
        self.table = table(0, COLUMNS)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        rows = self.table.verticalHeader()
        assert rows is not None  # a table view always has one
        rows.hide()
        self.table.itemSelectionChanged.connect(self._on_selection)
        self.table.doubleClicked.connect(lambda _: self._open())
        self.open = button("Open", self._open)
        self.again = button(
            "Run again …", self._again, "Takes the settings of this run to the Stimulus screen"
        )
        self.compare = button("Compare", self._compare, f"Select 2 to {MOST} runs (Ctrl and click)")
        self.export = button("Export …", self._ask_export)
        self.report = button("Report", lambda: self.report_of(self.selected()[0]))
        self.folder = label("", "faint")
        self.empty = label("No run here yet. Press Run, or choose another folder.", "faint")
        top = QHBoxLayout()
        top.addWidget(label("Library", "title"))
        top.addWidget(self.folder, 1)
        top.addWidget(button("Folder …", self._ask_folder))
        top.addWidget(button("Refresh", self.refresh))
        below = QHBoxLayout()
        for widget in (self.open, self.again, self.compare, self.export, self.report):
            below.addWidget(widget)
        below.addStretch()
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self.search)
        layout.addWidget(self.empty)
        layout.addWidget(self.table, 1)
        layout.addLayout(below)
        self._on_selection()

    def _open(self) -> None:
        if chosen := self.selected():
            self.open_asked.emit(chosen[0].path)

    def _again(self) -> None:
        run = self.selected()[0].run
        if run is not None:
            self.again_asked.emit(run["experiment"])

    def _compare(self) -> None:
        self.compare_asked.emit([entry.path for entry in self.selected()])


def _report(folder: Path) -> Path:
    from irqscope.report import write_report  # here: its plotting library takes a second to load

    return write_report(folder)
