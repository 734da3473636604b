"""Widgets that all screens share."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtGui import QAction, QHelpEvent, QKeySequence, QPaintEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStyle,
    QStylePainter,
    QTableWidget,
    QToolTip,
    QWidget,
)

#: Titles of columns with left-aligned cells.
OVER_TEXTS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def label(text: str, role: str, *, wraps: bool = False) -> QLabel:
    """A label with a role, a name that the theme's style sheet knows."""
    widget = QLabel(text)
    widget.setProperty("role", role)
    widget.setWordWrap(wraps)
    return widget


class SpareLabel(QLabel):
    """A label in the remaining room: a long text is shortened and widens no window."""

    def __init__(self, role: str) -> None:
        super().__init__("")
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def cut(self) -> str:
        """The text as far as it fits, with an ellipsis if it is cut."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)

    def event(self, event: QEvent | None) -> bool:
        """Shows a cut text in the tool tip, unless the label has another tip."""
        if isinstance(event, QHelpEvent) and not self.toolTip() and self.cut != self.text():
            QToolTip.showText(event.globalPos(), self.text(), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draws the text as far as it fits."""
        painter, style = QStylePainter(self), self.style()
        assert style is not None  # every widget has one
        style.drawItemText(
            painter,
            self.contentsRect(),
            int(self.alignment()),
            self.palette(),
            self.isEnabled(),
            self.cut,
            self.foregroundRole(),
        )


class VerdictLabel(SpareLabel):
    """A label whose text has its role's colour up to the first separator."""

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draws the verdict in its colour, and the figures in that of texts."""
        verdict, dot, figures = self.cut.partition(" · ")
        painter, style, room = QStylePainter(self), self.style(), self.contentsRect()
        own, plain = self.palette(), QApplication.palette()
        assert style is not None  # every widget has one
        for text, palette in ((verdict, own), (dot + figures, plain)):
            style.drawItemText(painter, room, int(self.alignment()), palette, True, text,
                               self.foregroundRole())  # fmt: skip
            room.setLeft(room.left() + self.fontMetrics().horizontalAdvance(text))


def show_as(shown: QLabel | QPushButton, role: str, text: str) -> None:
    """Changes text and role of a label or a button."""
    if shown.text() != text:
        shown.setText(text)
    style_as(shown, role)


def style_as(shown: QWidget, role: str) -> None:
    """Changes the role of a widget."""
    if shown.property("role") != role:
        shown.setProperty("role", role)
        style: QStyle | None = shown.style()
        if style is not None:
            style.unpolish(shown)
            style.polish(shown)


def button(text: str, clicked: Callable[[], object], hint: str = "") -> QPushButton:
    """A button with an action."""
    widget = QPushButton(text)
    widget.clicked.connect(lambda _: clicked())
    widget.setToolTip(hint)
    return widget


def switch(text: str, toggled: Callable[[], object], hint: str = "") -> QPushButton:
    """A toggle button."""
    widget = QPushButton(text)
    widget.setCheckable(True)
    widget.toggled.connect(lambda _: toggled())
    widget.setToolTip(hint)
    return widget


def action(
    parent: QWidget, text: str, keys: str, done: Callable[[], object], hint: str = ""
) -> QAction:
    """An action of a widget, in its menu and by keys while it has the focus."""
    result = QAction(text, parent)
    result.triggered.connect(lambda _: done())
    result.setShortcut(QKeySequence(keys))
    result.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    result.setToolTip(f"{keys}: {hint}" if keys and hint else hint or keys)
    parent.addAction(result)
    parent.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    return result


def action_button(of: QAction) -> QPushButton:
    """A button for an action, enabled with it."""
    widget = button(of.text(), of.trigger, of.toolTip())
    widget.setEnabled(of.isEnabled())
    of.enabledChanged.connect(widget.setEnabled)
    return widget


def splitter(name: str, orientation: Qt.Orientation, *parts: QWidget) -> QSplitter:
    """A splitter of parts; ``name``: name under which their sizes are saved."""
    widget = QSplitter(orientation)
    widget.setObjectName(name)
    for part in parts:
        widget.addWidget(part)
    return widget


def timer(parent: QObject, interval_ms: int, tick: Callable[[], object]) -> QTimer:
    """A started timer that calls ``tick`` every ``interval_ms``."""
    result = QTimer(parent)
    result.setInterval(interval_ms)
    result.setTimerType(Qt.TimerType.PreciseTimer)
    result.timeout.connect(tick)
    result.start()
    return result


def table(rows: int, columns: tuple[str, ...]) -> QTableWidget:
    """A read-only table with columns as wide as their texts; the last one takes the rest."""
    widget = QTableWidget(rows, len(columns))
    widget.setHorizontalHeaderLabels(columns)
    widget.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    widget.setTabKeyNavigation(False)  # arrows move between cells; Tab leaves the table
    widget.setShowGrid(False)
    widget.setWordWrap(False)
    header = widget.horizontalHeader()
    assert header is not None  # a table view always has one
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setStretchLastSection(True)
    header.setDefaultAlignment(OVER_TEXTS)
    return widget
