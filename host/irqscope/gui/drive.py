"""Drives the real window by real mouse and keys: ``python -m irqscope.gui.drive OUT [SIZE]``.

On each of several displays (Xvfb with openbox), or on that of one SIZE, the window is started
three times with the same settings; xdotool moves the mouse and presses the keys. Each thing that
does not do what the manual says is a line, and exit code 1. OUT gets a picture of each screen, to
be looked at.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import QPoint, QSettings
from PyQt6.QtWidgets import QApplication, QMenu, QWidget

from irqscope.errors import IrqscopeError, TargetError
from irqscope.gui.alive import pump, until
from irqscope.gui.preferences import Preferences
from irqscope.gui.screens import SCREENS
from irqscope.gui.start import check_display
from irqscope.gui.state import Link
from irqscope.gui.window import Window

PACKAGES = "apt install xvfb openbox xdotool"
#: For a key or a click to arrive, and for plots and tables to settle, s.
_ARRIVE_S, _SETTLE_S = 0.2, 0.8
#: For what a click does at once, s.
_SOON_S = 30.0
#: A display and its three starts take less, s.
_START_S = 600.0


@dataclass(frozen=True)
class Display:
    """A screen; ``density``: pixels of the screen for one of the window."""

    width: int
    height: int
    density: int = 1

    def __str__(self) -> str:
        return f"{self.width}x{self.height}" + (f"@{self.density}" if self.density > 1 else "")


DISPLAYS = (
    Display(1024, 700), Display(1600, 1000), Display(2560, 1440), Display(3200, 2000, 2),
)  # fmt: skip


def main(out: Path, size: str = "") -> int:
    """All displays, or one; the exit code. Raises TargetError where a program or a library is
    missing."""
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for display in (one for one in DISPLAYS if size in ("", str(one))):
        with _served(display) as environment, tempfile.TemporaryDirectory() as folder:
            check_display(environment)
            for start in _STARTS:
                print(f"{display}, {start}", flush=True)
                words = [sys.executable, "-m", "irqscope.gui.drive", str(out), str(display), start]
                failed += not _done(words, environment, folder)
    return int(failed > 0)


def _done(words: list[str], environment: dict[str, str], folder: str) -> bool:
    """Whether one start did all that was expected."""
    try:
        return not subprocess.run(words, env=environment, cwd=folder, timeout=_START_S).returncode
    except subprocess.TimeoutExpired:
        print(f"  MISSED: an end within {_START_S:.0f} s", flush=True)
        return False


@contextmanager
def _served(display: Display) -> Iterator[dict[str, str]]:
    """A server with a window manager; gives the environment of who draws there."""
    size = f"{display.width}x{display.height}x24"
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"]
    try:
        server = subprocess.Popen(words, pass_fds=(write,), stderr=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise TargetError(f"{error.filename} is missing; {PACKAGES}") from error
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    environment = os.environ | {
        "DISPLAY": f":{number}",
        "QT_SCALE_FACTOR": str(display.density),
    }
    for other in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(other, None)
    others = [server]
    try:
        others.append(subprocess.Popen(["openbox"], env=environment, stderr=subprocess.DEVNULL))
        yield environment
    except FileNotFoundError as error:
        raise TargetError(f"{error.filename} is missing; {PACKAGES}") from error
    finally:
        for process in reversed(others):
            process.terminate()
            process.wait(10)


class Hands:
    """Mouse and keys of whoever sits before the window. ``missed``: what did not come about."""

    def __init__(self, window: Window, out: Path, name: str) -> None:
        self.window = window
        self.missed: list[str] = []
        self._out, self._name = out, name

    def at(self, widget: QWidget, across: float = 0.5, down: float = 0.5) -> tuple[int, int]:
        """Where a part of a widget is, pixels of the screen."""
        inside = QPoint(int(widget.width() * across), int(widget.height() * down))
        place, density = widget.mapToGlobal(inside), self.window.devicePixelRatioF()
        return int(place.x() * density), int(place.y() * density)

    def point(self, widget: QWidget, across: float = 0.5, down: float = 0.5) -> None:
        """Moves the mouse there."""
        _xdotool("mousemove", *self.at(widget, across, down))

    def click(self, widget: QWidget, across: float = 0.5, down: float = 0.5) -> None:
        """Presses the left button there."""
        self.point(widget, across, down)
        _xdotool("click", 1)

    def wheel(self, notches: int, *held: str) -> None:
        """Turns the wheel away from oneself where the mouse is, with keys held."""
        for key in held:
            _xdotool("keydown", key)
        _xdotool("click", "--repeat", notches, "--delay", 60, 4)
        for key in held:
            _xdotool("keyup", key)

    def drag(self, widget: QWidget, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """With the left button held, in steps, as a hand does."""
        (x, y), (to_x, to_y) = self.at(widget, *begin), self.at(widget, *end)
        _xdotool("mousemove", x, y, "mousedown", 1)
        for step in range(1, 6):
            _xdotool("mousemove", x + (to_x - x) * step // 5, y + (to_y - y) * step // 5)
        _xdotool("mouseup", 1)

    def key(self, *keys: str) -> None:
        """Presses keys one after the other."""
        for key in keys:
            _xdotool("key", key)

    def expect(self, holds: object, what: str) -> None:
        """What the manual says."""
        if not holds:
            self.missed.append(what)
            print(f"  MISSED: {what}", flush=True)

    def wait(self, condition: Callable[[], object], what: str, patience_s: float = _SOON_S) -> None:
        """Expects something that takes its time."""
        try:
            until(condition, what, patience_s)
        except TargetError:
            self.expect(False, what)

    def look(self, name: str) -> None:
        """A picture of the whole display."""
        pump(_SETTLE_S)
        screen = QApplication.primaryScreen()
        assert screen is not None  # the window is on it
        screen.grabWindow(0).save(str(self._out / f"{self._name}-{name}.png"))  # type: ignore[arg-type]


def _xdotool(*words: object) -> None:
    """Raises TargetError where it is missing."""
    try:
        subprocess.run(["xdotool", *map(str, words)], check=True, timeout=20)
    except FileNotFoundError as error:
        raise TargetError(f"{error.filename} is missing; {PACKAGES}") from error
    pump(_ARRIVE_S)


def first(hands: Hands) -> None:
    """The first session, dark: goes from nothing to a plot, then uses what the Scope screen has."""
    window, scope = hands.window, hands.window.scope
    hands.look("connect-first")
    hands.click(window.connect_screen.start)
    began = time.monotonic()
    hands.wait(lambda: scope.trace.source, "a live plot after the first click", 120)
    print(f"  live plot after {time.monotonic() - began:.1f} s")
    hands.wait(lambda: window.station.state.done > 400, "400 stimuli", 120)
    _gestures(hands)
    hands.wait(lambda: window.station.state.link is Link.READY, "the end of the run", 120)
    hands.key("w")
    hands.wait(lambda: _worst_chosen(window), "W: the worst")
    hands.key("t")
    hands.expect(scope.threshold.currentIndex() == 1, "T: the threshold")
    hands.look("stimulus")
    hands.key("Escape")
    hands.wait(lambda: window.worst.chosen is None, "Esc: the stimulus is closed")
    hands.look("scope")
    hands.key("p")
    hands.look("pattern")
    hands.key("p")
    _segment(hands)


def _worst_chosen(window: Window) -> bool:
    """The first of the list is shown beside it."""
    chosen, listed = window.worst.chosen, window.worst.listed
    return bool(chosen and listed and chosen.row["index"] == listed.rows[0]["index"])


def _gestures(hands: Hands) -> None:
    """Zooms and pans the trace while the run goes on."""
    scope = hands.window.scope
    trace, box = scope.trace.widget, scope.trace.box
    hands.point(trace)
    hands.expect(scope.readout.text(), "the crosshair says what is there")
    (begin, end), latency = box.viewRange()
    hands.wheel(2)
    now, still = box.viewRange()
    hands.expect(now[1] - now[0] < end - begin and still == latency, "the wheel zooms time alone")
    hands.expect(scope.chip.isChecked(), "who zooms in time looks at data that stand still")
    hands.wheel(1, "ctrl")
    _, zoomed = box.viewRange()
    hands.expect(zoomed[1] - zoomed[0] < still[1] - still[0], "Ctrl and the wheel zoom latency")
    before = box.viewRange()[0][0]
    hands.drag(trace, (0.4, 0.5), (0.6, 0.5))
    hands.expect(box.viewRange()[0][0] < before, "a drag pans")
    hands.look("paused")
    hands.point(trace, 0.6, 0.6)
    _xdotool("click", "--repeat", 2, "--delay", 60, 1)
    hands.expect(not scope.chip.isChecked() and scope.trace.follows, "a double click shows all")
    hands.key("a")
    hands.point(trace, 0.8, 0.5)
    hands.key("b")
    names = [cursor.name for cursor in scope.plots.cursors.all]
    hands.expect(names == ["A", "B"], f"A and B put cursors; there are {names}")


def _segment(hands: Hands) -> None:
    """Changes the pattern in a run: the next segment goes on in the same view."""
    window = hands.window
    low = window.scope.strip.fields["low"]
    hands.click(window.scope.run_button)
    hands.wait(lambda: window.station.state.done > 200, "Run starts a run", 120)
    hands.click(low)
    hands.key("ctrl+a")
    _xdotool("type", "6 ms")
    hands.key("Return")
    feed = window.station.feed
    hands.wait(lambda: feed.origin > 0 and feed.picture is not None, "a segment behind a border")
    hands.wait(lambda: window.station.state.done > 200, "the segment goes on", 120)
    hands.look("segment")
    hands.click(window.scope.run_button)
    hands.wait(lambda: window.station.state.link is Link.READY, "Stop ends the run", 60)


def second(hands: Hands) -> None:
    """The session after a restart, dark: comes to each screen by its key, and opens a run."""
    window = hands.window
    for number, screen in enumerate(SCREENS, 1):
        hands.key(f"ctrl+{number}")
        hands.expect(window.screens.by_name[screen].isVisible(), f"Ctrl+{number} shows {screen}")
        if screen == "Library":
            hands.wait(lambda: window.library.table.rowCount() >= 2, "the library has the runs")
            hands.key("ctrl+a")
            hands.expect(window.library.buttons["compare"].isEnabled(), "Ctrl+A takes all runs")
            hands.click(window.library.buttons["compare"])
        hands.look(screen.lower())
    _open_first(hands)
    hands.look("opened")
    _places(hands)
    hands.key("ctrl+l")
    hands.look("log")
    hands.key("ctrl+l", "ctrl+t")
    hands.expect(window.preferences.theme == "light", "Ctrl+T: the other theme")


def _places(hands: Hands) -> None:
    """Makes a plot stand alone, opens its menu and gives it a window of its own, by keys alone."""
    scope = hands.window.scope
    places = scope.parts.places
    scope.trace.widget.setFocus()
    hands.key("x")
    hands.expect(places.alone is scope.trace.part, "X gives the plot the whole screen")
    hands.look("alone")
    hands.key("x")
    hands.expect(places.alone is None, "X brings the others back")
    hands.key("Menu")
    hands.wait(QApplication.activePopupWidget, "the key for menus opens that of the plot")
    menu = QApplication.activePopupWidget()
    if not isinstance(menu, QMenu):
        return
    hands.look("menu")
    for _ in menu.actions():
        chosen = menu.activeAction()
        if chosen is not None and chosen.text() == "In a window of its own":
            break
        hands.key("Down")
    hands.key("Return")
    hands.wait(lambda: places.floats(scope.trace.part), "the menu gives it a window of its own")
    hands.look("floating")
    hands.key("Escape")
    hands.wait(lambda: not places.any_floats, "Esc puts it back")


def _open_first(hands: Hands) -> None:
    """Opens the latest run from the library."""
    window = hands.window
    hands.key("ctrl+4")
    hands.wait(lambda: window.library.table.rowCount() >= 2, "the library has the runs")
    hands.key("Down", "Home", "Return")
    hands.wait(lambda: window.station.feed.picture, "Return opens the run of the library")
    hands.wait(window.scope.isVisible, "which is shown on the Scope screen")


def third(hands: Hands) -> None:
    """The session after another restart: the light theme was kept, and each screen is pictured."""
    window = hands.window
    hands.expect(window.preferences.theme == "light", "the theme is kept")
    _open_first(hands)
    hands.key("w")
    hands.wait(lambda: _worst_chosen(window), "W: the worst")
    hands.look("stimulus-light")
    hands.key("Escape", "p")
    hands.look("pattern-light")
    hands.key("p")
    for number, screen in enumerate(SCREENS, 1):
        hands.key(f"ctrl+{number}")
        hands.look(f"{screen.lower()}-light")


_STARTS: dict[str, Callable[[Hands], None]] = {"first": first, "second": second, "third": third}


def start(out: Path, display: str, name: str) -> int:
    """One start of the window on the display that the environment names; the exit code."""
    application = QApplication(sys.argv[:1])
    settings = QSettings("settings.ini", QSettings.Format.IniFormat)
    window = Window(Preferences(settings))
    window.without_asking = True
    window.showMaximized()
    pump(_SETTLE_S)
    hands = Hands(window, out, display)
    _STARTS[name](hands)
    window.close()
    application.processEvents()
    return int(bool(hands.missed))


if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve()
    try:
        one = len(sys.argv) == 4
        sys.exit(start(folder, *sys.argv[2:]) if one else main(folder, *sys.argv[2:]))
    except IrqscopeError as error:
        sys.exit(f"{Path(__file__).stem}: {error}")
