"""Screen of the runs on disk: browse, open, repeat, compare, export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QItemSelectionModel, Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QLineEdit,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope.report.compare import MOST
from irqscope.report.folders import COLUMNS as OF_ENTRY
from irqscope.report.folders import Entry, entries
from irqscope.results.export import ENDINGS, PICTURES, export
from irqscope.results.note import change
from irqscope.results.reader import read
from irqscope.results.record import RunRecord
from irqscope_app.control.changes import told_apart
from irqscope_app.control.station import Station
from irqscope_app.library.notes import AskNote
from irqscope_app.library.pages import Pages, report_page
from irqscope_app.preferences import Preferences
from irqscope_app.widgets.common import SpareLabel, action, action_button, button, label, table

#: Columns: what tells runs of one name apart, and a user's own words, are seen without scrolling.
COLUMNS = ("started", "name", "differs in", "note", *(c for c in OF_ENTRY[2:] if c != "note"))
#: Actions for any number of runs.
_SEVERAL = ("tags", "path")
#: Number of runs that a dialog names individually.
_NAMED = 8
_BUTTONS = ("open", "again", "compare", "notes", "tags", "export", "report")
#: Beginnings of the titles of a report's plots.
_PLOTS = (
    "histogram",
    "time trace",
    "tail",
    "stages",
    "throughput",
    "phase of the sampling grid",
    "phase of the timer tick",
)


class Library(QWidget):
    """The list of run folders.

    Signals: ``open_asked`` and ``reference_asked`` with a folder; ``again_asked`` with a run's
    record; ``compare_asked`` with folders.
    """

    open_asked = pyqtSignal(Path)
    reference_asked = pyqtSignal(Path)
    again_asked = pyqtSignal(RunRecord)
    compare_asked = pyqtSignal(list)

    def __init__(self, station: Station, preferences: Preferences) -> None:
        super().__init__()
        self._station, self._preferences = station, preferences
        self._entries: list[Entry] = []
        self._elsewhere: Path | None = None
        self._build()
        self.refresh()

    def refresh(self) -> None:
        """Reads the folder again, in a thread."""
        folder, runs = self._elsewhere or self._preferences.runs, self._preferences.runs
        self.folder.setText(f"{folder}; new runs go to {runs}" if self._elsewhere else str(folder))
        self.folder.setToolTip(str(folder.resolve()))
        self._station.begin(lambda: _listed(folder), self._on_entries)

    def look_into(self, folder: Path) -> None:
        """Shows the runs of another folder; new runs are still stored in the usual one."""
        self._elsewhere = folder
        self.refresh()

    def selected(self) -> list[Entry]:
        """Selected rows, top to bottom."""
        rows = sorted({index.row() for index in self.table.selectedIndexes()})
        return [entry for row in rows if (entry := self.entry(row)).run is not None]

    def export_to(self, entry: Entry, path: Path) -> None:
        """Writes the samples of a run into a file, in a thread."""
        self._station.say_command("export", entry.path, path)

        def done(rows: int) -> None:
            self._station.told.emit("info", f"{rows} samples in {path}")

        self._station.begin(lambda: export(read(entry.path), path), done)

    def picture_to(self, entry: Entry, path: Path, plot: str) -> None:
        """Writes a plot of a run's report into a file, in a thread."""
        self._station.say_command("export", "--plot", plot, entry.path, path)

        def done(title: str) -> None:
            self._station.told.emit("info", f"{title} in {path}")

        self._station.begin(lambda: _save_picture(entry.path, path, plot), done)

    def report_of(self, entry: Entry) -> None:
        """Shows the report of a run in place of the list."""
        self._station.say_command("report", entry.path)
        self.pages.show_page(report_page(entry.path))

    def tag(self, chosen: list[Entry], words: list[str]) -> None:
        """Adds (``+TAG``) and removes (``-TAG``) tags of runs, in a thread."""
        for entry in chosen:
            self._station.say_command("tag", entry.path, *words)

        def change_all() -> None:
            for entry in chosen:
                change(entry.path, tags=words)

        self._station.begin(change_all, lambda _: self.refresh())

    def note(self, entry: Entry, name: str, text: str) -> None:
        """Gives a run a name and a note, in a thread."""
        self._station.say_command("note", entry.path, text, "--name", name)
        self._station.begin(lambda: change(entry.path, name, text), lambda _: self.refresh())

    def _on_entries(self, found: list[tuple[Entry, str]]) -> None:
        selected_paths = {entry.path for entry in self.selected()}
        self._entries = [entry for entry, _ in found]
        self.table.setSortingEnabled(False)
        self.table.setRowCount(len(found))
        for row, (entry, differs) in enumerate(found):
            cells = entry.cells | {"differs in": differs}
            for column, text in enumerate(cells[name] for name in COLUMNS):
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
        self._choose(selected_paths)

    def _choose(self, folders: set[Path]) -> None:
        """Restores the selection, or selects the first run so that keys work."""
        rows = [n for n in range(self.table.rowCount()) if self.entry(n).path in folders]
        model, flag = self.table.selectionModel(), QItemSelectionModel.SelectionFlag
        table = self.table.model()
        assert model is not None and table is not None  # a table widget always has them
        model.clear()
        for row in rows or range(min(1, self.table.rowCount())):
            model.setCurrentIndex(table.index(row, 0), flag.Select | flag.Rows)

    def entry(self, row: int) -> Entry:
        """The run in a row of the table, or None if the row does not exist."""
        item = self.table.item(row, 0)
        assert item is not None  # every cell was filled
        return self._entries[int(item.data(Qt.ItemDataRole.UserRole))]

    def _filter(self) -> None:
        words = self.search.text().lower().split()
        for row in range(self.table.rowCount()):
            text = " ".join(self.entry(row).cells.values()).lower()
            self.table.setRowHidden(row, not all(word in text for word in words))

    def _on_selection(self) -> None:
        selection = self.selected()
        for name, one in self.actions_of_run.items():
            one.setEnabled(len(selection) == 1 if name not in _SEVERAL else bool(selection))
        self.actions_of_run["compare"].setEnabled(2 <= len(selection) <= MOST)

    def ask_export(self) -> None:
        """Asks for a file and writes the selected run into it."""
        if len(selection := self.selected()) != 1:
            return
        (entry,) = selection
        name, _ = QFileDialog.getSaveFileName(
            self,
            f"Export {entry.path.name}",
            f"{entry.path.name}{ENDINGS[0]}",
            ";;".join(f"{ending[1:].upper()} (*{ending})" for ending in (*ENDINGS, *PICTURES)),
        )
        if not name:
            return
        if Path(name).suffix not in PICTURES:
            self.export_to(entry, Path(name))
            return
        title = f"Export {entry.path.name}"
        plot, accepted = QInputDialog.getItem(self, title, "Plot:", _PLOTS, editable=False)
        if accepted:
            self.picture_to(entry, Path(name), plot)

    def _ask_note(self) -> None:
        (entry,) = self.selected()
        dialog = AskNote(self, entry.path.name, entry.note)
        if dialog.exec():
            self.note(entry, *dialog.wanted)

    def _ask_tags(self) -> None:
        selection = self.selected()
        names = [entry.path.name for entry in selection]
        more = f"\nand {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        whose = f"Tags of {names[0]}" if len(names) == 1 else f"Tags of {len(names)} runs"
        listed = "\n".join(names[:_NAMED])
        text, accepted = QInputDialog.getText(
            self, whose, f"{listed}{more}\n\n+tag adds one, -tag takes it away:"
        )
        if accepted and text.split():
            self.tag(selection, text.split())

    def _look_again(self) -> None:
        self._station.say_command("list", self._elsewhere or self._preferences.runs)
        self.refresh()

    def _ask_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self, "Folder of runs", str(self._preferences.runs))
        if name:
            self._preferences.runs, self._elsewhere = Path(name), None
            self.refresh()

    def _build(self) -> None:
        self.search = QLineEdit()
        self.search.setPlaceholderText("search: words of name, case, source, verdict, tags, note")
        self.search.textChanged.connect(lambda _: self._filter())
        self.table = table(0, COLUMNS)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        rows = self.table.verticalHeader()
        assert rows is not None  # a table view always has one
        rows.hide()
        self.table.itemSelectionChanged.connect(self._on_selection)
        self.table.doubleClicked.connect(lambda _: self._open())
        self._build_actions()
        self.folder = SpareLabel("faint")
        self.empty = label("No run here yet. Press Run, or choose another folder.", "faint")
        top = QHBoxLayout()
        top.addWidget(label("Library", "title"))
        top.addWidget(self.folder, 1)
        top.addWidget(button("Folder …", self._ask_folder))
        top.addWidget(button("Refresh", self._look_again))
        below = QHBoxLayout()
        for name in _BUTTONS:
            below.addWidget(self.buttons[name])
        below.addStretch()
        listing = QWidget()
        layout = QVBoxLayout(listing)
        layout.addLayout(top)
        layout.addWidget(self.search)
        layout.addWidget(self.empty)
        layout.addWidget(self.table, 1)
        layout.addLayout(below)
        self.pages = Pages(self._station, listing, self.table, "Back to the library")
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pages)
        self._on_selection()

    def _build_actions(self) -> None:
        """Actions of the selected runs: by their menu, by keys, and by buttons below."""
        select = f"Select 2 to {MOST} runs (Ctrl and click)"
        settings = "Takes the settings of this run to the Scope screen"
        actions: dict[str, tuple[str, str, Callable[[], object], str]] = {
            "open": ("Open", "Return", self._open, "or a double click"),
            "again": ("Run again …", "", self._again, settings),
            "compare": ("Compare", "", self._compare, select),
            "reference": (
                "Take as reference",
                "",
                lambda: self.reference_asked.emit(self.selected()[0].path),
                "Overlays it on the run of the Scope screen",
            ),
            "notes": ("Name and note …", "F2", self._ask_note, "Your own words for this run"),
            "tags": ("Tags …", "", self._ask_tags, "Words of your own, for the search"),
            "export": ("Export …", "", self.ask_export, "Ctrl+E: samples or a plot"),
            "report": (
                "Report",
                "",
                lambda: self.report_of(self.selected()[0]),
                "Its page, with all plots",
            ),
            "path": ("Copy the path", "Ctrl+C", self._copy_path, "The path of the run folder"),
        }
        self.actions_of_run = {name: action(self.table, *one) for name, one in actions.items()}
        self.buttons = {name: action_button(self.actions_of_run[name]) for name in _BUTTONS}

    def _copy_path(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText("\n".join(str(entry.path.resolve()) for entry in self.selected()))

    def _open(self) -> None:
        if selection := self.selected():
            self.open_asked.emit(selection[0].path)

    def _again(self) -> None:
        (entry,) = self.selected()
        self._station.say_command("run", entry.path)
        self.again_asked.emit(entry.run)

    def _compare(self) -> None:
        self.compare_asked.emit([entry.path for entry in self.selected()])


def _listed(folder: Path) -> list[tuple[Entry, str]]:
    """All runs below a folder, each with what tells it apart from others of its name."""
    listed = entries(folder)
    groups: dict[str, list[Entry]] = {}
    for entry in listed:
        if entry.run is not None:
            groups.setdefault(entry.run.experiment.name, []).append(entry)
    differs: dict[Path, str] = {}
    for group in groups.values():
        names = told_apart([entry.run.experiment for entry in group if entry.run is not None])
        differs |= {entry.path: text for entry, text in zip(group, names, strict=True)}
    return [(entry, differs.get(entry.path, "")) for entry in listed]


def _save_picture(folder: Path, path: Path, plot: str) -> str:
    from irqscope.report.picture import save_picture  # imported late: its plots load slowly

    return save_picture(read(folder), path, plot)
