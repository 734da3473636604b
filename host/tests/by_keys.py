"""Menus and dialogs as who has no mouse meets them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

from PyQt6 import sip
from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QContextMenuEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QMenu

_LOOK_MS = 20


@contextmanager
def meanwhile(keys: Callable[[QMenu | QDialog], None]):
    """The user's keys in the menu or dialog that must open."""
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
    """Presses a key at the focus, or ``on`` a widget.

    No window manager restores the focus after a dialog.
    """
    if on is not None:
        on.window().activateWindow()
        assert QTest.qWaitForWindowActive(on.window(), 5000)
        on.setFocus()
    modal = QApplication.activeModalWidget()
    inside = modal and (modal.focusWidget() or modal)
    top = on or QApplication.activePopupWidget() or inside or QApplication.focusWidget()
    assert top is not None
    QTest.keyClick(top, key, held)
    if held is not Qt.KeyboardModifier.NoModifier and not sip.isdeleted(top):
        QTest.keyRelease(top, Qt.Key.Key_Control)  # Qt takes it for held until a key says otherwise


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
    collected = []
    for _ in range(60):
        press(Qt.Key.Key_Down)
        now = menu.activeAction()
        if now is None or now in collected:
            break
        collected.append(now)
    return {one.text() for one in collected}


def take(menu, text):
    """Down to an entry, and Enter."""
    for _ in range(60):
        if (now := menu.activeAction()) is not None and now.text() == text:
            break
        press(Qt.Key.Key_Down)
    else:
        raise AssertionError(f"no entry {text}")
    press(Qt.Key.Key_Return)
