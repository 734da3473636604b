"""The current suite: all its runs in one folder, as the command line runs them."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QObject, pyqtSignal

from irqscope.campaign.suite import Loaded
from irqscope.campaign.suite.run import SuiteResult
from irqscope.errors import Interrupted, IrqscopeError, LinkError, TargetError
from irqscope_app.control.desk import Desk
from irqscope_app.control.progress import Progress
from irqscope_app.control.suites import SuiteEnd, SuiteNews, run_told
from irqscope_app.control.targets import Targets
from irqscope_app.widgets.paths import short


class SuiteRuns(QObject):
    """Runs a suite; ``desk.suite_told`` and ``suite_ended`` report its progress."""

    _warned = pyqtSignal(str)

    def __init__(self, desk: Desk, targets: Targets, progress: Progress) -> None:
        super().__init__(desk)
        self._desk, self._targets, self._progress = desk, targets, progress
        self._folder: Path | None = None
        desk.suite_told.connect(self._on_told)
        self._warned.connect(lambda text: desk.told.emit("warning", text))

    def run(self, loaded: Loaded, folder: Path) -> bool:
        """Runs the items of a suite that ``folder`` lacks. Returns False if none can begin now."""
        desk, target = self._desk, self._desk.state.target
        if not desk.state.free:
            return False
        selected = (one for one in loaded.entries if one.name in loaded.chosen)
        if not desk.fits(one.experiment for one in selected):
            return False
        desk.live.clear()
        words: list[object] = ["suite", loaded.path, "--target", target]
        words += ["--counts", loaded.counts]
        if len(loaded.chosen) < len(loaded.entries):
            for name in sorted(loaded.chosen):
                words += ["--only", name]
        desk.say_command(*words, "--out", folder)
        self._progress.stimulus_s, self._folder = None, folder
        desk.start(None, 0, loaded.suite.name)  # a suite's folder is not a run folder
        desk.begin(
            lambda: run_told(
                loaded,
                target,
                folder,
                lambda: desk.asked_to_stop or False,
                desk.suite_told.emit,
                self._progress.progressed.emit,
                self._warned.emit,
                desk.live,
            ),
            self._on_suite,
            self._on_failed,
        )
        return True

    def _on_told(self, news: SuiteNews) -> None:
        if news.begun and self._folder is not None:
            self._desk.set(tabs=self._desk.state.measured_in(self._folder / news.name))

    def _on_suite(self, result: SuiteResult) -> None:
        desk = self._desk
        self._end()
        desk.told.emit("info", f"suite folder: {short(result.folder)}")
        if isinstance(result.error, Interrupted):
            desk.told.emit("warning", str(result.error))
        elif result.error is not None:
            desk.report_fault(result.error)
        if desk.releasing:
            self._targets.release()
        desk.suite_ended.emit(SuiteEnd(result))

    def _end(self) -> None:
        """Ends the suite. Its last run stays on screen."""
        self._desk.rest(self._desk.state.tabs[0].folder)

    def _on_failed(self, error: IrqscopeError) -> None:
        self._end()
        if isinstance(error, LinkError | TargetError):
            self._targets.lost(error)
        else:
            self._desk.report_fault(error)
        self._desk.suite_ended.emit(SuiteEnd(None))
