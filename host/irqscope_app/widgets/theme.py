"""Dark and light colours of window and plots.

Colour never carries information that no text gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QPalette
from PyQt6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget


@dataclass(frozen=True)
class Theme:
    """Colours as ``#rrggbb``. Data carry hue, controls carry tone.

    Attributes:
        window: ground of the window.
        panel: ground of fields, buttons and cards.
        plot: ground of data.
        selected: ground of what is selected or pressed.
        text: text, cursors and intervals.
        faint: labels, ticks and references.
        grid: grid lines and separators.
        border: borders of controls and of segments.
        dense: end of the density ramp.
        primary: ground of the one button of a screen that begins something.
        focus: ring of the control with the keyboard.
        good: valid.
        warning: a verdict with a note, a hint, the threshold.
        bad: invalid, a fault, recording.
        board: badge of a board.
        simulation: badge of a twin or a soft core.
        capture: badge of another instrument.
        series: channels, lines and runs, told apart also by colour-blind readers.
    """

    name: str
    window: str
    panel: str
    plot: str
    selected: str
    text: str
    faint: str
    grid: str
    border: str
    dense: str
    primary: str
    focus: str
    good: str
    warning: str
    bad: str
    board: str
    simulation: str
    capture: str
    on_badge: str
    series: tuple[str, ...]


DARK = Theme(
    name="dark",
    window="#14171C",
    panel="#1D2228",
    plot="#0E1114",
    selected="#2B323B",
    text="#E9ECEF",
    faint="#9DA7B2",
    grid="#272D34",
    border="#68737F",
    dense="#E3F1FF",
    primary="#6F5BEA",
    focus="#B0A4FF",
    good="#58CB92",
    warning="#F0BC4E",
    bad="#FF8373",
    board="#C6DB6B",
    simulation="#7CD3E6",
    capture="#E5B79A",
    on_badge="#0E1114",
    series=(
        "#58A6F5", "#F0A03C", "#8BEFC4", "#DE5590", "#F0E442", "#D55E00", "#009E73", "#FFFFFF",
    ),
)  # fmt: skip
LIGHT = Theme(
    name="light",
    window="#F2F4F6",
    panel="#FFFFFF",
    plot="#FFFFFF",
    selected="#DCE3EA",
    text="#14181D",
    faint="#55606B",
    grid="#DDE2E7",
    border="#7E8994",
    dense="#08264D",
    primary="#5543D4",
    focus="#5543D4",
    good="#0A7347",
    warning="#855700",
    bad="#B8281E",
    board="#566500",
    simulation="#0B6A7D",
    capture="#84502F",
    on_badge="#FFFFFF",
    series=(
        "#1667C4", "#A65E00", "#0A7A3F", "#701C46", "#56B4E9", "#E69F00", "#8A7F00", "#000000",
    ),
)  # fmt: skip
#: Type of all texts, the first that is installed.
_FAMILIES = "Inter", "Segoe UI", "Noto Sans", "Nimbus Sans"
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


class _Style(QProxyStyle):
    """Shows each label's text as plain text.

    Some of it comes from files and targets, and Qt would interpret HTML in it, with pictures and
    links. Tips and dialogs also consist of labels.
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
        QPalette.ColorRole.Highlight: theme.selected,
        QPalette.ColorRole.HighlightedText: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.faint,
        QPalette.ColorRole.Link: theme.series[0],
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
    font = application.font()
    font.setFamilies([*_FAMILIES, font.family()])
    application.setFont(font)
    application.setStyleSheet(_STYLE.format(**vars(theme)))


