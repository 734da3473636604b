"""A queue of suites and experiments: what has been run, what is run, how long it will take."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QApplication,
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

from irqscope.errors import IrqscopeError
from irqscope.experiment import Experiment
from irqscope.experiment.save import save
from irqscope.gui.draft import suites
from irqscope.gui.jobs import Job, RunJob, SuiteJob
from irqscope.gui.paths import short
from irqscope.gui.preferences import Preferences
from irqscope.gui.station import Link, Station
from irqscope.gui.suites import SuiteEnd, SuiteNews
from irqscope.gui.units import duration
from irqscope.gui.widgets import button, label, table, timer
from irqscope.measure import Result
from irqscope.results.folder import new_folder
from irqscope.results.library import Entry
from irqscope.suite import COUNTS, Loaded, load

COLUMNS = (
    "suite", "run", "state", "stimuli", "p50, ns", "p99.9, ns", "max, ns", "time", "command",
)  # fmt: skip
_STATE, _STIMULI, _TIME = map(COLUMNS.index, ("state", "stimuli", "time"))
#: Columns of a run's row in the library, by those of this table.
_RESULTS = {_STIMULI: "N"} | {
    COLUMNS.index(name): name for name in ("p50, ns", "p99.9, ns", "max, ns")
}
_DEFAULT = "counts for the target"
_LOOK_MS = 500


class Experiments(QWidget):
    """``open_asked``: a folder of a run that is to be looked at."""

    open_asked = pyqtSignal(Path)

    def __init__(self, station: Station, preferences: Preferences) -> None:
        super().__init__()
        self._station, self._preferences = station, preferences
        self._jobs: list[Job] = []
        self._job: Job | None = None
        self._running = ""
        self._began = self._run_began = 0.0
        self._build()
        station.changed.connect(self._on_state)
        station.suite_told.connect(self._on_news)
        station.suite_ended.connect(self._on_ended)
        station.ended.connect(self._on_run)
        station.run_failed.connect(self._on_failed)
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

    @property
    def busy(self) -> bool:
        """A job is under way."""
        return self._job is not None

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

    def queue(self, experiment: Experiment, source: Path | None) -> None:
        """Puts one experiment at the end; one that no file holds is saved beside its folder."""
        folder = self._new_folder(experiment.name)
        if source is None:
            source = folder.with_name(f"{folder.name}.toml")
            save(experiment, source)
        self._add(RunJob(experiment, source, folder))

    def command(self, row: int) -> str:
        """The line that runs what a row shows."""
        found = self._at(row)
        if found is None:
            return ""
        job, name = found
        return shlex.join(["irqscope", *map(short, job.command(name, self._station.target))])

    # ---- the queue -------------------------------------------------------------------------

    def _on_loaded(self, loaded: Loaded) -> None:
        self._add(SuiteJob(loaded, self._new_folder(loaded.suite.name)))

    def _new_folder(self, name: str) -> Path:
        """One that no job has either: folders are made when their job begins."""
        taken = {job.out for job in self._jobs}
        return new_folder(name, self._preferences.runs, taken)

    def _add(self, job: Job) -> None:
        for name, experiment in job.runs.items():
            row = job.progress.rows[name] = self.table.rowCount()
            self.table.insertRow(row)
            for column in range(len(COLUMNS)):
                item = QTableWidgetItem()
                if column in _RESULTS:
                    item.setTextAlignment(
                        Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    )
                self.table.setItem(row, column, item)
            texts = (job.name, name, "waiting", f"0 of {experiment.count}")
            for column, text in enumerate(texts):
                self._write(row, column, text)
        self._jobs.append(job)
        self._on_state()

    def _next(self) -> None:
        self._job = next((job for job in self._jobs if not job.progress.complete), None)
        if self._job is None:
            return
        self._began = time.monotonic()
        try:
            begun = self._job.start(self._station)
        except IrqscopeError as error:
            self._station.report_fault(error)
            begun = False
        if not begun:
            self._job = None
        elif isinstance(self._job, RunJob):
            self._begin(next(iter(self._job.progress.efforts)))
        self._on_state()

    def _begin(self, name: str) -> None:
        """A run of the job under way begins."""
        assert self._job is not None  # it is one of its
        self._running, self._run_began = name, time.monotonic()
        self._write(self._job.progress.rows[name], _STATE, "running")

    def _over(self, name: str) -> None:
        assert self._job is not None  # as above
        progress = self._job.progress
        progress.done_s += progress.efforts.get(name, 0.0)
        lasted = duration(time.monotonic() - self._run_began)
        self._write(progress.rows[name], _TIME, lasted)
        self._running = ""

    def _on_news(self, news: SuiteNews) -> None:
        if self._job is None:
            return
        progress = self._job.progress
        if news.efforts is not None:
            progress.efforts = news.efforts
            for name in progress.rows.keys() - news.efforts.keys():
                self._write(progress.rows[name], _STATE, "valid, kept")
        if news.begun:
            self._begin(news.name)
        if news.entry is not None:
            self._show_entry(progress.rows[news.name], news.entry)
        if news.over:
            self._over(news.name)

    def _on_run(self, result: Result) -> None:
        """Of one experiment, a repeat is over."""
        job = self._job
        if not isinstance(job, RunJob):
            return
        name = self._running
        row = job.progress.rows[name]
        self._show_entry(row, Entry(result.folder, result.run))
        self._write(row, _STATE, result.state)
        self._cell(row, _STATE).setToolTip("; ".join(result.run.reasons))
        self._over(name)
        if result.error is None:
            job.progress.done.add(name)
        waiting = [one for one in job.progress.rows if one not in job.progress.done]
        if self._station.state.link is Link.MEASURING:
            self._begin(waiting[0])
            self._on_state()
        else:
            self._end(complete=not waiting)

    def _on_ended(self, end: SuiteEnd) -> None:
        if not isinstance(self._job, SuiteJob):
            return
        items = {} if end.result is None else end.result.record.items
        for name, row in self._job.progress.rows.items():
            if name in items:
                item = items[name]
                self._write(row, _STATE, "valid, kept" if item.kept else item.state)
                self._cell(row, _STATE).setToolTip("; ".join(item.reasons))
                if item.seconds is not None:
                    self._write(row, _TIME, duration(item.seconds))
        self._end(complete=end.result is not None and end.result.error is None)

    def _on_failed(self, error: IrqscopeError) -> None:
        """An experiment has no run folder: the station has said why."""
        if isinstance(self._job, RunJob):
            self._end(complete=False)

    def _end(self, *, complete: bool) -> None:
        """The job under way is over; the next one is begun if nothing stopped this one."""
        job, self._job, self._running = self._job, None, ""
        assert job is not None  # there is one under way
        for row in job.progress.rows.values():
            if self._cell(row, _STATE).text() == "running":
                self._write(row, _STATE, "failed")
        job.progress.complete = complete
        if complete:
            self._next()
        self._on_state()

    # ---- showing ---------------------------------------------------------------------------

    def _show_entry(self, row: int, entry: Entry) -> None:
        """A run's results, as the library shows them."""
        for column, of_library in _RESULTS.items():
            if text := entry.cells[of_library]:
                self._write(row, column, text)
        if self._cell(row, _STATE).text() == "running":
            self._write(row, _STATE, entry.cells["verdict"])

    def _on_state(self) -> None:
        state = self._station.state
        busy = self._job is not None
        ready = state.link is Link.READY and any(not job.progress.complete for job in self._jobs)
        self.run_button.setText("Stop" if busy else "Run the queue")
        self.run_button.setEnabled(busy or ready)
        if busy or ready:
            hint = "What is complete is kept; run the queue again to go on" if busy else ""
        else:
            hint = (
                "add something first" if state.link is Link.READY else "connect to a target first"
            )
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
            waiting = sum(
                len(one.progress.rows.keys() - one.progress.done)
                for one in self._jobs
                if not one.progress.complete
            )
            link = state.link in (Link.READY, Link.MEASURING)
            hint = "" if link else "; connect to a target first"
            rest = "complete" if self._jobs else "the queue is empty"
            self.step.setText(f"{waiting} runs waiting{hint}" if waiting else rest)
            return
        progress = job.progress
        whole = sum(progress.efforts.values())
        done = progress.done_s
        if self._running and state.of:
            self._write(progress.rows[self._running], _STIMULI, f"{state.done} of {state.of}")
            done += progress.efforts.get(self._running, 0.0) * state.done / state.of
        self.bar.setMaximum(1000)
        self.bar.setValue(round(1000 * done / whole) if whole else 0)
        names = (job.name if isinstance(job, SuiteJob) else "", self._running, state.step)
        text = ", ".join(name for name in names if name)
        if done:
            left = (time.monotonic() - self._began) * (whole - done) / done
            text += f", about {duration(left)} left"
        self.step.setText(text)

    def _show_command(self) -> None:
        line = self.command(self.table.currentRow())
        self.line.setText(line)
        self.copy.setEnabled(bool(line))

    def _copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None and self.line.text():
            clipboard.setText(self.line.text())

    def _at(self, row: int) -> tuple[Job, str] | None:
        """What a row shows."""
        for job in self._jobs:
            for name, place in job.progress.rows.items():
                if place == row:
                    return job, name
        return None

    def _open(self, row: int, _: int) -> None:
        found = self._at(row)
        if found is not None and (folder := found[0].folder(found[1])).exists():
            self.open_asked.emit(folder)

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
        self.copy = button("Copy", self._copy, "Ctrl+C: the command line of this run")
        copy = QShortcut(QKeySequence.StandardKey.Copy, self.table, self._copy)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)  # texts elsewhere have a copy, too
        bottom = QHBoxLayout()
        bottom.addWidget(self.line, 1)
        bottom.addWidget(self.copy)
        layout = QVBoxLayout(self)
        layout.addWidget(label("Experiments", "title"))
        layout.addLayout(top)
        layout.addLayout(below)
        layout.addWidget(self.table, 1)
        layout.addLayout(bottom)

    def _ask_file(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open a suite", "", "Suites (*.toml)")
        if name:
            self.suite.addItem(Path(name).parent.name, Path(name))
            self.suite.setCurrentIndex(self.suite.count() - 1)
