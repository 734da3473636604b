"""Every menu and every dialog by keys alone: opened, gone through, answered, and left by Esc."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

import pytest
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6 import sip
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu, QMessageBox

from irqscope.gui.state import Link
from irqscope.results import note

_LOOK_MS = 20
_ALT, _CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def shown(window, until, tmp_path):
    """A window with the keyboard, and a run in the library and on the Scope screen."""
    for name in ("run-a", "run-b"):
        write_run(tmp_path / "runs" / name, described(), [60 + n % 40 for n in range(300)])
    window.library.refresh()
    window.opener.open_run(tmp_path / "runs" / "run-a")
    until(lambda: window.station.state.folder and window.library.table.rowCount() == 2)
    window.scope.paint_data()
    window.activateWindow()
    until(window.isActiveWindow)
    return window


@contextmanager
def meanwhile(keys: Callable[[QMenu | QDialog], None]):
    """What the user does in the menu or the dialog that comes up; it has to come up."""
    came = []
    look = QTimer()

    def tick():
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if top is None or (isinstance(top, QDialog) and top.focusWidget() is None):
            return
        look.stop()
        came.append(top)
        try:
            keys(top)
        finally:  # whatever was done, nobody waits for it for ever
            QTimer.singleShot(0, lambda: None if sip.isdeleted(top) else top.close())

    look.timeout.connect(tick)
    look.start(_LOOK_MS)
    yield
    for _ in range(100):
        if came:
            break
        QTest.qWait(_LOOK_MS)
    look.stop()
    assert came


def press(key, *, on=None, held=Qt.KeyboardModifier.NoModifier):
    """Where the focus is, or ``on`` a widget: no window manager gives it back behind a dialog."""
    if on is not None:
        on.window().activateWindow()
        assert QTest.qWaitForWindowActive(on.window(), 5000)
        on.setFocus()
    modal = QApplication.activeModalWidget()
    inside = modal and (modal.focusWidget() or modal)
    top = on or QApplication.activePopupWidget() or inside or QApplication.focusWidget()
    assert top is not None
    QTest.keyClick(top, key, held)


def write(dialog, text):
    """Into what has the keyboard there."""
    QTest.keyClicks(dialog.focusWidget(), text)


def menu_key(widget):
    """The platform makes this of the key for menus."""
    place = widget.rect().center()
    reason = QContextMenuEvent.Reason.Keyboard
    QApplication.sendEvent(
        widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place))
    )  # fmt: skip


def entries(menu):
    """All that arrows come by, from the first to where they began."""
    found = []
    for _ in range(60):
        press(Qt.Key.Key_Down)
        now = menu.activeAction()
        if now is None or now in found:
            break
        found.append(now)
    return {one.text() for one in found}


@pytest.mark.parametrize(("letter", "title"), [("F", "&File"), ("V", "&View"), ("H", "&Help")])
def test_each_menu_of_the_bar_is_opened_by_its_letter(shown, letter, title):
    QTest.keyClick(shown.scope, getattr(Qt.Key, f"Key_{letter}"), _ALT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and menu.title() == title
    came = entries(menu)
    usable = {one.text() for one in menu.actions() if one.isEnabled() and not one.isSeparator()}
    assert usable <= came
    press(Qt.Key.Key_Escape)
    assert not menu.isVisible()


def test_what_was_opened_before_is_opened_by_keys(shown, until, tmp_path):
    other = tmp_path / "runs" / "run-b"
    shown.opener.open_run(other)
    until(lambda: shown.station.state.folder == other)
    QTest.keyClick(shown.scope, Qt.Key.Key_F, _ALT)
    menu = QApplication.activePopupWidget()
    for _ in menu.actions():
        press(Qt.Key.Key_Down)
        if menu.activeAction().text() == "Recent":
            break
    press(Qt.Key.Key_Right)
    below = QApplication.activePopupWidget()
    assert below is not menu and len(below.actions()) == 2
    for _ in below.actions():
        if below.activeAction() is not below.actions()[1]:
            press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Return)
    until(lambda: shown.station.state.folder == tmp_path / "runs" / "run-a")


def places(window):
    """Widgets that have a menu, by where they are."""
    scope = window.scope
    return {
        "trace": ("Scope", scope.trace.widget),
        "histogram": ("Scope", scope.histogram.widget),
        "tail": ("Scope", scope.ccdf.widget),
        "films": ("Scope", window.films),
        "library": ("Library", window.library.table),
        "comparison": ("Compare", window.compare.histogram.widget),
    }


@pytest.mark.parametrize(
    ("where", "has"),
    [
        ("trace", "Maximise"),
        ("histogram", "Logarithmic count"),
        ("tail", "Save as PNG or SVG …"),
        ("films", "Take as reference"),
        ("library", "Report"),
        ("comparison", "In a window of its own"),
    ],
)
def test_a_menu_of_a_part_comes_by_the_key_for_menus(shown, until, where, has):
    screen, widget = places(shown)[where]
    shown.screens.go_to(screen)
    widget.setFocus()
    if where == "films":
        until(lambda: widget.count() == 2)
        widget.setCurrentRow(0)
    found = []

    def keys(menu):
        found.extend(entries(menu))
        press(Qt.Key.Key_Escape)

    with meanwhile(keys):
        menu_key(widget)
    assert has in found
    assert QApplication.activePopupWidget() is None


def test_a_run_is_named_by_keys_or_not(shown, until, tmp_path):
    shown.screens.go_to("Library")
    shown.library.table.selectRow(0)
    folder = shown.library.selected()[0].path

    def leave(dialog):
        write(dialog, "no name")
        press(Qt.Key.Key_Escape)

    with meanwhile(leave):
        press(Qt.Key.Key_F2, on=shown.library.table)
    assert not note.read(folder).name

    def answer(dialog):
        write(dialog, "cold")
        press(Qt.Key.Key_Tab)
        write(dialog, "door open")
        press(Qt.Key.Key_Tab)
        press(Qt.Key.Key_Return)

    with meanwhile(answer):
        press(Qt.Key.Key_F2, on=shown.library.table)
    until(lambda: note.read(folder) == note.Note(name="cold", note="door open"))


def test_a_preset_is_found_and_opened_by_keys(shown):
    shown.screens.edit_pattern()
    button = shown.pattern.preset
    button.setFocus()
    before = shown.pattern.draft.path

    def leave(dialog):
        press(Qt.Key.Key_Escape)

    with meanwhile(leave):
        press(Qt.Key.Key_Space, on=button)
    assert shown.pattern.draft.path == before

    def answer(dialog):
        write(dialog, "horst2020: t")
        press(Qt.Key.Key_Down)
        wanted.append(dialog.list.currentItem().text(0))
        press(Qt.Key.Key_Return)

    wanted = []
    with meanwhile(answer):
        press(Qt.Key.Key_Space, on=button)
    path = shown.pattern.draft.path
    assert path != before and wanted == [f"{path.parent.name}: {path.stem}"]


def test_a_dialog_for_folders_is_left_by_esc(shown):
    """What else it does is Qt's or the desktop's."""
    before = shown.station.state.folder

    def leave(dialog):
        assert isinstance(dialog, QFileDialog)
        press(Qt.Key.Key_Escape)

    with meanwhile(leave):
        press(Qt.Key.Key_O, on=shown.scope, held=_CTRL)
    assert shown.station.state.folder == before


def test_a_question_is_left_by_esc(shown):
    """Before the window closes in a run."""
    shown.station.set(link=Link.MEASURING)

    def leave(dialog):
        assert isinstance(dialog, QMessageBox)
        press(Qt.Key.Key_Escape)

    with meanwhile(leave):
        press(Qt.Key.Key_Q, on=shown.scope, held=_CTRL)
    assert shown.isVisible()
    shown.without_asking = True
