"""Drives the real window by real mouse and keys: ``python -m tools.app.drive OUT [SIZE]``.

On each of several displays (Xvfb with openbox), or on that of one SIZE, the window is started
three times with the same settings; xdotool moves the mouse and presses the keys. Each thing that
does not do what the manual says is a line, and exit code 1. OUT gets a picture of each screen, to
be looked at.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QSettings, QTimer
from PyQt6.QtWidgets import QApplication, QMenu, QSplitter

from irqscope.errors import IrqscopeError
from irqscope.gui.control.state import Link
from irqscope.gui.preferences import Preferences
from irqscope.gui.screens import SCREENS
from irqscope.gui.start import check_display
from irqscope.gui.window import Window
from tools.app.alive import pump
from tools.app.hands import SETTLE_S, Display, Hands, served

#: For a dialog to come up, ms.
_DIALOG_MS = 1500
#: A display and its three starts take less, s.
_START_S = 600.0

DISPLAYS = (
    Display(1024, 700), Display(1280, 720), Display(1920, 1080), Display(2560, 1440),
    Display(3200, 2000, 2),
)  # fmt: skip


def main(out: Path, size: str = "") -> int:
    """All displays, or one; the exit code. Raises TargetError where a program or a library is
    missing."""
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for display in (one for one in DISPLAYS if size in ("", str(one))):
        with served(display) as environment, tempfile.TemporaryDirectory() as folder:
            check_display(environment)
            environment["PYTHONPATH"] = str(Path(__file__).parents[2])  # the starts have a folder
            for start in _STARTS:
                print(f"{display}, {start}", flush=True)
                words = [sys.executable, "-m", "tools.app.drive", str(out), str(display), start]
                failed += not _done(words, environment, folder)
    return int(failed > 0)


def _done(words: list[str], environment: dict[str, str], folder: str) -> bool:
    """Whether one start did all that was expected."""
    try:
        return not subprocess.run(words, env=environment, cwd=folder, timeout=_START_S).returncode
    except subprocess.TimeoutExpired:
        print(f"  MISSED: an end within {_START_S:.0f} s", flush=True)
        return False


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
    _layout(hands)


def _layout(hands: Hands) -> None:
    """Gives the layout of now, tables high, a name; the next session takes it."""
    parts = hands.window.findChild(QSplitter, "scope parts")
    assert parts is not None  # it has that name
    handle = parts.handle(1)
    assert handle is not None  # between the two
    hands.drag(handle, (0.5, 0.5), (0.5, -8.0))
    QTimer.singleShot(_DIALOG_MS, partial(hands.write, "high tables"))
    QTimer.singleShot(2 * _DIALOG_MS, partial(hands.key, "Return"))
    hands.key("alt+v")
    _choose(hands, "Save the layout as …")
    hands.wait(lambda: hands.window.preferences.layouts, "the layout has a name")


def _choose(hands: Hands, text: str) -> None:
    """Down to an entry of the menu that is open, and Enter."""
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)  # it was just opened
    for _ in menu.actions():
        chosen = menu.activeAction()
        if chosen is not None and chosen.text() == text:
            break
        hands.key("Down")
    hands.key("Return")


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
    hands.expect(scope.chip.isChecked(), "who zooms in time looks at data that are still")
    hands.wheel(1, "ctrl")
    _, zoomed = box.viewRange()
    hands.expect(zoomed[1] - zoomed[0] < still[1] - still[0], "Ctrl and the wheel zoom latency")
    before = box.viewRange()[0][0]
    hands.drag(trace, (0.4, 0.5), (0.6, 0.5))
    hands.expect(box.viewRange()[0][0] < before, "a drag pans")
    hands.look("paused")
    hands.point(trace, 0.6, 0.6)
    hands.double_click()
    hands.expect(not scope.chip.isChecked() and scope.trace.follows, "a double click shows all")
    hands.key("a")
    hands.point(trace, 0.8, 0.5)
    hands.key("b")
    names = [cursor.name for cursor in scope.plots.cursors.all]
    hands.expect(names == ["A", "B"], f"A and B put cursors; there are {names}")
    hands.expect(all(cursor.picked for cursor in scope.plots.cursors.all), "each at a stimulus")
    hands.expect(not scope.figures.isVisible(), "tables are shown on demand")
    hands.expect(trace.height() > hands.window.height() / 2, "half of the height is the trace's")
    # The dialog has a loop of its own, in which this one waits.
    QTimer.singleShot(_DIALOG_MS, partial(hands.write, "heater on"))
    QTimer.singleShot(2 * _DIALOG_MS, partial(hands.key, "Return"))
    hands.key("n")
    hands.wait(lambda: scope.trace.marks, "N writes a note between the cursors")
    hands.look("note")


def _segment(hands: Hands) -> None:
    """Changes the pattern in a run: the next segment goes on in the same view."""
    window = hands.window
    low = window.scope.strip.fields["low"]
    hands.click(window.scope.run_button)
    hands.wait(lambda: window.station.state.done > 200, "Run starts a run", 120)
    hands.click(low)
    hands.key("ctrl+a")
    hands.write("6 ms")
    hands.key("Return")
    feed = window.station.feed
    hands.wait(lambda: feed.origin > 0 and feed.picture is not None, "a segment behind a border")
    hands.wait(lambda: window.station.state.done > 200, "the segment goes on", 120)
    with feed.traces() as traces:
        changed = list(traces.borders.values())
    hands.expect(changed == ["line 0 low 4 ms → 6 ms"], f"the border says what: {changed}")
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
    parts = window.findChild(QSplitter, "scope parts")
    assert parts is not None  # it has that name
    window.reset_layout()
    before = parts.sizes()
    hands.key("alt+v")
    _choose(hands, "Layouts")
    _choose(hands, "high tables")
    hands.expect(parts.sizes()[1] > before[1], "the layout of the session before is taken")
    _commands(hands)
    _places(hands)
    hands.key("ctrl+l")
    hands.look("log")
    hands.key("ctrl+l", "ctrl+t")
    hands.expect(window.preferences.theme == "light", "Ctrl+T: the other theme")


def _commands(hands: Hands) -> None:
    """Goes about the trace by keys, and does what the list of commands has."""
    box = hands.window.scope.trace.box
    hands.key("ctrl+k")
    hands.write("zoom")
    hands.look("commands")
    hands.key("Escape")
    hands.window.scope.setFocus()
    whole = box.viewRange()[0]
    hands.key("plus", "plus", "Home", "Next")
    hands.expect(box.viewRange()[0][1] < whole[1], "+ zooms")
    hands.key("BackSpace", "BackSpace", "BackSpace")
    hands.expect(box.viewRange()[0] == whole, "Backspace brings the first view back")
    hands.key("period")
    hands.wait(lambda: hands.window.worst.chosen, "the point goes to one of the worst")
    hands.key("Escape")
    hands.key("ctrl+k")
    hands.write("fit and follow")
    hands.key("Return")
    hands.expect(
        not hands.window.scope.chip.isChecked(), "Ctrl+K, a few letters, Enter: it is done"
    )


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
    _choose(hands, "In a window of its own")
    hands.wait(lambda: places.floats(scope.trace.part), "the menu gives it a window of its own")
    run = scope.run_button.mapToGlobal(scope.run_button.rect().center())
    floating = scope.trace.part.window()
    assert floating is not None  # it was just put there
    hands.expect(not floating.frameGeometry().contains(run), "a floating plot leaves Run free")
    hands.expect(not scope.plots.widget.sizes()[0], "and no hole")
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
    pump(SETTLE_S)
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
