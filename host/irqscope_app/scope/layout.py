"""The widgets of the scope and their layout."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from irqscope_app.control.station import Station
from irqscope_app.kinds import VIEWS
from irqscope_app.pattern.screen import Pattern
from irqscope_app.plots.places import Places
from irqscope_app.plots.waterfall import WaterfallPlot
from irqscope_app.scope.captions import REFERENCE
from irqscope_app.scope.figures import Figures
from irqscope_app.scope.masked import MaskedMap
from irqscope_app.scope.plots import ScopePlots
from irqscope_app.scope.strip import Strip
from irqscope_app.scope.tabs import Tabs
from irqscope_app.scope.threshold import MODES
from irqscope_app.scope.worst import Worst
from irqscope_app.widgets.common import SpareLabel, VerdictLabel, button, label, splitter, switch

_CHIP = "H: following shows what comes; paused is still, and the run and its recording go on"


class ScopeLayout(QWidget):
    """The next run on top; below the tabs the run that is shown: identity, tools, plots, tables.

    Signals: ``run_asked`` by Run or Stop; ``keep_asked``, ``fit_asked``, ``pause_asked``,
    ``cursor_asked``, ``reference_asked`` by their buttons; ``moved`` when the visible range
    changes, true for a change in time; ``unit_asked`` when the unit, channel or correction changes.
    """

    run_asked = pyqtSignal()
    keep_asked = pyqtSignal()
    fit_asked = pyqtSignal()
    pause_asked = pyqtSignal()
    cursor_asked = pyqtSignal()
    reference_asked = pyqtSignal()
    moved = pyqtSignal(bool)
    unit_asked = pyqtSignal()

    def __init__(self, station: Station, unit: str, pattern: Pattern, worst: Worst) -> None:
        super().__init__()
        self.pattern, self.worst = pattern, worst
        self.strip = Strip(station, pattern, self.run_asked.emit, self.keep_asked.emit)
        self.tabs = Tabs(station)
        self.readout = SpareLabel("faint")
        self.readout.hide()
        views = {kind: make(station, worst.choose) for kind, make in VIEWS.items()}
        self.plots = ScopePlots(station, views, self.moved.emit, self._read_out)
        self.waterfall = WaterfallPlot("Stages (medians)")
        self.waterfall.widget.hide()
        self.figures = Figures(unit, self.unit_asked.emit)
        self._build_controls()
        self._arrange()
        self.places = Places(self)
        self.plots.stand_in(self.places)
        for plot in (self.waterfall, *worst.detail.plots):
            plot.stand_in(self.places)
            plot.explained = True

    def _build_controls(self) -> None:
        self.chip = switch("● following", self.pause_asked.emit, _CHIP)
        self._fit = button(
            "Fit",
            self.fit_asked.emit,
            "F: shows all, and follows what comes; so does a double click",
        )
        self._cursors = button(
            "Cursor", self.cursor_asked.emit, "M: the next cursor; A and B put those two"
        )
        self.threshold = QComboBox()
        self.threshold.addItems(MODES)
        self.threshold.setToolTip("T: count latencies beyond a line, or end the run at the first")
        self.threshold.currentIndexChanged.connect(lambda _: self.moved.emit(False))
        self.reference = switch("Reference", self.reference_asked.emit, REFERENCE)
        self.step = SpareLabel("faint")
        self.step.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.step.setMinimumWidth(1)  # it gives way to the figures
        self.trace_note = SpareLabel("faint")
        self.source = label("", "none")
        self.source.hide()
        self.counters = VerdictLabel("")
        self.counters.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.tables = switch("Tables", self.show_lower, "Statistics, cursors and the worst")
        self.tables.clicked.connect(lambda _: self._on_tables())
        self.masked = MaskedMap(self.show_lower)
        self.masked.button.clicked.connect(lambda _: self.strip.edit.setChecked(False))

    def _arrange(self) -> None:
        controls = QHBoxLayout()
        for widget in (
            self.chip, self._fit, self._cursors, self.threshold, self.reference, self.tables,
            self.masked.button,
        ):  # fmt: skip
            controls.addWidget(widget)
        controls.addStretch(1)
        for spare, share in ((self.trace_note, 300), (self.readout, 400)):
            controls.addWidget(spare, share)
        for spare in (self.trace_note, self.readout):
            spare.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        identity = QHBoxLayout()
        identity.addWidget(self.source)
        identity.addWidget(self.counters, 1)
        for shown in (self.step, self.figures.channel, self.figures.unit):
            identity.addWidget(shown)
        below = QWidget()
        tables = splitter(
            "scope tables",
            Qt.Orientation.Horizontal,
            self.figures,
            self.worst,
            self.waterfall.widget,
            self.worst.detail,
        )
        tables.setSizes([460, 340, 300, 400])
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.plots.cursors.table)
        column.addWidget(tables, 1)
        self._lower = QStackedWidget()
        self._lower.addWidget(below)
        self._lower.addWidget(self.pattern)
        self._lower.addWidget(self.masked)
        self.strip.edit.toggled.connect(lambda _: self.show_lower())
        parts = splitter("scope parts", Qt.Orientation.Vertical, self.plots.widget, self._lower)
        parts.setSizes([410, 350])
        parts.setStretchFactor(0, 2)  # tables get most of any extra room
        parts.setStretchFactor(1, 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.strip)
        layout.addWidget(self.tabs)
        layout.addLayout(identity)
        layout.addLayout(controls)
        layout.addWidget(parts, 1)

    def _read_out(self, text: str) -> None:
        """Shows the data under the mouse."""
        self.readout.setText(text)
        self.readout.setVisible(bool(text))

    def show_tables(self) -> None:
        """Shows the tables below the plots, in place of a masked map."""
        self.masked.button.setChecked(False)
        self.tables.setChecked(True)

    def _on_tables(self) -> None:
        """Shows the tables if their button is pressed while a masked map is in their place."""
        if self.masked.wanted:
            self.show_tables()

    def show_lower(self) -> None:
        """Shows the pattern, a masked map or the tables below the plots, if one is enabled."""
        pattern, masked = self.strip.edit.isChecked(), self.masked.wanted
        self._lower.setCurrentIndex(1 if pattern else 2 if masked else 0)
        self._lower.setVisible(pattern or masked or self.tables.isChecked())
