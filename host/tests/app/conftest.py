"""Fixtures: the window, offscreen, with settings of its own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from app.by_hand import connect, fill, next_frame, open_folder, run_or_stop
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import QEvent, QSettings
from PyQt6.QtWidgets import QApplication

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from irqscope_app.control.state import Link  # noqa: E402
from irqscope_app.preferences import Preferences  # noqa: E402
from irqscope_app.window import Window  # noqa: E402

#: A loaded machine is slow, which is not a failure.
TIMEOUT_MS = 300_000


@pytest.fixture(scope="session", autouse=True)
def lasting() -> None:
    """Exempts loaded objects from garbage collection before each window."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def removed() -> Iterator[None]:
    """Removes the widgets of a finished test, since each window that stays slows the next."""
    yield
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def preferences(tmp_path: Path) -> Preferences:
    """Settings in a file of their own; runs go to a folder of their own."""
    settings = stored(tmp_path)
    settings.runs = tmp_path / "runs"
    settings.tables = True
    return settings


def stored(folder: Path) -> Preferences:
    """Current contents of the file of settings."""
    return Preferences(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))


@pytest.fixture
def window(qtbot, qapp: QApplication, preferences: Preferences) -> Iterator[Window]:
    """The window, shown nowhere."""
    # Qt would tell a field of a closed window that the keyboard is elsewhere, and the collector has
    # taken what that calls.
    if (field := qapp.focusWidget()) is not None:
        field.clearFocus()
    # As at the program's start: with a style sheet set, a window takes twice as long to build.
    # Menus of earlier ones, which only the collector removes, would be dressed with it.
    gc.collect()
    qapp.setStyleSheet("")
    qapp.setProperty("theme", None)
    main_window = Window(preferences)
    # A failed test may leave a run, and Qt's plugin closes before fixtures end.
    qtbot.addWidget(
        main_window, before_close_func=lambda window: setattr(window, "without_asking", True)
    )
    main_window.show()
    main_window.station.targets.back_off_s = (0.05,)
    yield main_window
    main_window.close()


@pytest.fixture
def start_again(qtbot, tmp_path: Path) -> Callable[[], Window]:
    """The next start of the program: a window with the settings that the one before has left."""

    def start() -> Window:
        main_window = Window(stored(tmp_path))
        qtbot.addWidget(main_window)
        main_window.show()
        return main_window

    return start


@pytest.fixture
def until(qtbot) -> Callable[[Callable[[], object]], None]:
    """Waits, with the window alive, until something holds."""

    def wait(condition: Callable[[], object]) -> None:
        qtbot.waitUntil(lambda: bool(condition()), timeout=TIMEOUT_MS)

    return wait


@pytest.fixture
def measure(window: Window, until) -> Callable[..., None]:
    """Connects, measures what the pattern says, waits for the end of the run."""

    def run(target: str, count: int = 400) -> None:
        if window.station.state.link is not Link.READY:
            connect(window, target)
            until(lambda: window.station.state.link is not Link.ASKING)
        fill(window, "count", str(count))
        run_or_stop(window)
        until(lambda: window.station.state.link is not Link.MEASURING)
        next_frame(window.scope.painter)

    return run


@pytest.fixture
def twins(monkeypatch):
    """Processes of the twins that are started."""
    processes, start = [], subprocess.Popen

    def started(command, *arguments, **options):
        process = start(command, *arguments, **options)
        if "--profile" in command:  # others tell its constants
            processes.append(process)
        return process

    monkeypatch.setattr("irqscope.targets.process.subprocess.Popen", started)
    yield processes
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)  # one that sleeps would not be closed in time


@pytest.fixture
def shown(window, until, tmp_path):
    """A window with the keyboard, and a run in the library and on the Scope screen."""
    for name in ("run-a", "run-b"):
        write_run(tmp_path / "runs" / name, described(), [60 + n % 40 for n in range(300)])
    window.library.refresh()
    open_folder(window, tmp_path / "runs" / "run-a")
    until(lambda: window.station.state.folder and window.library.table.rowCount() == 2)
    next_frame(window.scope.painter)
    window.activateWindow()
    until(window.isActiveWindow)
    return window
