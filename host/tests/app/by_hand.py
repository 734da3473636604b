"""The window by the hand of a user: its buttons, fields, lists and tables, with mouse and keys."""

from __future__ import annotations

from contextlib import contextmanager

from by_keys import meanwhile, menu_key, take
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtTest import QSignalSpy, QTest
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QStyle,
    QStyleOptionViewItem,
    QToolBar,
    QWidget,
)

_LEFT = Qt.MouseButton.LeftButton
_CTRL = Qt.KeyboardModifier.ControlModifier
#: A loaded machine is slow, which is not a failure.
_TIMEOUT_MS = 60_000


def click(widget):
    """A disabled or invisible widget cannot be clicked."""
    assert widget.isVisible() and widget.isEnabled(), widget
    QTest.mouseClick(widget, _LEFT)


def write(field, text):
    """Replaces the field's text; Enter ends it."""
    click(field)
    QTest.keyClick(field, Qt.Key.Key_A, _CTRL)
    QTest.keyClick(field, Qt.Key.Key_Delete)
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def choose(combo, text):
    """Opens the list, goes down to an entry, and Enter."""
    click(combo)
    listed = combo.view()
    QTest.keyClick(listed, Qt.Key.Key_Home)
    for _ in range(combo.count()):
        if listed.currentIndex().data() == text:
            break
        QTest.keyClick(listed, Qt.Key.Key_Down)
    assert listed.currentIndex().data() == text, f"there is no {text}"
    QTest.keyClick(listed, Qt.Key.Key_Return)
    combo.activateWindow()  # no window manager does so for the list
    assert QTest.qWaitForWindowActive(combo.window(), _TIMEOUT_MS)


def click_row(table, row):
    """Its first cell that is shown."""
    assert table.isVisible()
    column = next(n for n in range(table.model().columnCount()) if not table.isColumnHidden(n))
    index = table.model().index(row, column)
    table.scrollTo(index)
    QTest.mouseClick(table.viewport(), _LEFT, pos=table.visualRect(index).center())


def from_menu(widget, entry):
    """By the key for menus, down to an entry, and Enter."""
    with meanwhile(lambda menu: take(menu, entry)):
        menu_key(widget)


# ---- screens, targets and runs -------------------------------------------------------------------


def go_to(window, screen):
    """By the rail on the left."""
    rail = window.findChild(QToolBar, "rail")
    (entry,) = (one for one in rail.actions() if one.text() == screen)
    click(rail.widgetForAction(entry))


def connect(window, target):
    """Types a target into the first screen."""
    go_to(window, "Connect")
    write(window.connect_screen.port, target)


def release(window):
    """Lets go of the target."""
    go_to(window, "Connect")
    click(window.connect_screen.release)


def start_twin(window):
    """From nothing to a live plot."""
    go_to(window, "Connect")
    click(window.connect_screen.start)


def run_or_stop(window):
    """By the button that does both."""
    if not window.scope.isVisible():
        go_to(window, "Scope")
    click(window.scope.run_button)


def drop(widget, *paths):
    """Drags files onto a widget and lets them go there; whether they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    rest = (Qt.DropAction.CopyAction, data, _LEFT, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(QPoint(5, 5), *rest)
    entered.setAccepted(False)
    QApplication.sendEvent(widget, entered)
    if entered.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(5, 5), *rest))
    return entered.isAccepted()


def open_folder(window, folder):
    """Drops a run onto the window, which shows it."""
    assert drop(window, folder)


def next_frame(painted):
    """Waits for one more paint. ``painted``: the widget with the painting timer."""
    widget = painted if isinstance(painted, QWidget) else painted.parent()
    assert widget.isVisible(), "nobody paints what is not seen"
    own = Qt.FindChildOption.FindDirectChildrenOnly
    (timer,) = painted.findChildren(QTimer, options=own)
    # It is told after the window, which was connected first.
    assert QSignalSpy(timer.timeout).wait(_TIMEOUT_MS)


# ---- the pattern ---------------------------------------------------------------------------------


def edit_pattern(window):
    """All of the pattern on the Scope screen."""
    if not window.scope.isVisible():
        go_to(window, "Scope")
    if not window.pattern.isVisible():
        click(window.scope.strip.edit)


@contextmanager
def pattern_seen(window):
    """All of the pattern for a while; the strip alone again, if it was so before."""
    before = window.scope.strip.edit.isChecked()
    edit_pattern(window)
    yield window.pattern
    if not before:
        click(window.scope.strip.edit)


def fill(window, key, text):
    """The field of a key; in the strip, if that has one and the pattern is not seen anyway."""
    strip = window.scope.strip
    if key in strip.fields and not strip.edit.isChecked():
        if not window.scope.isVisible():
            go_to(window, "Scope")
        write(strip.fields[key], text)
        return
    with pattern_seen(window) as pattern:
        field = pattern.fields[key]
        pattern.form.ensureWidgetVisible(field)
        (choose if isinstance(field, QComboBox) else write)(field, text)


def fill_line(window, line, key, text):
    """The cell of a key in the row of a line."""
    with pattern_seen(window) as pattern:
        table, column = pattern.lines, _column(pattern.lines, key)
        combo = table.cellWidget(line, column)
        if isinstance(combo, QComboBox):
            choose(combo, text)
            return
        table.scrollToItem(table.item(line, column))
        place = table.visualItemRect(table.item(line, column)).center()
        QTest.mouseDClick(table.viewport(), _LEFT, pos=place)
        (field,) = (one for one in table.findChildren(QLineEdit) if one.isVisible())
        write(field, text)
        QApplication.processEvents()  # Qt commits what was typed a moment later


def check_line(window, line):
    """Adds a line, or takes it away: the box at the begin of its row."""
    with pattern_seen(window) as pattern:
        table, column = pattern.lines, _column(pattern.lines, "on")
        before = table.item(line, column).checkState()
        option = QStyleOptionViewItem()
        option.rect = table.visualItemRect(table.item(line, column))
        option.features = QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
        element = QStyle.SubElement.SE_ItemViewItemCheckIndicator
        place = table.style().subElementRect(element, option, table).center()
        QTest.mouseClick(table.viewport(), _LEFT, pos=place)
        assert table.item(line, column).checkState() is not before


def add_to_queue(window):
    """Adds the pattern to the queue; the Experiments screen opens."""
    edit_pattern(window)
    click(window.pattern.queue)


def paste(window, text):
    """Pastes another text over that of the experiment."""
    with pattern_seen(window) as pattern:
        QApplication.clipboard().setText(text)
        click(pattern.toml.viewport())
        for key in (Qt.Key.Key_A, Qt.Key.Key_V):
            QTest.keyClick(pattern.toml, key, _CTRL)


def _column(table, key):
    heads = [table.horizontalHeaderItem(n).text() for n in range(table.columnCount())]
    return heads.index(key)
