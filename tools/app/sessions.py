"""Three user sessions by mouse and keys, as described in the manual."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PyQt6.QtCore import QRect, Qt
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QFileDialog,
    QSplitter,
    QTableView,
    QWidget,
)

from irqscope.kinds.loss.record import LossMap
from irqscope_app.control.state import Link
from irqscope_app.plots.base import Plot
from irqscope_app.scope.cells import ROWS
from irqscope_app.screens import SCREENS
from irqscope_app.window import Window
from tools.app.alive import pump
from tools.app.hands import SETTLE_S, Hands

#: For a run, or for a twin to start, s.
_RUN_S = 120.0
#: The run that a session starts is changed or stopped after so many stimuli.
_SOME = 200


def first(hands: Hands) -> None:
    """From nothing to a plot, dark; then all that the Scope screen has."""
    window, scope = hands.window, hands.window.scope
    hands.look("connect-first")
    hands.click(window.connect_screen.start)
    began = time.monotonic()
    hands.wait(lambda: scope.trace.source, "a live plot after the first click", _RUN_S)
    print(f"  live plot after {time.monotonic() - began:.1f} s")
    hands.wait(lambda: window.station.state.done > 2 * _SOME, "400 stimuli", _RUN_S)
    _gestures(hands)
    hands.wait(lambda: window.station.state.link is Link.READY, "the end of the run", _RUN_S)
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
    _unmeasured(hands)
    _tail(hands)
    hands.click(scope.strip.edit)
    _segment(hands)
    _layout(hands)


def second(hands: Hands) -> None:
    """After a restart, dark: each screen by its key, runs of the library, and the layout."""
    window, scope = hands.window, hands.window.scope
    _screens(hands, "")
    hands.key("ctrl+4")
    hands.key("ctrl+a")
    hands.expect(window.library.buttons["compare"].isEnabled(), "Ctrl+A takes all runs")
    hands.click(window.library.buttons["compare"])
    hands.look("compare")
    _open_first(hands)
    hands.look("opened")
    hands.point(scope.trace.widget)
    hands.key("a")
    hands.expect(scope.plots.cursors.all, "A puts a cursor")
    _open_another(hands)
    hands.expect(scope.plots.cursors.all, "a tab has its cursors again")
    parts = window.findChild(QSplitter, "scope parts")
    assert parts is not None  # it has that name
    hands.key("alt+v")
    hands.choose("Reset the layout")
    before = parts.sizes()
    hands.key("alt+v")
    _choose_below(hands, "Layouts", "high tables")
    hands.expect(parts.sizes()[1] > before[1], "the layout of the session before is taken")
    _commands(hands)
    _places(hands)
    _report(hands)
    hands.key("ctrl+2")
    hands.key("ctrl+l")
    hands.look("log")
    hands.key("ctrl+l", "ctrl+t")
    hands.expect(window.preferences.theme == "light", "Ctrl+T: the other theme")


def third(hands: Hands) -> None:
    """After a restart in the light theme: a twin that dies, a suite, and its loss map."""
    window = hands.window
    hands.expect(window.preferences.theme == "light", "the theme is kept")
    _open_first(hands)
    hands.key("w")
    hands.wait(lambda: _worst_chosen(window), "W: the worst")
    hands.look("stimulus-light")
    hands.key("Escape", "p")
    hands.look("pattern-light")
    hands.key("p")
    _screens(hands, "-light")
    _killed(hands)
    _suite(hands)


# ---- the Scope screen ----------------------------------------------------------------------------


def _gestures(hands: Hands) -> None:
    """Zooms and pans the trace during the run, puts cursors, writes a note."""
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
    folder = hands.window.station.state.folder

    def note(dialog: QWidget) -> None:
        named = folder is not None and folder.name in dialog.windowTitle()
        hands.expect(named, "the dialog names the run that it changes")
        hands.write("heater on")
        hands.key("Return")

    hands.answer(note)
    hands.key("n")
    hands.wait(lambda: scope.trace.marks, "N writes a note between the cursors")
    hands.look("note")


def _worst_chosen(window: Window) -> bool:
    """Checks that the first stimulus of the list is shown next to it."""
    selected, listed = window.worst.chosen, window.worst.listed
    return bool(selected and listed and selected.row["index"] == listed.rows[0]["index"])


def _click_row(hands: Hands, table: QTableView, row: int) -> None:
    model = table.model()
    assert model is not None  # a table view has one once it is filled
    hands.click_part(_inside(table), table.visualRect(model.index(row, 0)))


def _down(view: QTableView, part: QRect) -> float:
    """Vertical position of the middle of a part, as a share of the visible height."""
    return part.center().y() / _inside(view).height()


def _inside(view: QTableView) -> QWidget:
    port = view.viewport()
    assert port is not None  # a view always has one
    return port


def _unmeasured(hands: Hands) -> None:
    """A line that is on without a channel is reported; the pattern is open."""
    window = hands.window
    table = window.pattern.lines

    def is_on() -> bool:
        cell = table.item(1, 0)
        return cell is not None and cell.checkState() is Qt.CheckState.Checked

    if table.visualItemRect(table.item(1, 0)).bottom() > _inside(table).height():
        hands.point(_inside(table))
        hands.wheel(-1)
    box = table.visualItemRect(table.item(1, 0))
    hands.click(_inside(table), (box.left() + 10) / _inside(table).width(), _down(table, box))
    hands.expect(is_on(), "a click switches a line on")
    hands.expect("line 1" in window.pattern.verdict.text(), "a line that nobody measures is said")
    hands.look("unmeasured")
    hands.click(window.pattern.undo)
    hands.expect("line 1" not in window.pattern.verdict.text(), "Undo takes it back")


def _tail(hands: Hands) -> None:
    """Keeps only the longest: the window shows only their number and the greatest."""
    window, scope = hands.window, hands.window.scope
    field = window.pattern.fields["samples"]
    window.pattern.form.ensureWidgetVisible(field)
    _type(hands, field, "tail 40")
    _type(hands, scope.strip.fields["count"], "600")
    _run(hands)
    hands.wait(lambda: window.station.state.link is Link.READY, "the end of the run", _RUN_S)
    hands.key("p")
    hands.wait(lambda: scope.figures.cell("visible", "N") == "40 kept", "40 are kept")
    filled = {row for row in ROWS if scope.figures.cell("visible", row)}
    hands.expect(filled == {"N", "max"}, f"of kept samples N and max are told: {filled}")
    _click_row(hands, window.worst.table, 0)
    hands.wait(lambda: _worst_chosen(window), "a click on the first row shows the worst")
    selected = window.worst.chosen
    hands.expect(selected and selected.row["index"] < 600, "its number is that of the stimulus")
    hands.look("tail")
    hands.key("Escape", "p")
    _type(hands, field, "all")
    _type(hands, scope.strip.fields["count"], "2400")


def _type(hands: Hands, field: QWidget, text: str) -> None:
    """Replaces the text of a field."""
    hands.click(field)
    hands.key("ctrl+a")
    hands.write(text)
    hands.key("Return")


def _run(hands: Hands) -> None:
    """Presses Run, and waits until some stimuli are measured."""
    window = hands.window
    hands.click(window.scope.run_button)
    hands.wait(lambda: window.station.state.link is Link.MEASURING, "Run starts a run")
    hands.wait(lambda: window.station.state.done >= _SOME, "stimuli are measured", _RUN_S)


def _segment(hands: Hands) -> None:
    """Looks at the worst of a running run, then changes the pattern.

    The next segment continues in the same view.
    """
    window, scope = hands.window, hands.window.scope
    _type(hands, scope.strip.fields["count"], "24000")  # it is not to end before it is changed
    _run(hands)
    hands.point(scope.trace.widget)
    hands.wheel(3)
    hands.wait(lambda: window.worst.listed and window.worst.listed.rows, "the worst are listed")
    _click_row(hands, window.worst.table, 0)
    hands.wait(lambda: window.worst.chosen, "the first row shows its stimulus during a run")
    pump(SETTLE_S)
    hands.expect(window.fault.isHidden(), "no defect")
    hands.key("Escape", "f")
    _type(hands, scope.strip.fields["low"], "6 ms")
    feed = window.station.feed
    hands.wait(lambda: feed.origin > 0 and feed.picture is not None, "a segment behind a border")
    hands.wait(lambda: window.station.state.done > _SOME, "the segment goes on", _RUN_S)
    with feed.traces() as traces:
        changed = list(traces.borders.values())
    hands.expect(changed == ["low 4 ms → 6 ms"], f"the border says what: {changed}")
    hands.look("segment")
    hands.click(scope.run_button)
    hands.wait(lambda: window.station.state.link is Link.READY, "Stop ends the run", 60)
    hands.look("interrupted")
    _type(hands, scope.strip.fields["count"], "2400")


def _layout(hands: Hands) -> None:
    """Gives the layout of now, tables high, a name; the next session takes it."""
    parts = hands.window.findChild(QSplitter, "scope parts")
    assert parts is not None  # it has that name
    handle = parts.handle(1)
    assert handle is not None  # between the two
    hands.drag(handle, (0.5, 0.5), (0.5, -8.0))
    hands.answer_with("high tables")
    hands.key("alt+v")
    hands.choose("Save the layout as …")
    hands.wait(lambda: hands.window.preferences.layouts, "the layout has a name")


def _choose_below(hands: Hands, menu: str, text: str) -> None:
    """An entry of a menu in the menu that is open."""
    hands.choose(menu)
    pump(SETTLE_S)
    hands.choose(text)


def _commands(hands: Hands) -> None:
    """Moves in the trace by keys, and runs the actions of the command list."""
    scope = hands.window.scope
    box = scope.trace.box
    hands.key("ctrl+k")
    hands.write("zoom")
    hands.look("commands")
    hands.key("Escape")
    hands.key("ctrl+2")
    whole = box.viewRange()[0]
    hands.key("plus", "plus")
    zoomed = box.viewRange()[0]
    hands.expect(zoomed[1] - zoomed[0] < whole[1] - whole[0], "+ zooms")
    hands.key("Home")
    begin = box.viewRange()[0]
    hands.key("Next")
    hands.expect(box.viewRange()[0][0] > begin[0], "Page Down goes on by a view")
    hands.key(*["BackSpace"] * 4)
    hands.expect(box.viewRange()[0] == whole, "Backspace brings the first view back")
    hands.key("period")
    hands.wait(lambda: hands.window.worst.chosen, "the point goes to one of the worst")
    hands.key("Escape")
    hands.key("ctrl+k")
    hands.write("fit and follow")
    hands.key("Return")
    hands.expect(not scope.chip.isChecked(), "Ctrl+K, a few letters, Enter: it is done")


def _places(hands: Hands) -> None:
    """Makes a plot stand alone, saves it, and gives it a window of its own, by keys alone."""
    scope = hands.window.scope
    places = scope.parts.places
    scope.trace.widget.setFocus()
    hands.key("x")
    hands.expect(places.alone is scope.trace.part, "X gives the plot the whole screen")
    hands.look("alone")
    hands.key("x")
    hands.expect(places.alone is None, "X brings the others back")

    def named(dialog: QWidget) -> None:
        assert isinstance(dialog, QFileDialog)  # the menu asked for a file
        (file,) = dialog.selectedFiles()
        hands.expect(Path(file).name.startswith(Plot.run_name), "a picture has its run's name")
        hands.key("Escape")

    hands.answer(named)
    hands.key("Menu")
    hands.choose("Save as PNG or SVG …")
    hands.key("Menu")
    hands.wait(QApplication.activePopupWidget, "the key for menus opens that of the plot")
    hands.look("menu")
    hands.choose("In a window of its own")
    hands.wait(lambda: places.floats(scope.trace.part), "the menu gives it a window of its own")
    run = scope.run_button.mapToGlobal(scope.run_button.rect().center())
    floating = scope.trace.part.window()
    assert floating is not None  # it was just put there
    hands.expect(not floating.frameGeometry().contains(run), "a floating plot leaves Run free")
    hands.expect(not scope.plots.widget.sizes()[0], "and no hole")
    hands.look("floating")
    hands.key("Escape")
    hands.wait(lambda: not places.any_floats, "Esc puts it back")


# ---- other screens -------------------------------------------------------------------------------


def _screens(hands: Hands, theme: str) -> None:
    """Each screen by its key."""
    window = hands.window
    for number, screen in enumerate(SCREENS, 1):
        hands.key(f"ctrl+{number}")
        hands.expect(window.screens.by_name[screen].isVisible(), f"Ctrl+{number} shows {screen}")
        if screen == "Experiments":
            hands.wait(window.experiments.chooser.checked, "the suite is read")
        if screen == "Library":
            hands.wait(lambda: window.library.table.rowCount() >= 2, "the library has the runs")
        hands.look(f"{screen.lower()}{theme}")


def _open_first(hands: Hands) -> None:
    """Opens the latest run from the library."""
    window = hands.window
    hands.key("ctrl+4")
    hands.wait(lambda: window.library.table.rowCount() >= 2, "the library has the runs")
    hands.key("Down", "Home", "Return")
    hands.wait(lambda: window.station.feed.picture, "Return opens the run of the library")
    hands.wait(window.scope.isVisible, "which is shown on the Scope screen")


def _open_another(hands: Hands) -> None:
    """Opens the next run of the library in another tab, and goes back by a click on the first."""
    window = hands.window
    before, bar = window.station.state, hands.window.scope.tabs.bar
    hands.key("ctrl+4")
    hands.key("Down", "Return")
    hands.wait(
        lambda: window.station.state.at > before.at and window.station.feed.picture,
        "another run of the library opens in another tab",
    )
    pump(SETTLE_S)
    hands.expect(not window.scope.plots.cursors.all, "cursors stay with their run")
    hands.look("tabs")
    hands.click_part(bar, bar.tabRect(before.at))
    hands.wait(lambda: window.station.state.folder == before.folder, "a click on a tab shows it")
    pump(SETTLE_S)


def _report(hands: Hands) -> None:
    """Reads the page of a run in the window."""
    library = hands.window.library
    hands.key("ctrl+4")
    hands.key("Down", "End")
    hands.click(library.buttons["report"])
    hands.wait(lambda: "irqscope" in library.pages.browser.toPlainText(), "the report is shown")
    hands.look("report")
    hands.key("Escape")


def _killed(hands: Hands) -> None:
    """The twin dies in a run: the window says so, and Run starts another one."""
    window, scope = hands.window, hands.window.scope
    hands.key("ctrl+1")
    hands.click(window.connect_screen.start)
    hands.wait(lambda: window.station.state.done > _SOME, "a run on the twin", _RUN_S)
    before = scope.trace.widget.mapToGlobal(scope.trace.widget.rect().topLeft()), scope.height()
    for pid in _children():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    hands.wait(window.fault.isVisible, "that the twin died is said", 60)
    pump(SETTLE_S)
    after = scope.trace.widget.mapToGlobal(scope.trace.widget.rect().topLeft()), scope.height()
    hands.expect(before == after, "what is said moves nothing")
    counters = scope.counters.text()
    hands.expect(counters.startswith("✗ invalid: "), f"the verdict says why: {counters}")
    hands.look("killed")
    _run(hands)
    hands.expect(window.fault.isHidden(), "it goes away when it is not true any more")
    hands.click(scope.run_button)
    hands.wait(lambda: window.station.state.link is Link.READY, "Stop ends the run", 60)


def _children() -> list[int]:
    """Processes that this one has started and that run the twin."""
    children = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            words = (folder / "cmdline").read_bytes()
            if int(stat[1]) == os.getpid() and b"--profile" in words:
                children.append(int(folder.name))
    return children


def _suite(hands: Hands) -> None:
    """One run of a suite, a loss map, through the queue; the Scope screen says whose it is."""
    window = hands.window
    screen, chooser = window.experiments, window.experiments.chooser
    hands.key("ctrl+3")
    hands.wait(chooser.checked, "the suite is read")
    hands.wait(lambda: chooser.suite.findText("cv32rt") < 0, "suites of other targets are left out")
    hands.click(chooser.suite)
    hands.look("suites")
    _take(hands, chooser.suite, "loss")
    hands.wait(lambda: chooser.checked() == ("edge", "level"), "another suite is read")
    hands.click(chooser.none)
    item = chooser.runs.topLevelItem(0)
    assert item is not None  # it has two
    port = chooser.runs.viewport()
    assert port is not None  # a view always has one
    hands.click_part(port, chooser.runs.visualItemRect(item))
    hands.key("space")
    hands.click(chooser.add_button)
    hands.wait(lambda: screen.queue.jobs, "the run is in the queue")
    hands.click(screen.run_button)
    hands.wait(lambda: screen.queue.running, "the queue is run")
    hands.look("queue")
    hands.key("ctrl+2")
    hands.expect(window.scope.run_button.text() == "Stop suite", "Scope says that a suite is run")
    hands.wait(lambda: screen.queue.job is None, "the end of the queue", 2 * _RUN_S)
    hands.key("ctrl+3")
    hands.look("queue-done")
    _click_row(hands, screen.table, 0)
    hands.double_click()
    hands.wait(
        lambda: (picture := window.station.feed.picture) and picture.run.part(LossMap),
        "a double click opens the loss map",
    )
    pump(SETTLE_S)
    hands.expect(window.scope.plots.views["loss"].page.isVisible(), "which is in the trace's place")
    hands.expect(not window.scope.histogram.widget.isVisible(), "alone")
    hands.look("loss")


def _take(hands: Hands, combo: QComboBox, text: str) -> None:
    """An entry of a list that is open."""
    hands.key("Home")
    for _ in range(combo.findText(text)):
        hands.key("Down")
    hands.key("Return")


SESSIONS: dict[str, Callable[[Hands], None]] = {"first": first, "second": second, "third": third}
