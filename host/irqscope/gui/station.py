"""All that the window knows and all that it can do, in one place.

Every action is one that the command line has, and the log says which. Ports, runs and folders are
handled in threads; what they find out becomes a new :class:`State`, on the window's thread.
"""

from __future__ import annotations

import enum
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, QThread, QTimer, pyqtSignal

from irqscope.errors import (
    Interrupted,
    IrqscopeError,
    LinkError,
    LinkErrorKind,
    StorageError,
    TargetError,
)
from irqscope.experiment import Experiment
from irqscope.gui.feed import Feed
from irqscope.gui.paths import short
from irqscope.gui.suites import SuiteEnd, SuiteNews, run_told
from irqscope.gui.widgets import timer
from irqscope.identity import Identity
from irqscope.measure import Result, measure, repeats
from irqscope.plan import Plan
from irqscope.ports import Answer, Met, Port, ask, hello, ports
from irqscope.results.reader import read
from irqscope.stack import Stack
from irqscope.suite import Loaded
from irqscope.suite.run import SuiteResult

#: Target time of a batch, s. A board's clock is ours; a twin simulates some times faster.
BATCH_S = {"board": 0.1, "twin": 0.25}
#: Waits before a lost target is asked again, s; the last one stays.
BACK_OFF_S = (1, 2, 4, 8, 16, 30)
#: Failures after which a target that was there once may come back by itself.
_PASSING = {
    LinkErrorKind.NO_PORT,
    LinkErrorKind.LOST,
    LinkErrorKind.SILENT,
    LinkErrorKind.NONSENSE,
    LinkErrorKind.DAMAGED,
    LinkErrorKind.RESET,
}
#: What the command line has a command for and the window a button.
_IN_THE_WINDOW = {
    "`irqscope ports` lists those that exist": "press Look for boards (F5) on the Connect screen",
    "name one that `irqscope run` wrote": "choose one on the Library screen",
    "name one that `irqscope suite` wrote": "run a suite on the Experiments screen",
}
#: A port that vanishes while nothing is measured is noticed after this, ms.
_LOOK_MS = 2000
#: A run that has shown nothing for so long says so, s.
SILENT_S = 2.0
_LOOK_AT_RUN_MS = 250


class Link(enum.Enum):
    """What is known of the target."""

    NONE = "not connected"
    ASKING = "asking"
    READY = "ready"
    MEASURING = "measuring"
    LOST = "lost"


@dataclass(frozen=True)
class Fault:
    """One sentence, and what to do about it. ``about``: what must be mended for it to go away."""

    cause: str
    remedy: str
    about: str = ""

    @classmethod
    def of(cls, text: str, about: str = "") -> Fault:
        """Messages name the cause first and, after the last semicolon, what to do."""
        cause, _, remedy = text.rpartition("; ")
        remedy = _IN_THE_WINDOW.get(remedy, remedy)
        return cls(cause or remedy, remedy if cause else "", about)


@dataclass(frozen=True)
class Found:
    """A serial port, and who is there."""

    port: Port
    answer: Answer


@dataclass(frozen=True)
class State:
    """All that is shown beside the data. ``folder``: the run shown or being written."""

    link: Link = Link.NONE
    target: str = ""
    identity: Identity | None = None
    stack: Stack | None = None  #: of a board; a twin is started with that of the experiment
    attempts: int = 0  #: to reach a lost target again
    step: str = ""
    done: int = 0
    of: int = 0
    began: float = 0.0  #: clock at which the first stimulus was asked for, s
    pace: float | None = None  #: target time over time on the wall, of a twin's run
    recording: bool = False
    stopping: bool = False  #: an end was asked for and has not come yet
    suite: str = ""  #: name of the suite under way
    folder: Path | None = None
    opening: bool = False
    fault: Fault | None = None
    hint: Fault | None = None  #: of a run under way; goes away with its cause
    ports: tuple[Found, ...] | None = None  #: None: never looked
    scanning: bool = False


class Task(QThread):
    """Something that takes time, off the window's thread."""

    done = pyqtSignal(object)
    failed = pyqtSignal(object)

    def __init__(self, what: Callable[[], Any], parent: QObject) -> None:
        super().__init__(parent)
        self._what = what

    def run(self) -> None:
        """Calls it. An error of ours is a result; any other is a defect and is told as one."""
        try:
            self.done.emit(self._what())
        except IrqscopeError as error:
            self.failed.emit(error)
        except Exception as defect:  # noqa: BLE001 - nothing that happens here may end the window
            text = f"a defect of irqscope itself ({type(defect).__name__}: {defect})"
            self.failed.emit(IrqscopeError(f"{text}; please report it"))