_STYLE = """
QWidget {{ font-size: 13px; }}
QToolBar#rail {{ background: {window}; border: none; border-right: 1px solid {grid};
    padding: 4px; spacing: 4px; }}
QToolBar#rail QToolButton {{ padding: 9px 4px; border-radius: 6px; min-width: 66px;
    font-size: 12px;    color: {faint}; border: 1px solid transparent; }}
QToolBar#rail QToolButton:checked {{ background: {selected}; color: {text}; font-weight: 600; }}
QToolBar#rail QToolButton:hover:!checked {{ background: {panel}; }}
QPushButton {{ padding: 5px 9px; border: 1px solid {border}; border-radius: 6px;
    background: {panel}; }}
QPushButton:hover {{ background: {selected}; }}
QPushButton:disabled {{ color: {faint}; border: 1px dashed {border}; }}
QPushButton:checked {{ background: {selected}; border-color: {text}; }}
QPushButton[role="primary"] {{ background: {primary}; color: #FFFFFF; border-color: {primary};
    font-weight: 600; }}
QPushButton[role="primary"]:disabled {{ background: {panel}; color: {faint};
    border-color: {border}; }}
QPushButton[role="close"] {{ border: none; background: transparent; color: {faint}; padding: 0 3px;
    min-width: 14px; }}
QPushButton[role="close"]:hover {{ color: {text}; }}
QTabBar {{ background: {window}; }}
QTabBar::tab {{ background: {window}; color: {faint}; padding: 7px 12px; min-width: 60px;
    max-width: 260px; border: none; border-top: 2px solid transparent; }}
QTabBar::tab:selected {{ background: {plot}; color: {text}; border-top: 2px solid {text}; }}
QTabBar::tab:hover:!selected {{ background: {panel}; }}
QTabBar::tab:disabled {{ color: {border}; }}
QTabBar QToolButton {{ background: {panel}; border: 1px solid {border}; }}
QPushButton[role="line"] {{ text-align: left; border: 1px solid transparent;
    background: {window}; color: {faint}; padding: 1px 6px; }}
QPushButton:focus, QToolBar#rail QToolButton:focus, QComboBox:focus, QLineEdit:focus,
    QSpinBox:focus, QPlainTextEdit:focus, QTableView:focus, QListWidget:focus
    {{ border: 1px solid {focus}; }}
QPushButton[role="primary"]:focus {{ border: 2px solid {text}; padding: 4px 8px; }}
QFrame[role="card"] {{ background: {panel}; border: none; border-radius: 6px; }}
QLabel[role="title"] {{ font-size: 19px; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: 14px; font-weight: 600; }}
QLabel[role="faint"] {{ color: {faint}; }}
QLabel[role="board"] {{ border: 1px solid {board}; border-radius: 4px;
    padding: 2px 8px; font-weight: 600; }}
QLabel[role="simulation"] {{ border: 1px dashed {simulation}; border-radius: 4px;
    padding: 2px 8px; font-weight: 600; }}
QLabel[role="capture"] {{ border: 1px solid {capture}; border-radius: 4px;
    padding: 2px 8px; font-weight: 600; }}
QLabel[role="none"] {{ color: {faint}; padding: 2px 8px; }}
QLabel[role="good"] {{ color: {good}; }}
QLabel[role="warning"] {{ color: {warning}; font-weight: 600; }}
QLabel[role="bad"] {{ color: {bad}; font-weight: 600; }}
QFrame#fault {{ background: {bad}; border-radius: 6px; }}
QFrame#fault[role="warning"] {{ background: {warning}; }}
QFrame#fault QLabel {{ color: {on_badge}; font-weight: 600; }}
QHeaderView::section {{ background: {window}; color: {faint}; border: none; padding: 4px 6px; }}
QTableView, QListWidget {{ border: 1px solid {grid}; gridline-color: {grid};
    background: {plot}; }}
QTableView::item:selected, QListWidget::item:selected {{ background: {selected}; color: {text}; }}
QComboBox {{ combobox-popup: 0; }}
QComboBox::drop-down {{ border: none; }}
QPlainTextEdit, QComboBox, QLineEdit, QSpinBox {{ border: 1px solid {border}; border-radius: 6px;
    padding: 3px 5px; background: {panel}; }}
QComboBox QAbstractItemView {{ background: {panel}; color: {text};
    selection-background-color: {selected}; selection-color: {text}; outline: none; }}
QComboBox QAbstractItemView::item {{ padding: 3px 5px; }}
QComboBox QAbstractItemView::item:selected {{ background: {selected}; color: {text}; }}
QDockWidget::title {{ background: {panel}; padding: 5px 8px; }}
QStatusBar {{ background: {window}; border-top: 1px solid {grid}; }}
QStatusBar::item {{ border: none; }}
QProgressBar {{ border: 1px solid {border}; border-radius: 6px; text-align: center;
    background: {panel}; }}
QProgressBar::chunk {{ background: {selected}; border-radius: 5px; }}
QSplitter::handle {{ background: {grid}; }}
QToolTip {{ background: {panel}; color: {text}; border: 1px solid {border}; }}
"""
