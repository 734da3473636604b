"""The queue: the current job, the next ones, and the text of each row."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PyQt6.QtCore import QObject, pyqtSignal

from irqscope.acquire.measure import Result
from irqscope.errors import IrqscopeError
from irqscope.report.folders import Entry
from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.control.suites import SuiteEnd, SuiteNews
from irqscope_app.experiments.jobs import Job, RunJob, SuiteJob
from irqscope_app.experiments.rows import RESULTS, STATE, TIME, Rows
from irqscope_app.widgets.units import duration


@dataclass(frozen=True)
class Share:
    """Finished share of the current job, and the estimated seconds left or None."""

    done: float
    left_s: float | None


class Queue(QObject):
    """``jobs``: all jobs in order; ``job``: the current job; ``running``: its current run.

    ``changed``: emitted when the current run or the order changes.
    """

    changed = pyqtSignal()

    def __init__(self, station: Station, rows: Rows) -> None:
        super().__init__(station)
        self._station, self._rows = station, rows
        self.jobs: list[Job] = []
        self.job: Job | None = None
        self.running = ""
        self._began = self._run_began = 0.0
        station.suite_told.connect(self._on_news)
        station.suite_ended.connect(self._on_ended)
        station.ended.connect(self._on_run)
        station.run_failed.connect(self._on_failed)

    @property
    def waiting(self) -> int:
        """Runs that have not been run yet."""
        jobs = [job for job in self.jobs if not job.progress.complete]
        return sum(len(job.runs.keys() - job.progress.done) for job in jobs)

    @property
    def share(self) -> Share:
        """Progress of the current job, which must exist."""
        assert self.job is not None  # the caller has checked
        progress, state = self.job.progress, self._station.state
        whole, finished_s = sum(progress.efforts.values()), progress.done_s
        if self.running and state.of:
            finished_s += progress.efforts.get(self.running, 0.0) * state.done / state.of
        left_s = (
            (time.monotonic() - self._began) * (whole - finished_s) / finished_s
            if finished_s
            else None
        )
        return Share(finished_s / whole if whole else 0.0, left_s)

    def add(self, job: Job) -> None:
        """Adds a job at the end."""
        self.jobs.append(job)
        self._rows.arrange(self.jobs)
        for name, experiment in job.runs.items():
            texts = (job.name, name, "waiting", f"0 of {experiment.count}")
            for column, text in enumerate(texts):
                self._rows.write(job, name, column, text)
        self.changed.emit()

    def clear(self) -> None:
        """Empties the queue, unless a job is running."""
        if self.job is None:
            self.jobs.clear()
            self._arrange()

    def neighbour(self, job: Job, by: int) -> Job | None:
        """The job before (-1) or after (1) it, or None if the two cannot change places."""
        place = self.jobs.index(job) + by
        other = self.jobs[place] if 0 <= place < len(self.jobs) else None
        return None if other is self.job else other

    def shift(self, job: Job, by: int) -> None:
        """Moves a job forward (-1) or back (1)."""
        if self.neighbour(job, by) is not None:
            place = self.jobs.index(job)
            self.jobs.insert(place + by, self.jobs.pop(place))
            self._arrange()

    def take_out(self, job: Job, name: str) -> None:
        """Removes one run, or a job that cannot be split; folders stay."""
        if not job.leave_out(name):
            self.jobs.remove(job)
        self._arrange()

    def run(self) -> None:
        """Runs all incomplete jobs."""
        self.job = next((job for job in self.jobs if not job.progress.complete), None)
        if self.job is None:
            return
        self._began = time.monotonic()
        try:
            started = self.job.start(self._station)
        except IrqscopeError as error:
            self._station.report_fault(error)
            started = False
        if not started:
            self.job = None
        elif isinstance(self.job, RunJob):
            self._begin(next(iter(self.job.progress.efforts)))
        self.changed.emit()

    def _arrange(self) -> None:
        self._rows.arrange(self.jobs)
        self.changed.emit()

    def _begin(self, name: str) -> None:
        """Notes that a run of the current job begins."""
        assert self.job is not None  # it is one of its
        self.running, self._run_began = name, time.monotonic()
        self._rows.write(self.job, name, STATE, "running")

    def _over(self, name: str) -> None:
        assert self.job is not None  # the finished run belongs to it
        progress = self.job.progress
        progress.done_s += progress.efforts.get(name, 0.0)
        lasted = duration(time.monotonic() - self._run_began)
        self._rows.write(self.job, name, TIME, lasted)
        self.running = ""

    def _on_news(self, news: SuiteNews) -> None:
        job = self.job
        if job is None:
            return
        if news.efforts is not None:
            job.progress.efforts = news.efforts
            for name in job.runs.keys() - news.efforts.keys():
                self._rows.write(job, name, STATE, "valid, kept")
        if news.begun:
            self._begin(news.name)
        if news.entry is not None:
            self._show_entry(job, news.name, news.entry)
        if news.over:
            self._over(news.name)

    def _on_run(self, result: Result) -> None:
        """Handles the end of a repeat of one experiment."""
        job = self.job
        if not isinstance(job, RunJob):
            return
        name = self.running
        self._show_entry(job, name, Entry(result.folder, result.run))
        self._rows.write(job, name, STATE, result.state)
        self._rows.explain(job, name, STATE, "; ".join(result.run.reasons))
        self._over(name)
        if result.error is None:
            job.progress.done.add(name)
        waiting = [one for one in job.runs if one not in job.progress.done]
        if self._station.state.link is Link.MEASURING:
            self._begin(waiting[0])
            self.changed.emit()
        else:
            self._end(complete=not waiting)

    def _on_ended(self, end: SuiteEnd) -> None:
        job = self.job
        if not isinstance(job, SuiteJob):
            return
        items = {} if end.result is None else end.result.record.items
        for name in job.runs.keys() & items.keys():
            item = items[name]
            self._rows.write(job, name, STATE, "valid, kept" if item.kept else item.state)
            self._rows.explain(job, name, STATE, "; ".join(item.reasons))
            if item.seconds is not None:
                self._rows.write(job, name, TIME, duration(item.seconds))
        self._end(complete=end.result is not None and end.result.error is None)

    def _on_failed(self, error: IrqscopeError) -> None:
        """Handles a run without a folder; the station has shown the reason."""
        if isinstance(self.job, RunJob):
            self._rows.explain(self.job, self.running, STATE, str(error))
            self._end(complete=False)

    def _end(self, *, complete: bool) -> None:
        """Ends the current job and begins the next one unless the user stopped this one."""
        job, self.job, self.running = self.job, None, ""
        assert job is not None  # there is one under way
        for name in job.runs:
            if self._rows.text(job, name, STATE) == "running":
                self._rows.write(job, name, STATE, "failed")
        job.progress.complete = complete
        if complete:
            self.run()
        self.changed.emit()

    def _show_entry(self, job: Job, name: str, entry: Entry) -> None:
        """Shows a run's results as the library does."""
        for column, of_library in RESULTS.items():
            if text := entry.cells[of_library]:
                self._rows.write(job, name, column, text)
        if self._rows.text(job, name, STATE) == "running":
            self._rows.write(job, name, STATE, entry.cells["verdict"])
