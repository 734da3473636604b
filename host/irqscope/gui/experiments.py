"""A queue of suites and experiments: what has been run, what is run, how long it will take."""

from __future__ import annotations

import shlex
import time
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

from irqscope.errors import IrqscopeError
from irqscope.experiment import Experiment
from irqscope.experiment.save import save
from irqscope.gui.chooser import Chooser
from irqscope.gui.jobs import Job, RunJob, SuiteJob
from irqscope.gui.pages import Pages, card_page
from irqscope.gui.paths import short
from irqscope.gui.preferences import Preferences
from irqscope.gui.rows import Place, Rows
from irqscope.gui.state import Link
from irqscope.gui.station import Station
from irqscope.gui.suites import SuiteEnd, SuiteNews
from irqscope.gui.units import duration
from irqscope.gui.widgets import action, action_button, button, label, splitter, table, timer
from irqscope.library import Entry
from irqscope.measure import Result
from irqscope.results.folder import new_folder
from irqscope.suite import Loaded
from irqscope.suite.record import FILE as SUITE_RECORD

COLUMNS = (
    "suite", "run", "state", "stimuli", "p50, ns", "p99.9, ns", "max, ns", "time", "command",
)  # fmt: skip
_STATE, _STIMULI, _TIME, _COMMAND = map(COLUMNS.index, ("state", "stimuli", "time", "command"))
#: Columns of a run's row in the library, by those of this table.
_RESULTS = {_STIMULI: "N"} | {
    COLUMNS.index(name): name for name in ("p50, ns", "p99.9, ns", "max, ns")
}
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
            self._arrange()

    def shift(self, by: int) -> None:
        """Takes the job of the current row forward (-1) or back (1) in the queue."""
        if (found := self._movable()) is None:
            return
        place = self._jobs.index(found[0])
        other = place + by
        if 0 <= other < len(self._jobs) and self._jobs[other] is not self._job:
            self._jobs.insert(other, self._jobs.pop(place))
            self._arrange()

    def take_out(self) -> None:
        """Takes the run of the current row out of the queue; its folder stays."""
        if (found := self._movable()) is None:
            return
        job, name = found
        row = self.table.currentRow()
        if not job.leave_out(name):
            self._jobs.remove(job)
        self._arrange()
        if self.table.rowCount():  # the next one, so that several go by one key
            self.table.selectRow(min(row, self.table.rowCount() - 1))

    def show_card(self) -> None:
        """The card of the suite that the current row belongs to."""
        found = self._at(self.table.currentRow())
        if found is not None and _has_card(found[0]):
            self.show_card_of(found[0].out)

    def show_card_of(self, folder: Path) -> None:
        """That of a suite's folder, in the place of the queue."""
        self.pages.show_page(card_page(folder))

    def show_queue(self) -> None:
        """In the place of a card."""
        self.pages.show_front()

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
        return "" if found is None else self._command(*found)

    def _command(self, job: Job, name: str) -> str:
        return shlex.join(["irqscope", *map(short, job.command(name, self._station.target))])

    # ---- the queue -------------------------------------------------------------------------

    def _on_loaded(self, loaded: Loaded) -> None:
        self._add(SuiteJob(loaded, self._new_folder(loaded.suite.name)))

    def _new_folder(self, name: str) -> Path:
        """One that no job has either: folders are made when their job begins."""
        taken = {job.out for job in self._jobs}
        return new_folder(name, self._preferences.runs, taken)

    def _add(self, job: Job) -> None:
        self._jobs.append(job)
        self._rows.arrange(self._jobs)
        for name, experiment in job.runs.items():
            texts = (job.name, name, "waiting", f"0 of {experiment.count}")
            for column, text in enumerate(texts):
                self._rows.write(job, name, column, text)
        self._on_state()

    def _arrange(self) -> None:
        self._rows.arrange(self._jobs)
        self._on_state()

    def _movable(self) -> Place | None:
        """What the current row shows, unless its job is under way."""
        found = self._at(self.table.currentRow())
        return None if found is None or found[0] is self._job else found

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
        self._rows.write(self._job, name, _STATE, "running")

    def _over(self, name: str) -> None:
        assert self._job is not None  # as above
        progress = self._job.progress
        progress.done_s += progress.efforts.get(name, 0.0)
        lasted = duration(time.monotonic() - self._run_began)
        self._rows.write(self._job, name, _TIME, lasted)
        self._running = ""

    def _on_news(self, news: SuiteNews) -> None:
        job = self._job
        if job is None:
            return
        if news.efforts is not None:
            job.progress.efforts = news.efforts
            for name in job.runs.keys() - news.efforts.keys():
                self._rows.write(job, name, _STATE, "valid, kept")
        if news.begun:
            self._begin(news.name)
        if news.entry is not None:
            self._show_entry(job, news.name, news.entry)
        if news.over:
            self._over(news.name)

    def _on_run(self, result: Result) -> None:
        """A repeat of one experiment is over."""
        job = self._job
        if not isinstance(job, RunJob):
            return
        name = self._running
        self._show_entry(job, name, Entry(result.folder, result.run))
        self._rows.write(job, name, _STATE, result.state)
        self._rows.explain(job, name, _STATE, "; ".join(result.run.reasons))
        self._over(name)
        if result.error is None:
            job.progress.done.add(name)
        waiting = [one for one in job.runs if one not in job.progress.done]
        if self._station.state.link is Link.MEASURING:
            self._begin(waiting[0])
            self._on_state()
        else:
            self._end(complete=not waiting)

    def _on_ended(self, end: SuiteEnd) -> None:
        job = self._job
        if not isinstance(job, SuiteJob):
            return
        items = {} if end.result is None else end.result.record.items
        for name in job.runs.keys() & items.keys():
            item = items[name]
            self._rows.write(job, name, _STATE, "valid, kept" if item.kept else item.state)
            self._rows.explain(job, name, _STATE, "; ".join(item.reasons))
            if item.seconds is not None:
                self._rows.write(job, name, _TIME, duration(item.seconds))
        self._end(complete=end.result is not None and end.result.error is None)

    def _on_failed(self, error: IrqscopeError) -> None:
        """An experiment has no run folder: the station has said why."""
        if isinstance(self._job, RunJob):
            self._end(complete=False)

    def _end(self, *, complete: bool) -> None:
        """The job under way is over; the next one is begun if nothing stopped this one."""
        job, self._job, self._running = self._job, None, ""
        assert job is not None  # there is one under way
        for name in job.runs:
            if self._rows.text(job, name, _STATE) == "running":
                self._rows.write(job, name, _STATE, "failed")
        job.progress.complete = complete
        if complete:
            self._next()
        self._on_state()

    # ---- showing ---------------------------------------------------------------------------

    def _show_entry(self, job: Job, name: str, entry: Entry) -> None:
        """A run's results, as the library shows them."""
        for column, of_library in _RESULTS.items():
            if text := entry.cells[of_library]:
                self._rows.write(job, name, column, text)
        if self._rows.text(job, name, _STATE) == "running":
            self._rows.write(job, name, _STATE, entry.cells["verdict"])

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
        for job in self._jobs:
            for name in job.runs:
                self._rows.write(job, name, _COMMAND, command := self._command(job, name))
                self._rows.explain(job, name, _COMMAND, command)
        self._on_selection()
        self._show_time()

    def _show_time(self) -> None:
        job, state = self._job, self._station.state
        self.bar.setVisible(job is not None)
        if job is None:
            waiting = sum(
                len(one.runs.keys() - one.progress.done)
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
            self._rows.write(job, self._running, _STIMULI, f"{state.done} of {state.of}")
            done += progress.efforts.get(self._running, 0.0) * state.done / state.of
        self.bar.setMaximum(1000)
        self.bar.setValue(round(1000 * done / whole) if whole else 0)
        names = (job.name if isinstance(job, SuiteJob) else "", self._running, state.step)
        text = ", ".join(name for name in names if name)
        if done:
            left = (time.monotonic() - self._began) * (whole - done) / done
            text += f", about {duration(left)} left"
        self.step.setText(text)

    def _on_selection(self) -> None:
        """What can be done with the current row."""
        row = self.table.currentRow()
        found, movable = self._at(row), self._movable()
        line = self.command(row)
        self.line.setText(line)
        self.actions_of_row["copy"].setEnabled(bool(line))
        self.actions_of_row["remove"].setEnabled(movable is not None)
        place = -1 if movable is None else self._jobs.index(movable[0])
        neighbours = {
            "up": self._jobs[place - 1] if place > 0 else None,
            "down": self._jobs[place + 1] if 0 <= place < len(self._jobs) - 1 else None,
        }
        for key, other in neighbours.items():
            self.actions_of_row[key].setEnabled(other not in (None, self._job))
        folder = None if found is None else found[0].folder(found[1])
        self.actions_of_row["open"].setEnabled(folder is not None and folder.exists())
        self.actions_of_row["card"].setEnabled(found is not None and _has_card(found[0]))

    def _copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None and self.line.text():
            clipboard.setText(self.line.text())

    def _at(self, row: int) -> Place | None:
        return self._rows.at(row)

    def _open(self, row: int) -> None:
        found = self._at(row)
        if found is not None and (folder := found[0].folder(found[1])).exists():
            self.open_asked.emit(folder)

    # ---- widgets ---------------------------------------------------------------------------

    def _build(self) -> None:
        self.chooser = Chooser(self._station)
        self.chooser.chosen.connect(self._on_loaded)
        self.run_button = button("Run the queue", self.run)
        self.run_button.setProperty("role", "primary")
        self.clear_button = button("Clear", self.clear, "Empty the queue; folders stay")
        self.step = QLabel("")
        self.bar = QProgressBar()
        self.bar.setMaximumWidth(200)
        self.bar.setFormat("%p %")
        above = QHBoxLayout()
        for widget in (self.run_button, self.clear_button):
            above.addWidget(widget)
        above.addWidget(self.step, 1)
        above.addWidget(self.bar)
        self.table = table(0, COLUMNS)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setToolTip("Double click: look at the run; right click: more")
        self.table.cellDoubleClicked.connect(lambda row, _: self._open(row))
        self.table.itemSelectionChanged.connect(self._on_selection)
        self._rows = Rows(self.table, tuple(_RESULTS))
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
        body.setSizes([400, 630])
        body.setStretchFactor(1, 1)
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
    """A suite that was begun; its card says what is missing."""
    return isinstance(job, SuiteJob) and (job.out / SUITE_RECORD).exists()