class Station(QObject):
    """``state`` is replaced, never changed; ``changed`` tells of it. ``feed`` holds the data."""

    changed = pyqtSignal()
    told = pyqtSignal(str, str)  #: level (info, warning, error, command), text
    opened = pyqtSignal()  #: a run folder is shown
    connected = pyqtSignal(str)  #: a target has said who it is
    ended = pyqtSignal(object)  #: Result of a run; others may follow while the link measures
    run_failed = pyqtSignal(object)  #: IrqscopeError: there is no run folder
    suite_told = pyqtSignal(SuiteNews)
    suite_ended = pyqtSignal(SuiteEnd)
    _progressed = pyqtSignal(str, int, int)
    _warned = pyqtSignal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = State()
        self.feed = Feed()
        self.back_off_s: tuple[float, ...] = BACK_OFF_S
        self._tasks: set[Task] = set()
        self._asked_to_stop = ""
        self._releasing = False
        self._closed = False
        self._suite_folder: Path | None = None
        self._waiting: list[tuple[Experiment, Path]] = []  # runs to come
        self._segment: tuple[Experiment, Callable[[], Path]] | None = None  # what goes on
        self.experiment: Experiment | None = None  #: of the run under way
        self._stimulus_s: float | None = None
        self._progressed.connect(self._on_progress)
        self.suite_told.connect(self._on_suite_told)
        self._warned.connect(lambda text: self.told.emit("warning", text))
        self._retry = QTimer(self)
        self._retry.setSingleShot(True)
        self._retry.timeout.connect(self._ask_again)
        self._looks = (
            timer(self, _LOOK_MS, self._look_at_port),
            timer(self, _LOOK_AT_RUN_MS, self._look_at_run),
        )

    # ---- targets ---------------------------------------------------------------------------

    def rescan(self) -> None:
        """Lists the serial ports and says hello on each, except the one in use."""
        if self.state.scanning:
            return
        self.told.emit("command", "irqscope ports --hello")
        self._set(scanning=True)
        busy = self.state.target if self.state.link is not Link.NONE else ""
        self._start(lambda: _ports(busy), self._on_ports, self._on_ports_failed)

    def connect_to(self, target: str, then: Callable[[], None] | None = None) -> None:
        """Asks a target who it is; ``then``: what is done once it has answered."""
        if self.state.link in (Link.ASKING, Link.MEASURING):
            return
        self._retry.stop()
        self.told.emit("info", f"asking {target} who it is")
        self._set(link=Link.ASKING, target=target, identity=None, attempts=0, fault=None)
        self._hello(then)

    def release(self) -> None:
        """Lets go of the target. The port itself is only held while it is talked to."""
        self._retry.stop()
        self._releasing = True
        self.stop("the port was released in the app")
        if self.state.link is not Link.MEASURING:
            self.told.emit("info", f"{self.state.target} released")
            self._set(link=Link.NONE, target="", identity=None, attempts=0, fault=None)

    @property
    def target(self) -> str:
        """The one in use, or the one that needs nothing."""
        return self.state.target or "twin"

    # ---- runs ------------------------------------------------------------------------------

    def run(self, experiment: Experiment, source: Path | None, folder: Path) -> bool:
        """Measures into ``folder``, and again for each repeat. False: not now.

        ``source``: file that holds the same experiment, if any; else the run folder itself does.
        """
        runs = repeats(experiment, folder)
        words: list[object] = ["run", runs[0][1], "--target", self.target]
        if source is not None:
            words = run_words(experiment, source, self.target, folder)
        return self.run_all(runs, words)

    def run_all(self, runs: list[tuple[Experiment, Path]], words: list[object]) -> bool:
        """Measures each experiment into its folder. ``words``: of the command line. False: not now.

        The first one that does not end well is the last.
        """
        if self.state.link is not Link.READY or self.state.opening:
            return False
        self._asked_to_stop, self._releasing = "", False
        self._waiting = list(runs)
        self.say_command(*words)
        self._next_run()
        return True

    def go_on_with(self, experiment: Experiment, place: Callable[[], Path]) -> bool:
        """Ends the run under way after its batch, and measures another pattern in the same view.

        ``place``: asked for its folder once the run has ended. False: not now.
        """
        state = self.state
        if state.link is not Link.MEASURING or state.suite or state.stopping or self._releasing:
            return False
        self._segment = experiment, place
        self._asked_to_stop = "the pattern was changed"
        self._set(step="the next segment begins after this batch")
        return True

    def _next_segment(self) -> bool:
        """False: there is none, or it has no place."""
        segment, self._segment = self._segment, None
        if segment is None or self._closed:
            return False
        experiment, place = segment
        try:
            self._waiting = repeats(experiment, place())
        except IrqscopeError as error:
            self.report_fault(error)
            return False
        self._asked_to_stop = ""
        self.say_command("run", self._waiting[0][1], "--target", self.target)
        self._next_run(same_view=True)
        return True

    def _next_run(self, *, same_view: bool = False) -> None:
        experiment, folder = self._waiting.pop(0)
        self.experiment = experiment
        target, identity = self.state.target, self.state.identity
        assert identity is not None  # whoever is ready has said who it is
        plan = Plan(experiment, identity.machine, identity.tick_hz)
        # A board keeps its own time; how fast a twin's goes is worth knowing.
        self._stimulus_s = plan.stimulus_s if identity.profile is not None else None
        if same_view:
            self.feed.go_on()
        else:
            self.feed.clear()
        self._set(
            link=Link.MEASURING,
            recording=True,
            stopping=False,
            folder=folder,
            fault=None,
            step="start",
            done=0,
            of=experiment.count,
            began=0.0,
            pace=None,
        )
        self._start(
            lambda: measure(
                experiment,
                target,
                folder,
                progress=_Teller(self._progressed.emit),
                stop=self._stop,
                batch_s=_batch_s(target),
                watch=self.feed.watch,
            ),
            self._on_result,
            self._on_run_failed,
        )

    def run_suite(self, loaded: Loaded, folder: Path) -> bool:
        """Runs of a suite what ``folder`` does not hold yet. False: not now."""
        if self.state.link is not Link.READY or self.state.opening:
            return False
        target = self.state.target
        self._asked_to_stop, self._releasing = "", False
        self.feed.clear()
        words: list[object] = ["suite", loaded.path, "--target", target]
        words += ["--counts", loaded.counts]
        if len(loaded.chosen) < len(loaded.entries):
            for name in sorted(loaded.chosen):
                words += ["--only", name]
        self.say_command(*words, "--out", folder)
        self._stimulus_s, self._suite_folder = None, folder
        self._set(
            link=Link.MEASURING,
            recording=True,
            stopping=False,
            suite=loaded.suite.name,
            folder=folder,
            fault=None,
            step="start",
            done=0,
            of=0,
        )
        self._start(
            lambda: run_told(
                loaded,
                target,
                folder,
                lambda: self._asked_to_stop or False,
                self.suite_told.emit,
                self._progressed.emit,
                self._warned.emit,
                self.feed,
            ),
            self._on_suite,
            self._on_suite_failed,
        )
        return True

    def stop(self, why: str = "stopped in the app") -> None:
        """Asks for an end after this batch, and for no segment behind it."""
        if self.state.link is Link.MEASURING and not self.state.stopping:
            self._segment = None
            self._asked_to_stop = why
            self._set(stopping=True)

    def open(self, folder: Path) -> None:
        """Shows a run folder."""
        if self.state.link is Link.MEASURING or self.state.opening:
            busy = "a run is under way" if not self.state.opening else "a folder is being opened"
            self._set(fault=Fault(busy, "open another one when it has ended"))
            return
        self.say_command("info", folder)
        self._set(fault=None, folder=None, step="open", opening=True)
        self._start(
            lambda: self.feed.open(read(folder)),
            lambda damaged: self._on_opened(folder, damaged),
            self._on_open_failed,
        )

    def moved(self, folder: Path) -> None:
        """The run that is shown lies in another folder now."""
        self.told.emit("info", f"kept in {short(folder)}")
        self._set(folder=folder)

    def say_command(self, *words: object) -> None:
        """Tells the log the command line of what is done now."""
        self.told.emit("command", shlex.join(["irqscope", *(short(word) for word in words)]))

    def begin(
        self,
        what: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[IrqscopeError], None] | None = None,
    ) -> None:
        """Does something in a thread; ``done`` is told the result here, ``failed`` an error.

        Without ``failed`` an error is shown.
        """
        self._start(what, done, failed or self.report_fault)

    def report_fault(self, error: IrqscopeError, about: str = "") -> None:
        """Shows an error of an action that the window itself carried out."""
        self.show_fault(Fault.of(str(error), about))

    def mended(self, about: str) -> None:
        """What a fault was about is right again."""
        if self.state.fault is not None and self.state.fault.about == about:
            self._set(fault=None)

    def show_fault(self, fault: Fault) -> None:
        """Shows it in the one place, and tells the log."""
        self.told.emit("error", f"{fault.cause}; {fault.remedy}".removesuffix("; "))
        self._set(fault=fault)

    def dismiss(self) -> None:
        """The fault was read."""
        self._set(fault=None)

    def close(self) -> None:
        """Ends what is under way, in good order, and begins nothing any more."""
        self._closed = True
        self._retry.stop()
        for look in self._looks:
            look.stop()
        self.stop("the window was closed")
        for task in list(self._tasks):
            task.wait()

    # ---- what the threads found out --------------------------------------------------------

    def _on_ports(self, found: tuple[Found, ...]) -> None:
        self._set(ports=found, scanning=False)
        self.told.emit("info", f"{len(found)} serial port{'' if len(found) == 1 else 's'} found")

    def _on_ports_failed(self, error: IrqscopeError) -> None:
        self._set(scanning=False)
        self.report_fault(error)

    def _hello(self, then: Callable[[], None] | None) -> None:
        target = self.state.target

        def done(met: Met) -> None:
            self.told.emit("info", f"{target} is {met.identity.label}")
            stack = None if _is_twin(target) else met.stack
            self._set(link=Link.READY, identity=met.identity, stack=stack, attempts=0, fault=None)
            self.connected.emit(target)
            if then is not None:
                then()

        self._start(lambda: hello(target), done, self._on_lost)

    def _on_lost(self, error: IrqscopeError) -> None:
        """The target does not answer. It is asked again, later and later, while it is wanted."""
        before = self.state
        self.told.emit("error" if not before.attempts else "info", str(error))
        if before.link is Link.NONE or not before.target or self._closed:
            return
        was_there = before.identity is not None
        fault = Fault.of(str(error))
        if not (was_there and isinstance(error, LinkError) and error.kind in _PASSING):
            # Never reached, of another version, or dead for good: asking again changes nothing.
            self._set(link=Link.NONE, target="", identity=None, fault=fault)
            return
        wait_s = self.back_off_s[min(before.attempts, len(self.back_off_s) - 1)]
        self._set(link=Link.LOST, attempts=before.attempts + 1, fault=fault)
        self._retry.start(int(wait_s * 1000))

    def _ask_again(self) -> None:
        self._hello(None)

    def _look_at_port(self) -> None:
        target = self.state.target
        gone = target.startswith("/") and not Path(target).exists()
        if self.state.link is Link.READY and gone:
            cause = f"the port {target} has vanished; check cable and power"
            self._on_lost(LinkError(LinkErrorKind.LOST, cause))

    def _on_progress(self, step: str, done: int, of: int) -> None:
        if step:
            self.told.emit("info", step)
            self._set(step=step)
            return
        now = time.monotonic()
        # Between the runs of a suite nothing has been asked for yet.
        began = self.state.began if done else (now if of else 0.0)
        pace = None
        if done and self._stimulus_s is not None:
            pace = done * self._stimulus_s / max(now - began, 1e-9)
        self._set(done=done, of=of, began=began, pace=pace)
        self._look_at_run()

    def _look_at_run(self) -> None:
        """What is amiss with a run that goes on, told in the same place as a fault."""
        if self.state.link is Link.MEASURING and self.state.hint != (hint := self._hint()):
            if hint is not None:
                self.told.emit("warning", f"{hint.cause}; {hint.remedy}")
            self._set(hint=hint)

    def _hint(self) -> Fault | None:
        state, picture = self.state, self.feed.picture
        if not state.began:
            return None
        if not state.done:
            waited = time.monotonic() - state.began
            return _silent(state) if waited > SILENT_S else None
        books = [] if picture is None else picture.run.books
        if books and not any(book.stops for book in books):
            return Fault(
                f"{state.done} stimuli, and not one was answered",
                "is the interrupt's priority high enough, and does the handler make the marker "
                "that a channel stops at?",
            )
        return None

    def _on_result(self, result: Result) -> None:
        run = result.run
        self.feed.settle(run)
        self.told.emit("info", f"run folder: {short(result.folder)}")
        error = result.error
        if isinstance(error, Interrupted):
            self.told.emit("warning", str(error))
        elif error is None and not run.valid:
            reasons = "; ".join(run.reasons)
            self.told.emit("error", f"the run is INVALID: {reasons}")
        if error is None and self._waiting and not self._asked_to_stop and not self._closed:
            self._next_run()
            self.ended.emit(result)
            return
        if (error is None or isinstance(error, Interrupted)) and self._next_segment():
            self.ended.emit(result)
            return
        self._waiting, self._segment = [], None
        self._set(link=Link.READY, recording=False, stopping=False, step="", hint=None, pace=None)
        # A twin is started for each run: the next one has another.
        if isinstance(error, LinkError) and not _is_twin(self.state.target):
            self._on_lost(error)
        elif error is not None and not isinstance(error, Interrupted):
            self.report_fault(error)
        if self._releasing:
            self.release()
        self.ended.emit(result)

    def _on_run_failed(self, error: IrqscopeError) -> None:
        self.feed.clear()
        self._waiting, self._segment = [], None
        self._set(
            link=Link.READY,
            recording=False,
            stopping=False,
            folder=None,
            step="",
            hint=None,
            pace=None,
        )
        self.report_fault(error)
        self.run_failed.emit(error)

    def _on_suite_told(self, news: SuiteNews) -> None:
        if news.begun and self._suite_folder is not None:
            self._set(folder=self._suite_folder / news.name)

    def _on_suite(self, result: SuiteResult) -> None:
        self._end_suite()
        self.told.emit("info", f"suite folder: {short(result.folder)}")
        if isinstance(result.error, Interrupted):
            self.told.emit("warning", str(result.error))
        elif result.error is not None:
            self.report_fault(result.error)
        if self._releasing:
            self.release()
        self.suite_ended.emit(SuiteEnd(result))

    def _end_suite(self) -> None:
        """What its last run has shown stays; a folder of a suite is none of a run."""
        folder = None if self.state.folder == self._suite_folder else self.state.folder
        self._set(
            link=Link.READY,
            recording=False,
            stopping=False,
            suite="",
            folder=folder,
            step="",
            hint=None,
        )

    def _on_suite_failed(self, error: IrqscopeError) -> None:
        self._end_suite()
        if isinstance(error, LinkError | TargetError):
            self._on_lost(error)
        else:
            self.report_fault(error)
        self.suite_ended.emit(SuiteEnd(None))

    def _on_opened(self, folder: Path, damaged: list[StorageError]) -> None:
        self._set(folder=folder, step="", opening=False)
        if damaged:
            files = f"{len(damaged)} file{'s' if len(damaged) > 1 else ''} of samples"
            text = f"the trace leaves out {files}; histogram and statistics hold every stimulus"
            self.told.emit("warning", text)
            self.report_fault(damaged[0])
        self.opened.emit()

    def _on_open_failed(self, error: IrqscopeError) -> None:
        self.feed.clear()
        self._set(step="", opening=False)
        self.report_fault(error)

    def _stop(self) -> bool | str:
        """Asked by the thread that measures, between batches."""
        if self._asked_to_stop:
            return self._asked_to_stop
        if self.feed.beyond:
            return f"stopped by a latency beyond {self.feed.longest_ticks} ticks"
        return False

    def _set(self, **values: Any) -> None:
        self.state = replace(self.state, **values)
        self.changed.emit()

    def _start(
        self,
        what: Callable[[], Any],
        done: Callable[[Any], None],
        failed: Callable[[IrqscopeError], None],
    ) -> None:
        if self._closed:
            return
        task = Task(what, self)
        self._tasks.add(task)
        task.done.connect(done)
        task.failed.connect(failed)
        task.finished.connect(lambda: self._tasks.discard(task))
        task.finished.connect(task.deleteLater)
        task.start()


