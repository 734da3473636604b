"""The screen of the queue: suites and experiments to run, and their progress."""

from __future__ import annotations

import shlex
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from irqscope.campaign.suite import Loaded
from irqscope.experiment import Experiment
from irqscope.experiment.save import save
from irqscope.results.folder import new_folder
from irqscope.results.suite_record import FILE as SUITE_RECORD
from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.experiments.chooser import Chooser
from irqscope_app.experiments.jobs import Job, RunJob, SuiteJob
from irqscope_app.experiments.queue import Queue
from irqscope_app.experiments.rows import COLUMNS, COMMAND, STIMULI, Place, Rows
from irqscope_app.library.pages import Pages, card_page
from irqscope_app.preferences import Preferences
from irqscope_app.widgets.common import action, action_button, button, label, splitter, table, timer
from irqscope_app.widgets.paths import short
from irqscope_app.widgets.units import duration

_LOOK_MS = 500


class Experiments(QWidget):
    """``open_asked``: emitted with the run folder to open; ``queue``: the jobs."""

    open_asked = pyqtSignal(Path)

    def __init__(self, station: Station, preferences: Preferences) -> None:
        super().__init__()
        self._station, self._preferences = station, preferences
        self.table = table(0, COLUMNS)
        self._rows = Rows(self.table)
        self.queue = Queue(station, self._rows)
        self._build()
        station.changed.connect(self._on_state)
        self.queue.changed.connect(self._on_state)
        timer(self, _LOOK_MS, self._show_time)
        self._on_state()

    # ---- what the user does ----------------------------------------------------------------

    def run(self) -> None:
        """Runs the incomplete jobs, or stops the current one."""
        if self.queue.job is not None:
            self._station.stop()
        else:
            self._station.folders.show(0)
            self.queue.run()

    def add(self, experiment: Experiment, source: Path | None) -> None:
        """Appends one experiment; an unsaved experiment is saved next to its folder."""
        folder = self._new_folder(experiment.name)
        if source is None:
            source = folder.with_name(f"{folder.name}.toml")
            save(experiment, source)
        self.queue.add(RunJob(experiment, source, folder))

    def shift(self, by: int) -> None:
        """Moves the job of the current row forward (-1) or back (1) in the queue."""
        if (job := self._movable()) is not None:
            self.queue.shift(job[0], by)

    def take_out(self) -> None:
        """Removes the run of the current row from the queue; its folder stays."""
        if (job := self._movable()) is None:
            return
        row = self.table.currentRow()
        self.queue.take_out(*job)
        if self.table.rowCount():  # the next row, so that the key can be repeated
            self.table.selectRow(min(row, self.table.rowCount() - 1))

    def show_card(self) -> None:
        """Shows the card of the suite that the current row belongs to."""
        row_job = self._rows.at(self.table.currentRow())
        if row_job is not None and _has_card(row_job[0]):
            self.show_card_of(row_job[0].out)

    def show_card_of(self, folder: Path) -> None:
        """Shows the card of a suite's folder in the place of the queue."""
        self.pages.show_page(card_page(folder))

    def show_queue(self) -> None:
        """Shows the queue in the place of a card."""
        self.pages.show_front()

    def command(self, row: int) -> str:
        """The command line that runs the run of a row."""
        row_job = self._rows.at(row)
        return "" if row_job is None else self._command(*row_job)

    def _command(self, job: Job, name: str) -> str:
        return shlex.join(["irqscope", *map(short, job.command(name, self._station.target))])

    def _on_loaded(self, loaded: Loaded) -> None:
        self.queue.add(SuiteJob(loaded, self._new_folder(loaded.suite.name)))

    def _new_folder(self, name: str) -> Path:
        """A new folder that no job uses either: folders are created when their job begins."""
        folders = {job.out for job in self.queue.jobs}
        return new_folder(name, self._preferences.runs, folders)

    def _movable(self) -> Place | None:
        """The job of the current row, unless it is running."""
        row_job = self._rows.at(self.table.currentRow())
        return None if row_job is None or row_job[0] is self.queue.job else row_job

    def _copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None and self.line.text():
            clipboard.setText(self.line.text())

    def _open(self, row: int) -> None:
        row_job = self._rows.at(row)
        if row_job is not None and (folder := row_job[0].folder(row_job[1])).exists():
            self.open_asked.emit(folder)

    # ---- showing ---------------------------------------------------------------------------

    def _on_state(self) -> None:
        link, jobs = self._station.state.link, self.queue.jobs
        busy = self.queue.job is not None
        ready = link is Link.READY and any(not job.progress.complete for job in jobs)
        self.run_button.setText("Stop" if busy else "Run the queue")
        self.run_button.setEnabled(busy or ready)
        if busy or ready:
            hint = "What is complete is kept; run the queue again to go on" if busy else ""
        else:
            hint = "add something first" if link is Link.READY else "connect to a target first"
        self.run_button.setToolTip(hint)
        self.clear_button.setEnabled(not busy and bool(jobs))
        for job in jobs:
            for name in job.runs:
                self._rows.write(job, name, COMMAND, command := self._command(job, name))
                self._rows.explain(job, name, COMMAND, command)
        self._on_selection()
        self._show_time()

    def _show_time(self) -> None:
        queue, state = self.queue, self._station.state
        job = queue.job
        self.bar.setVisible(job is not None)
        if job is None:
            link = state.link in (Link.READY, Link.MEASURING)
            hint = "" if link else "; connect to a target first"
            rest = "complete" if queue.jobs else "the queue is empty"
            self.step.setText(f"{queue.waiting} runs waiting{hint}" if queue.waiting else rest)
            return
        if queue.running and state.of:
            self._rows.write(job, queue.running, STIMULI, f"{state.done} of {state.of}")
        share = queue.share
        self.bar.setMaximum(1000)
        self.bar.setValue(round(1000 * share.done))
        names = (job.name if isinstance(job, SuiteJob) else "", queue.running, state.step)
        text = ", ".join(name for name in names if name)
        if share.left_s is not None:
            text += f", about {duration(share.left_s)} left"
        self.step.setText(text)

    def _on_selection(self) -> None:
        """Enables the actions of the current row."""
        row = self.table.currentRow()
        row_job, movable = self._rows.at(row), self._movable()
        line, actions = self.command(row), self.actions_of_row
        self.line.setText(line)
        actions["copy"].setEnabled(bool(line))
        actions["remove"].setEnabled(movable is not None)
        for key, by in (("up", -1), ("down", 1)):
            other = None if movable is None else self.queue.neighbour(movable[0], by)
            actions[key].setEnabled(other is not None)
        folder = None if row_job is None else row_job[0].folder(row_job[1])
        actions["open"].setEnabled(folder is not None and folder.exists())
        actions["card"].setEnabled(row_job is not None and _has_card(row_job[0]))

    # ---- widgets ---------------------------------------------------------------------------

    def _build(self) -> None:
        self.chooser = Chooser(self._station)
        self.chooser.chosen.connect(self._on_loaded)
        self.run_button = button("Run the queue", self.run)
        self.run_button.setProperty("role", "primary")
        self.clear_button = button("Clear", self.queue.clear, "Empty the queue; folders stay")
        self.step = QLabel("")
        self.bar = QProgressBar()
        self.bar.setMaximumWidth(200)
        self.bar.setFormat("%p %")
        above = QHBoxLayout()
        for widget in (self.run_button, self.clear_button):
            above.addWidget(widget)
        above.addWidget(self.step, 1)
        above.addWidget(self.bar)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setToolTip("Double click: look at the run; right click: more")
        self.table.cellDoubleClicked.connect(lambda row, _: self._open(row))
        self.table.itemSelectionChanged.connect(self._on_selection)
        self._build_actions()
        self.line = label("", "faint", wraps=True)
        self.line.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        bottom = QHBoxLayout()
        for name in ("up", "down", "remove", "card", "copy"):
            bottom.addWidget(self.buttons[name])
        bottom.addStretch()
        right = QWidget()
        layout = QVBoxLayout(right)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(above)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.line)
        layout.addLayout(bottom)
        body = splitter("experiments", Qt.Orientation.Horizontal, self.chooser, right)
        body.setSizes([500, 530])
        for place in (0, 1):
            body.setStretchFactor(place, 1)
        queue = QWidget()
        layout = QVBoxLayout(queue)
        layout.addWidget(label("Experiments", "title"))
        layout.addWidget(body, 1)
        self.pages = Pages(self._station, queue, self.table, "Back to the queue")
        self.pages.run_asked.connect(self.open_asked)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pages)

    def _build_actions(self) -> None:
        """Actions of a row: by its menu, by keys, and by buttons below."""
        current = self.table.currentRow
        self.actions_of_row = {
            "open": action(self.table, "Look at the run", "", lambda: self._open(current())),
            "card": action(self.table, "Card", "", self.show_card, "The suite's benchmark card"),
            "copy": action(
                self.table, "Copy", "Ctrl+C", self._copy, "The command line of this run"
            ),
            "up": action(self.table, "Up", "Alt+Up", lambda: self.shift(-1), "Run it earlier"),
            "down": action(self.table, "Down", "Alt+Down", lambda: self.shift(1), "Run it later"),
            "remove": action(self.table, "Remove", "Del", self.take_out, "Its folder stays"),
        }
        self.buttons = {name: action_button(one) for name, one in self.actions_of_row.items()}


def _has_card(job: Job) -> bool:
    """Whether a row's suite was begun; its card lists missing runs."""
    return isinstance(job, SuiteJob) and (job.out / SUITE_RECORD).exists()
