"""Suites in a queue: what has been run of them, what is being run, and how long it will take."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope.gui.draft import suites
from irqscope.gui.library import Entry
from irqscope.gui.preferences import Preferences
from irqscope.gui.station import Link, Station
from irqscope.gui.suites import SuiteEnd, SuiteNews
from irqscope.gui.units import duration
from irqscope.gui.widgets import button, label, table, timer
from irqscope.results.folder import new_folder
from irqscope.suite import COUNTS, Loaded, load

COLUMNS = (
    "suite", "run", "state", "stimuli", "p50, ns", "p99.9, ns", "max, ns", "time", "command",
)  # fmt: skip
#: Columns of a run's row in the library, by those of this table.
_RESULTS = {3: 4, 4: 5, 5: 6, 6: 7}
_DEFAULT = "counts for the target"
_LOOK_MS = 500


@dataclass
class _Job:
    """A suite in the queue. ``rows``: of the table, by name of the run."""

    loaded: Loaded
    folder: Path
    rows: dict[str, int]
    complete: bool = False
    efforts: dict[str, float] = field(default_factory=dict)
    done_s: float = 0.0  # of the efforts


class Experiments(QWidget):
    """``open_asked``: a folder of a run that is to be looked at."""

    open_asked = pyqtSignal(Path)

    def __init__(self, station: Station, preferences: Preferences) -> None:
        super().__init__()
        self._station, self._preferences = station, preferences
        self._jobs: list[_Job] = []
        self._job: _Job | None = None
        self._running = ""
        self._began = self._run_began = 0.0
        self._build()
        station.changed.connect(self._on_state)
        station.suite_told.connect(self._on_news)
        station.suite_ended.connect(self._on_ended)
        timer(self, _LOOK_MS, self._show_time)
        self._on_state()

    # ---- what the user does ----------------------------------------------------------------

    def add(self) -> None:
        """Puts the chosen suite at the end of the queue."""
        path = self.suite.currentData()
        if path is None:
            return
        twin = self._station.state.target.partition(":")[0] in ("twin", "")
        chosen = self.counts.currentText()
        counts = ("quick" if twin else "paper") if chosen == _DEFAULT else chosen
        only = tuple(self.only.text().split())
        self._station.begin(lambda: load(path, counts, only), self._on_loaded)

    def run(self) -> None:
        """Runs what is not complete, or stops what is being run."""
        if self._job is not None:
            self._station.stop()
            return
        self._next()

    def clear(self) -> None:
        """Empties the queue; folders stay."""
        if self._job is None:
            self._jobs.clear()
            self.table.setRowCount(0)
            self._on_state()

    def command(self, row: int) -> str:
        """The line that runs what a row shows."""
        for job in self._jobs:
            for name, place in job.rows.items():
                if place == row:
                    # What tells rows apart comes first: the column may be narrow.
                    words = ["irqscope", "suite", "--only", name, "--counts", job.loaded.counts]
                    words += ["--target", self._station.state.target or "twin"]
                    return shlex.join([*words, "--out", str(job.folder), str(job.loaded.path)])
        return ""

    # ---- the queue -------------------------------------------------------------------------

    def _on_loaded(self, loaded: Loaded) -> None:
        taken = {job.folder for job in self._jobs}  # made when their suite begins
        folder = new_folder(loaded.suite.name, self._preferences.runs, taken)
        rows = {}
        for entry in loaded.entries:
            if entry.name in loaded.chosen:
                row = rows[entry.name] = self.table.rowCount()
                self.table.insertRow(row)
                for column in range(len(COLUMNS)):
                    self.table.setItem(row, column, QTableWidgetItem())
                self._write(row, 0, loaded.suite.name)
                self._write(row, 1, entry.name)
                self._write(row, 2, "waiting")
                self._write(row, 3, f"0 of {entry.experiment.count}")
        self._jobs.append(_Job(loaded, folder, rows))
        self._on_state()

    def _next(self) -> None:
        self._job = next((job for job in self._jobs if not job.complete), None)
        if self._job is None:
            return
        self._began = time.monotonic()
        self._job.efforts, self._job.done_s = {}, 0.0
        if not self._station.run_suite(self._job.loaded, self._job.folder):
            self._job = None
        self._on_state()

    def _on_news(self, news: SuiteNews) -> None:
        job = self._job
        if job is None:
            return
        if news.efforts is not None:
            job.efforts = news.efforts
            for name in job.rows.keys() - news.efforts.keys():
                self._write(job.rows[name], 2, "valid, kept")
        if news.begun:
            self._running, self._run_began = news.name, time.monotonic()
            self._write(job.rows[news.name], 2, "running")
        if news.folder is not None:
            entry = Entry(news.folder, news.run, news.error)
            self._show_entry(job.rows[news.name], entry)
        if news.over:
            job.done_s += job.efforts.get(news.name, 0.0)
            self._write(job.rows[news.name], 7, duration(time.monotonic() - self._run_began))
            self._running = ""

    def _on_ended(self, end: SuiteEnd) -> None:
        job, self._job, self._running = self._job, None, ""
        if job is None:
            return
        items = {} if end.result is None else end.result.record["items"]
        for name, row in job.rows.items():
            if name in items:
                item = items[name]
                self._write(row, 2, "valid, kept" if item["kept"] else item["state"])
                self._cell(row, 2).setToolTip("; ".join(item["reasons"]))
                if item["seconds"] is not None:
                    self._write(row, 7, duration(item["seconds"]))
            elif self._cell(row, 2).text() == "running":
                self._write(row, 2, "failed")
        if end.result is not None and end.result.error is None:
            job.complete = True
            self._next()  # the next suite
        self._on_state()

    # ---- showing ---------------------------------------------------------------------------

    def _show_entry(self, row: int, entry: Entry) -> None:
        """A run's results, as the library shows them."""
        cells = entry.cells
        for column, of_library in _RESULTS.items():
            if cells[of_library]:
                self._write(row, column, cells[of_library])
        if self._cell(row, 2).text() == "running":
            self._write(row, 2, cells[8])

    def _on_state(self) -> None:
        state = self._station.state
        busy = self._job is not None
        ready = state.link is Link.READY and any(not job.complete for job in self._jobs)
        self.run_button.setText("Stop" if busy else "Run the queue")
        self.run_button.setEnabled(busy or ready)
        if busy or ready:
            hint = "What is complete is kept; run the queue again to go on" if busy else ""
        else:
            hint = "add a suite first" if state.link is Link.READY else "connect to a target first"
        self.run_button.setToolTip(hint)
        self.clear_button.setEnabled(not busy and bool(self._jobs))
        for row in range(self.table.rowCount()):
            self._write(row, len(COLUMNS) - 1, command := self.command(row))
            self._cell(row, len(COLUMNS) - 1).setToolTip(command)
        self._show_command()
        self._show_time()

    def _show_time(self) -> None:
        job, state = self._job, self._station.state
        self.bar.setVisible(job is not None)
        if job is None:
            waiting = sum(len(one.rows) for one in self._jobs if not one.complete)
            link = state.link in (Link.READY, Link.MEASURING)
            hint = "" if link else "; connect to a target first"
            rest = "complete" if self._jobs else "the queue is empty"
            self.step.setText(f"{waiting} runs waiting{hint}" if waiting else rest)
            return
        whole = sum(job.efforts.values())
        done = job.done_s
        if self._running and state.of:
            self._write(job.rows[self._running], 3, f"{state.done} of {state.of}")
            done += job.efforts.get(self._running, 0.0) * state.done / state.of
        self.bar.setMaximum(1000)
        self.bar.setValue(round(1000 * done / whole) if whole else 0)
        text = f"{job.loaded.suite.name}: {self._running or state.step}"
        if self._running:
            text += f", {state.step}"
        if done:
            left = (time.monotonic() - self._began) * (whole - done) / done
            text += f", about {duration(left)} left"
        self.step.setText(text)

    def _show_command(self) -> None:
        self.line.setText(self.command(self.table.currentRow()))

    def _open(self, row: int, _: int) -> None:
        for job in self._jobs:
            for name, place in job.rows.items():
                if place == row and (job.folder / name).exists():
                    self.open_asked.emit(job.folder / name)

    def _cell(self, row: int, column: int) -> QTableWidgetItem:
        item = self.table.item(row, column)
        assert item is not None  # rows are made with all their cells
        return item

    def _write(self, row: int, column: int, text: str) -> None:
        if self._cell(row, column).text() != text:
            self._cell(row, column).setText(text)

    # ---- widgets ---------------------------------------------------------------------------

    def _build(self) -> None:
        self.suite = QComboBox()
        for path in suites():
            self.suite.addItem(path.parent.name, path)
        self.counts = QComboBox()
        self.counts.addItems((_DEFAULT, *COUNTS))
        self.counts.setToolTip(
            "quick: minutes on a twin; paper: as published; tail: what tails need.\n"
            "For the target: quick on a twin, paper on a board."
        )
        self.only = QLineEdit()
        self.only.setPlaceholderText("all runs; or names, such as t1 t4-*")
        self.only.returnPressed.connect(self.add)
        self.run_button = button("Run the queue", self.run)
        self.run_button.setProperty("role", "primary")
        self.clear_button = button("Clear", self.clear, "Empty the queue; folders stay")
        top = QHBoxLayout()
        top.addWidget(self.suite)
        top.addWidget(button("Other file …", self._ask_file))
        top.addWidget(self.counts)
        top.addWidget(self.only, 1)
        top.addWidget(button("Add to the queue", self.add))
        self.step = QLabel("")
        self.bar = QProgressBar()
        self.bar.setMaximumWidth(260)
        self.bar.setFormat("%p %")
        below = QHBoxLayout()
        below.addWidget(self.run_button)
        below.addWidget(self.clear_button)
        below.addWidget(self.step, 1)
        below.addWidget(self.bar)
        self.table = table(0, COLUMNS)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setToolTip("Double click: look at the run")
        self.table.cellDoubleClicked.connect(self._open)
        self.table.itemSelectionChanged.connect(self._show_command)
        self.line = label("", "faint", wraps=True)
        self.line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(self)
        layout.addWidget(label("Experiments", "title"))
        layout.addLayout(top)
        layout.addLayout(below)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.line)

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open a suite", "", "Suites (*.toml)")
        if name:
            self.suite.addItem(Path(name).parent.name, Path(name))
            self.suite.setCurrentIndex(self.suite.count() - 1)