def run_words(experiment: Experiment, source: Path, target: str, folder: Path) -> list[object]:
    """Words of the command line of a run that the window carries out."""
    words: list[object] = ["run", source, "--target", target, "--count", experiment.count]
    return [*words, "--batch", _batch_s(target), "--out", folder]


def _is_twin(target: str) -> bool:
    """One that is started for each run, not one that somebody else started behind a port."""
    return target.partition(":")[0] == "twin"


def _batch_s(target: str) -> float:
    return BATCH_S["twin" if _is_twin(target) else "board"]


def _silent(state: State) -> Fault:
    """A run that has shown nothing yet."""
    cause = f"no sample {SILENT_S:.0f} s after the start"
    if _is_twin(state.target):
        return Fault(cause, "wait: a twin may be far behind real time; Stop ends the run")
    return Fault(
        cause,
        "is the period long? else check power, reset and UART of the board; Stop ends the run",
    )


class _Teller:
    """Progress of a run as signals."""

    def __init__(self, tell: Callable[[str, int, int], None]) -> None:
        self._tell = tell

    def step(self, text: str) -> None:
        self._tell(text, 0, 0)

    def advance(self, done: int, of: int) -> None:
        self._tell("", done, of)


def _ports(busy: str) -> tuple[Found, ...]:
    ours = Answer("in use by this window", ours=False)
    return tuple(Found(port, ours if port.port == busy else ask(port.port)) for port in ports())
