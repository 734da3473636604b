"""State, signals and threads that all parts of the station share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, QThread, pyqtSignal

from irqscope.errors import IrqscopeError
from irqscope.experiment import Experiment
from irqscope.experiment.machine import misplaced
from irqscope.experiment.tomlfile import said
from irqscope_app.control.feed import Feed
from irqscope_app.control.state import Fault, Link, State
from irqscope_app.control.suites import SuiteEnd, SuiteNews
from irqscope_app.widgets.paths import short


class Task(QThread):
    """A slow action, run outside of the window's thread."""

    done = pyqtSignal(object)
    failed = pyqtSignal(object)

    def __init__(self, what: Callable[[], Any], parent: QObject) -> None:
        super().__init__(parent)
        self._what = what

    def run(self) -> None:
        """Calls the function. An IrqscopeError is a result; any other error is reported as a
        defect.
        """
        try:
            self.done.emit(self._what())
        except IrqscopeError as error:
            self.failed.emit(error)
        except Exception as defect:  # noqa: BLE001 - nothing that happens here may end the window
            text = f"a defect of irqscope itself ({type(defect).__name__}: {defect})"
            self.failed.emit(IrqscopeError(f"{text}; please report it"))


class Desk(QObject):
    """``state`` is replaced, never changed; ``changed`` is then emitted.

    Attributes:
        asked_to_stop: why the current run is to end, or an empty string.
        releasing: whether the target is released when the run ends.
        closed: whether the window is closing and starts nothing any more.
    """

    changed = pyqtSignal()
    told = pyqtSignal(str, str)  #: level (info, warning, error, command), text
    opened = pyqtSignal()  #: a run folder is shown
    connected = pyqtSignal(str)  #: a target has identified itself
    ended = pyqtSignal(object)  #: Result of a run; others may follow while the link measures
    run_failed = pyqtSignal(object)  #: IrqscopeError if the run has no folder
    suite_told = pyqtSignal(SuiteNews)
    suite_ended = pyqtSignal(SuiteEnd)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = State()
        self.asked_to_stop = ""
        self.releasing = self.closed = False
        self._tasks: set[Task] = set()

    @property
    def feed(self) -> Feed:
        """Data of the run on the screen."""
        return self.state.tab.feed

    @property
    def live(self) -> Feed:
        """Data of the run that is measured, or was measured last."""
        return self.state.tabs[0].feed

    @property
    def target(self) -> str:
        """The target in use, or the one that needs no hardware."""
        return self.state.target or "twin"

    def set(self, **values: Any) -> None:
        """Replaces parts of the state."""
        self.state = replace(self.state, **values)
        self.changed.emit()

    def start(self, folder: Path | None, of: int, suite: str = "") -> None:
        """Begins a run of ``of`` stimuli, or a suite, and clears the previous one."""
        self.asked_to_stop, self.releasing = "", False
        self.set(
            link=Link.MEASURING,
            recording=True,
            stopping=False,
            amended=False,
            suite=suite,
            tabs=self.state.measured_in(folder),
            fault=None,
            hint=None,
            step="start",
            done=0,
            of=of,
            began=0.0,
            pace=None,
        )

    def rest(self, folder: Path | None) -> None:
        """Sets the state to idle. ``folder``: folder of the last run."""
        self.set(
            link=Link.READY,
            recording=False,
            stopping=False,
            amended=False,
            suite="",
            tabs=self.state.measured_in(folder),
            step="",
            hint=None,
            pace=None,
        )

    def stop(self, why: str = "stopped in the app") -> None:
        """Ends the run after this batch, without a further segment."""
        if self.state.link is Link.MEASURING and not self.state.stopping:
            self.asked_to_stop = why
            self.set(stopping=True)

    def say_command(self, *words: object) -> None:
        """Logs the command line of the current action."""
        self.told.emit("command", shlex.join(["irqscope", *(short(word) for word in words)]))

    def fits(self, experiments: Iterable[Experiment]) -> bool:
        """Whether the target runs what the experiments measure: the firmware or a foreign program.
        Shows a fault if it does not.
        """
        if self.state.signals:
            cause = f"{self.state.target} is a logic analyser, which runs no experiment"
            self.show_fault(Fault(cause, "connect to a board or a twin"))
            return False
        for experiment in experiments:
            if problem := misplaced(experiment, self.state.of_program):
                self.show_fault(Fault.of(f"{experiment.name}: {said(problem)}"))
                return False
        return True

    def begin(
        self,
        what: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[IrqscopeError], None] | None = None,
    ) -> None:
        """Calls a function in a thread; calls ``done`` with its result, or ``failed`` with its
        error.

        Without ``failed`` an error is shown.
        """
        if self.closed:
            return
        task = Task(what, self)
        self._tasks.add(task)
        task.done.connect(done)
        task.failed.connect(failed or self.report_fault)
        task.finished.connect(lambda: self._tasks.discard(task))
        task.finished.connect(task.deleteLater)
        task.start()

    def report_fault(self, error: IrqscopeError, about: str = "") -> None:
        """Shows an error of an action that the window itself carried out."""
        self.show_fault(Fault.of(str(error), about))

    def mended(self, about: str) -> None:
        """Removes the fault if it concerns ``about``, which has been mended."""
        if self.state.fault is not None and self.state.fault.about == about:
            self.set(fault=None)

    def show_fault(self, fault: Fault) -> None:
        """Shows the fault in the fault bar and logs it."""
        self.told.emit("error", f"{fault.cause}; {fault.remedy}".removesuffix("; "))
        self.set(fault=fault)

    def dismiss(self) -> None:
        """Removes the fault, which the user has read."""
        self.set(fault=None)

    def wait(self) -> None:
        """Waits until all threads have ended."""
        for task in list(self._tasks):
            task.wait()
