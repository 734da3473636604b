"""Widgets as all screens make them."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, Qt, QTimer
from PyQt6.QtGui import QAction, QHelpEvent, QKeySequence, QPaintEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
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

#: Titles of columns whose cells begin on the left.
OVER_TEXTS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def label(text: str, role: str, *, wraps: bool = False) -> QLabel:
    """A label with a role, a name that the theme's style sheet knows."""
    made = QLabel(text)
    made.setProperty("role", role)
    made.setWordWrap(wraps)
    return made


class SpareLabel(QLabel):
    """A label that takes what room is left: a long text widens no window, and is seen to go on."""

    def __init__(self, role: str) -> None:
        super().__init__("")
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    @property
    def cut(self) -> str:
        """The text as far as it fits, with an ellipsis where it does not."""
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)

    def event(self, event: QEvent | None) -> bool:
        """What is cut can be read in the tip, unless that says something else."""
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
    """A button that does something."""
    made = QPushButton(text)
    made.clicked.connect(lambda _: clicked())
    made.setToolTip(hint)
    return made


def switch(text: str, toggled: Callable[[], object], hint: str = "") -> QPushButton:
    """A button that stays down until it is pressed again."""
    made = QPushButton(text)
    made.setCheckable(True)
    made.toggled.connect(lambda _: toggled())
    made.setToolTip(hint)
    return made


def action(
    parent: QWidget, text: str, keys: str, done: Callable[[], object], hint: str = ""
) -> QAction:
    """Something that can be done with a widget: by its menu, and by keys while it has the focus."""
    made = QAction(text, parent)
    made.triggered.connect(lambda _: done())
    made.setShortcut(QKeySequence(keys))
    made.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    made.setToolTip(f"{keys}: {hint}" if keys and hint else hint or keys)
    parent.addAction(made)
    parent.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    return made


def action_button(of: QAction) -> QPushButton:
    """A button that does the same, and can where the action can."""
    made = button(of.text(), of.trigger, of.toolTip())
    made.setEnabled(of.isEnabled())
    of.enabledChanged.connect(made.setEnabled)
    return made


def splitter(name: str, orientation: Qt.Orientation, *parts: QWidget) -> QSplitter:
    """Parts beside each other; ``name``: by which their sizes are kept."""
    made = QSplitter(orientation)
    made.setObjectName(name)
    for part in parts:
        made.addWidget(part)
    return made


def timer(parent: QObject, interval_ms: int, tick: Callable[[], object]) -> QTimer:
    """A timer that calls ``tick`` every ``interval_ms``, begun already."""
    made = QTimer(parent)
    made.setInterval(interval_ms)
    made.setTimerType(Qt.TimerType.PreciseTimer)
    made.timeout.connect(tick)
    made.start()
    return made


def table(rows: int, columns: tuple[str, ...]) -> QTableWidget:
    """A table that is read, its columns as wide as their texts, the last one as the rest."""
    made = QTableWidget(rows, len(columns))
    made.setHorizontalHeaderLabels(columns)
    made.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    made.setTabKeyNavigation(False)  # arrows go through its cells; Tab goes on to what is next
    made.setAlternatingRowColors(True)
    made.setShowGrid(False)
    made.setWordWrap(False)
    header = made.horizontalHeader()
    assert header is not None  # a table view always has one
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setStretchLastSection(True)
    header.setDefaultAlignment(OVER_TEXTS)
    return made
