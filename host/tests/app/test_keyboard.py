"""Keys alone reach everything: Tab comes by each control of each screen, and back."""

from __future__ import annotations

import pytest
from app.by_hand import edit_pattern, go_to, next_frame, open_folder
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6 import sip
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTableView,
    QWidget,
)

from irqscope_app.keys import Key, Keys

_CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit,
)  # fmt: skip
#: More than any screen has.
_MOST = 120


def controls(root):
    """Controls that a mouse could use, without the internal parts of Qt's."""
    return {
        widget
        for kind in _CONTROLS
        for widget in root.findChildren(kind)
        if widget.isVisible()
        and widget.isEnabled()
        and not isinstance(widget, QHeaderView)
        and not isinstance(widget.parent(), QComboBox | QAbstractSpinBox)
        and not (isinstance(widget, QAbstractButton) and isinstance(widget.parent(), QTableView))
    }


def reached():
    """All widgets that Tab passes, from the one with focus until it returns there."""
    focused = []
    while len(focused) < _MOST:
        now = QApplication.focusWidget()
        if now in focused[:1]:
            break
        focused.append(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    return set(focused)


@pytest.mark.parametrize(
    "screen", ["Connect", "Scope", "Pattern", "Experiments", "Library", "Compare"]
)
def test_tab_comes_by_each_control(window, until, tmp_path, screen):
    write_run(tmp_path / "runs" / "run", described(), [60 + n % 40 for n in range(300)])
    window.library.refresh()
    open_folder(window, tmp_path / "runs" / "run")
    until(lambda: window.station.state.folder and window.library.table.rowCount())
    next_frame(window.scope.painter)
    QTest.keyClick(window.scope, Qt.Key.Key_M)
    next_frame(window.scope.painter)
    QTest.keyClick(window.scope, Qt.Key.Key_W)
    until(lambda: window.worst.chosen)
    until(lambda: window.experiments.chooser.checked() or not window.experiments.isVisible())
    if screen == "Pattern":
        edit_pattern(window)
    else:
        go_to(window, screen)
    window.activateWindow()
    until(QApplication.focusWidget)
    missed = controls(window.centralWidget()) - reached()
    assert not missed, {(type(one).__name__, one.accessibleName()) for one in missed}


def test_the_focus_may_move_after_the_scope_is_gone(qapp, qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    scope, pattern = QWidget(window), QWidget(window)
    keys = Keys(window, scope, pattern, [Key("M", "mark", lambda: None)])
    sip.delete(scope)
    qapp.focusChanged.emit(None, pattern)  # an exception in a slot fails the test
    assert keys.all
