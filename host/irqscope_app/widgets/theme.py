"""Dark and light colours of window and plots. Colour never carries information that no text
gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget

#: Okabe and Ito's colours, told apart also by colour-blind readers; in the order that each
#: background sets off best.
_ON_DARK = ("#56B4E9", "#E69F00", "#009E73", "#CC79A7", "#F0E442", "#D55E00", "#0072B2", "#FFFFFF")
_ON_LIGHT = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A7F00")


@dataclass(frozen=True)
class Theme:
    """Colours as ``#rrggbb``. ``series``: colours of channels, lines and runs."""

    name: str
    window: str
    panel: str
    plot: str
    text: str
    faint: str
    grid: str
    accent: str
    good: str
    warning: str
    bad: str
    on_badge: str
    series: tuple[str, ...]


DARK = Theme(
    name="dark",
    window="#1d2126",
    panel="#262b31",
    plot="#15181c",
    text="#e6e8ea",
    faint="#98a1aa",
    grid="#3a4149",
    accent="#56B4E9",
    good="#35b58a",
    warning="#e6a817",
    bad="#f0705a",
    on_badge="#101316",
    series=_ON_DARK,
)
LIGHT = Theme(
    name="light",
    window="#f1f3f5",
    panel="#ffffff",
    plot="#ffffff",
    text="#1c2126",
    faint="#5d6770",
    grid="#d5dade",
    accent="#0072B2",
    good="#00714f",
    warning="#9a6100",
    bad="#b3261e",
    on_badge="#ffffff",
    series=_ON_LIGHT,
)
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


class _Style(QProxyStyle):
    """Shows each label's text as plain text: some of it comes from files and targets, and Qt would
    interpret HTML in it, with pictures and links. Tips and dialogs also consist of labels.
    """

    def polish(self, shown: QWidget | QApplication | QPalette | None) -> Any:
        """Sets a label to plain text; Qt calls this once for each widget before it is shown."""
        if isinstance(shown, QLabel):
            shown.setTextFormat(Qt.TextFormat.PlainText)
        return super().polish(shown)


def apply(application: QApplication, theme: Theme) -> None:
    """Sets the colours of all windows, if they differ. Plots set their own."""
    if application.property("theme") == theme.name:
        return
    if application.property("theme") is None:
        application.setStyle(_Style("Fusion"))
    application.setProperty("theme", theme.name)
    application.setStyleSheet("")  # replacing a style takes three times as long
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.panel,
        QPalette.ColorRole.AlternateBase: theme.window,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.Button: theme.panel,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.ToolTipBase: theme.panel,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Highlight: theme.accent,
        QPalette.ColorRole.HighlightedText: theme.on_badge,
        QPalette.ColorRole.PlaceholderText: theme.faint,
        QPalette.ColorRole.Link: theme.accent,
    }
    for role, colour in roles.items():
        palette.setColor(role, QColor(colour))
    disabled = QPalette.ColorGroup.Disabled
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        palette.setColor(disabled, role, QColor(theme.faint))
    application.setPalette(palette)
    application.setStyleSheet(_STYLE.format(**vars(theme)))


_STYLE = """
QWidget {{ font-size: 13px; }}
QToolBar#rail {{ background: {panel}; border: none; padding: 6px; spacing: 4px; }}
QToolBar#rail QToolButton {{ padding: 9px 8px; border-radius: 5px; min-width: 76px; }}
QToolBar#rail QToolButton:checked {{ background: {accent}; color: {on_badge}; font-weight: 600; }}
QToolBar#rail QToolButton:hover:!checked {{ background: {grid}; }}
QPushButton {{ padding: 5px 9px; border: 1px solid {grid}; border-radius: 5px;
    background: {panel}; }}
QPushButton:hover {{ border-color: {accent}; }}
QPushButton:disabled {{ color: {faint}; }}
QPushButton:checked {{ background: {accent}; color: {on_badge}; }}
QPushButton[role="primary"] {{ background: {accent}; color: {on_badge}; border-color: {accent};
    font-weight: 600; }}
QPushButton[role="primary"]:disabled {{ background: {grid}; color: {faint}; border-color: {grid}; }}
QPushButton[role="line"] {{ text-align: left; border: none; background: {window}; color: {faint};
    padding: 1px 6px; }}
QFrame[role="card"] {{ background: {panel}; border: 1px solid {grid}; border-radius: 7px; }}
QLabel[role="title"] {{ font-size: 19px; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: 14px; font-weight: 600; }}
QLabel[role="faint"] {{ color: {faint}; }}
QLabel[role="board"] {{ background: {good}; color: {on_badge}; border-radius: 4px;
    padding: 2px 8px; font-weight: 600; }}
QLabel[role="simulation"] {{ background: {warning}; color: {on_badge}; border-radius: 4px;
    padding: 2px 8px; font-weight: 600; }}
QLabel[role="capture"] {{ background: {accent}; color: {on_badge}; border-radius: 4px;
    padding: 2px 8px; font-weight: 600; }}
QLabel[role="none"] {{ color: {faint}; padding: 2px 8px; }}
QLabel[role="good"] {{ color: {good}; }}
QLabel[role="warning"] {{ color: {warning}; font-weight: 600; }}
QLabel[role="bad"] {{ color: {bad}; font-weight: 600; }}
QFrame#fault {{ background: {bad}; border-radius: 5px; }}
QFrame#fault[role="warning"] {{ background: {warning}; }}
QFrame#fault QLabel {{ color: {on_badge}; font-weight: 600; }}
QHeaderView::section {{ background: {window}; color: {faint}; border: none; padding: 4px 6px; }}
QTableView {{ border: 1px solid {grid}; gridline-color: {grid};
    alternate-background-color: {window}; }}
QComboBox {{ combobox-popup: 0; }}
QPlainTextEdit, QComboBox, QLineEdit, QSpinBox {{ border: 1px solid {grid}; border-radius: 4px;
    padding: 3px 5px; background: {panel}; }}
QComboBox QAbstractItemView {{ background: {panel}; color: {text};
    selection-background-color: {accent}; selection-color: {on_badge}; outline: none; }}
QComboBox QAbstractItemView::item {{ padding: 3px 5px; }}
QComboBox QAbstractItemView::item:selected {{ background: {accent}; color: {on_badge}; }}
QDockWidget::title {{ background: {panel}; padding: 5px 8px; }}
QStatusBar {{ background: {panel}; }}
QStatusBar::item {{ border: none; }}
QProgressBar {{ border: 1px solid {grid}; border-radius: 4px; text-align: center;
    background: {panel}; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}
QSplitter::handle {{ background: {window}; }}
"""
