"""The log dock: events, and the command line of each action."""

from __future__ import annotations

import time

from PyQt6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from irqscope_app.control.station import Station
from irqscope_app.widgets.common import button

#: Levels, least important first. Commands are always shown.
LEVELS = ("info", "warning", "error")
#: Lines kept.
_LINES = 5000


class LogLine(QPushButton):
    """The last line of the log; a click shows the others."""

    def __init__(self, station: Station) -> None:
        super().__init__("log")
        self.setProperty("role", "line")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip("Ctrl+L: all of the log")
        self.setFlat(True)
        station.told.connect(lambda level, text: self.setText(_line(level, text)))


class Log(QWidget):
    """Lines with time and level; hides those below the selected level."""

    def __init__(self, station: Station) -> None:
        super().__init__()
        self._lines: list[tuple[str, str]] = []
        self.level = QComboBox()
        self.level.addItems(LEVELS)
        self.level.setToolTip("Least level shown; command lines always are")
        self.level.currentTextChanged.connect(lambda _: self._show())
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setMaximumBlockCount(_LINES)
        row = QHBoxLayout()
        row.addWidget(self.level)
        row.addWidget(button("Clear", self._clear))
        row.addStretch()
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.addWidget(self.text)
        station.told.connect(self._add)

    def _add(self, level: str, text: str) -> None:
        self._lines.append((level, _line(level, text)))
        del self._lines[:-_LINES]
        if self._wanted(level):
            self.text.appendPlainText(self._lines[-1][1])

    def _wanted(self, level: str) -> bool:
        lowest = LEVELS.index(self.level.currentText())
        return level == "command" or LEVELS.index(level) >= lowest

    def _show(self) -> None:
        self.text.setPlainText(
            "\n".join(text for level, text in self._lines if self._wanted(level))
        )

    def _clear(self) -> None:
        self._lines.clear()
        self.text.clear()


def _line(level: str, text: str) -> str:
    mark = "$" if level == "command" else level
    return f"{time.strftime('%H:%M:%S')}  {mark:<8} {text}"
