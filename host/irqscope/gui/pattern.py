"""What will be measured, all of it: presets, fields, lines, timing diagram and the TOML itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from pydantic_core import PydanticUndefined
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from irqscope.constants import LINES
from irqscope.errors import IrqscopeError
from irqscope.experiment.model import Line
from irqscope.gui.diagram import Diagram
from irqscope.gui.draft import Draft
from irqscope.gui.fields import Editor, choices_of, explained, field_of, last_of, path_of
from irqscope.gui.presets import Presets
from irqscope.gui.station import Station
from irqscope.gui.theme import Theme
from irqscope.gui.widgets import SpareLabel, button, label, show_as, splitter, table
from irqscope.results.record import RunRecord

#: Keys with a field of their own; all others are written in the TOML. Dots lead into tables, and a
#: number to one of several.
_FIELDS = (
    "name", "case", "stack", "measure", "count", "repeats", "samples", "core", "cores", "caches",
    "memory", "placement", "pages", "interrupt", "trigger", "priority", "channels.0.timeout",
    "idle", "markers", "dispatcher", "load.aim", "seed",
)  # fmt: skip
#: What they are called where the key alone would say too little.
_CALLED = {"channels.0.timeout": "timeout", "load.aim": "load aimed at"}
#: What a fault is about that goes away with the next experiment without one.
EXPERIMENT = "the experiment"
#: Beside the fields, pixels.
_SCROLL_BAR = 24
#: Columns of the table of lines.
_COLUMNS = ("mode", "high", "low", "start_delay", "phase", "dither_bits", "acknowledge")
_CHOICES = {"mode", "phase"}


class Pattern(QWidget):
    """``draft``: the experiment; ``edited``: it was changed; ``file_used``: a user opened or saved
    it; ``queue_asked``: run it later."""

    edited = pyqtSignal()
    file_used = pyqtSignal(Path)
    queue_asked = pyqtSignal()

    def __init__(self, station: Station) -> None:
        super().__init__()
        self.draft = Draft()
        self._station = station
        self._filling = False
        self._build()
        station.changed.connect(self._on_state)
        self.show_draft(fit=True)

    def load(self, path: Path) -> None:
        """Takes a file; what is wrong with it is shown here."""
        try:
            self.draft.load(path)
        except IrqscopeError as error:
            self._station.report_fault(error, EXPERIMENT)
            return
        self.show_draft(fit=True)

    def take(self, run: RunRecord) -> None:
        """Takes the experiment of a run.json."""
        try:
            self.draft.take(run)
        except IrqscopeError as error:
            self._station.report_fault(error, EXPERIMENT)
            return
        self.show_draft(fit=True)

    def dress(self, theme: Theme) -> None:
        """Takes the colours of a theme."""
        self.diagram.dress(theme)

    def show_draft(self, *, fit: bool) -> None:
        """Fills everything anew. ``fit``: the diagram shows two periods."""
        draft, self._filling = self.draft, True
        for key, widget in self.fields.items():
            inside = self.inside(path_of(key))
            widget.setEnabled(inside is not None)
            value = (inside or {}).get(last_of(key), field_of(key).get_default())
            text = "" if value is PydanticUndefined or value is None else str(value)
            if inside is None:
                text = ""
            if isinstance(widget, QComboBox):
                widget.setCurrentIndex(widget.findText(text))
            elif widget.text() != text:
                widget.setText(text)
        self._fill_lines()
        if self.toml.toPlainText() != draft.text:
            place, seen = self.toml.textCursor().position(), self.toml.verticalScrollBar()
            scrolled = 0 if seen is None else seen.value()
            self.toml.setPlainText(draft.text)
            cursor = self.toml.textCursor()
            cursor.setPosition(min(place, len(draft.text)))
            self.toml.setTextCursor(cursor)
            if seen is not None:
                seen.setValue(scrolled)
        self.undo.setEnabled(draft.can_undo)
        self.redo.setEnabled(draft.can_redo)
        self.diagram.set_experiment(draft.drawn, draft.tick_hz, draft.wrong_edges, fit=fit)
        if draft.problems:
            show_as(self.verdict, "bad", "\n".join(f"✗ {text}" for text in draft.problems))
        elif draft.advice:
            show_as(self.verdict, "warning", "\n".join(f"! {text}" for text in draft.advice))
        else:
            show_as(self.verdict, "good", "✓ can be measured as it is")
        self.facts.setText("   ·   ".join(draft.facts()))
        if draft.path is None:
            where = "not saved yet"
        else:
            where = draft.path.name + ("" if draft.source else " (changed)")
        self.where.setText(where)
        self.where.setToolTip(str(draft.path or ""))
        self._filling = False
        self.edited.emit()

    # ---- what the user changes -------------------------------------------------------------

    def change(self, path: tuple[str | int, ...], value: Any) -> None:
        """Sets a key of the file."""
        if not self._filling:
            self.draft.set(path, value)
            self.show_draft(fit=False)

    def _set_field(self, key: str, text: str) -> None:
        inside, name = self.inside(path_of(key)), last_of(key)
        default = field_of(key).get_default()
        value: Any = text.strip()
        if field_of(key).annotation is int:
            value = int(value) if value.lstrip("-").isdecimal() else value
        elif value == "" and default is None:
            value = None
        if inside is None or self._filling:
            return
        if value != inside.get(name, str(default) if key == "samples" else default):
            self.change(path_of(key), value)

    def inside(self, path: tuple[str | int, ...]) -> dict[str, Any] | None:
        """The table of the draft that holds a key; None where the draft has none of that name."""
        found: Any = self.draft.table
        for part in path[:-1]:
            if isinstance(part, int):
                found = found[part] if isinstance(found, list) and part < len(found) else None
            else:
                found = found.get(part) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else None

    def _set_cell(self, row: int, column: int) -> None:
        item = self.lines.item(row, column)
        if self._filling or item is None:
            return
        if column == 0:
            self.draft.set_line(row, item.checkState() is Qt.CheckState.Checked)
            self.show_draft(fit=False)
            return
        key, text = _COLUMNS[column - 1], item.text().strip()
        value: Any = int(text) if key == "dither_bits" and text.isdecimal() else text or None
        self.change(("lines", self._place(row), key), value)

    def _set_choice(self, row: int, key: str, text: str) -> None:
        if not self._filling:
            self.change(("lines", self._place(row), key), text)

    def _typed(self) -> None:
        if not self._filling:
            self.draft.write(self.toml.toPlainText())
            self.show_draft(fit=False)

    def _go(self, there: Callable[[], None]) -> None:
        there()
        self.show_draft(fit=False)

    def ask_open(self) -> None:
        """Asks for a file and takes it."""
        name, _ = QFileDialog.getOpenFileName(self, "Open an experiment", "", "TOML (*.toml)")
        if name:
            self.load(Path(name))
            self.file_used.emit(Path(name))

    def ask_save(self) -> None:
        """Asks for a file and writes it."""
        first = str(self.draft.path or f"{self.draft.table.get('name', 'experiment')}.toml")
        name, _ = QFileDialog.getSaveFileName(self, "Save the experiment", first, "TOML (*.toml)")
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Writes the file."""
        try:
            self.draft.save(path)
        except IrqscopeError as error:
            self._station.report_fault(error)
            return
        self._station.told.emit("info", f"experiment saved as {path}")
        self.file_used.emit(path)
        self.show_draft(fit=False)

    def _on_state(self) -> None:
        """Limits are judged by the clock of the target."""
        identity = self._station.state.identity
        if identity is None:
            return
        draft, target = self.draft, (identity.machine, identity.tick_hz, identity.max_baud)
        if target != (draft.machine, draft.tick_hz, draft.baud):
            draft.machine, draft.tick_hz, draft.baud = target
            self.draft.judge_anew()
            self.show_draft(fit=False)

    # ---- widgets ---------------------------------------------------------------------------

    def _place(self, row: int) -> int:
        """Place in the file of the line with this index."""
        indices = [line.get("index", place) for place, line in enumerate(self.draft.lines())]
        return indices.index(row)

    def _fill_lines(self) -> None:
        described = {line.get("index", n): (n, line) for n, line in enumerate(self.draft.lines())}
        for row in range(LINES):
            place, found = described.get(row, (-1, None))
            box = QTableWidgetItem()
            box.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
            box.setCheckState(Qt.CheckState.Unchecked if found is None else Qt.CheckState.Checked)
            self.lines.setItem(row, 0, box)
            for column, key in enumerate(_COLUMNS, 1):
                default = Line.model_fields[key].get_default()
                text = "" if found is None else str(found.get(key, default))
                self._fill_cell(row, column, key, "" if text == "None" else text, found is not None)
            reach = "" if found is None else "a copy only"
            if place == 0:
                core = self.draft.table.get("core", 0)
                interrupt = self.draft.table.get("interrupt", "shared")
                reach = f"{interrupt}, core {core}"
            routed = QTableWidgetItem(reach)
            routed.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.lines.setItem(row, len(_COLUMNS) + 1, routed)

    def _fill_cell(self, row: int, column: int, key: str, text: str, present: bool) -> None:
        if key in _CHOICES and present:
            combo = self.lines.cellWidget(row, column)
            if not isinstance(combo, QComboBox):
                combo = QComboBox()
                combo.addItems(get_args(Line.model_fields[key].annotation))
                combo.currentTextChanged.connect(lambda t, r=row, k=key: self._set_choice(r, k, t))
                self.lines.setCellWidget(row, column, combo)
            combo.setCurrentText(text)
            return
        if key in _CHOICES:
            self.lines.removeCellWidget(row, column)
        item = self.lines.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            self.lines.setItem(row, column, item)
        item.setText(text)
        editable = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsEditable
        item.setFlags(editable if present else Qt.ItemFlag.NoItemFlags)

    def _build(self) -> None:
        self.preset = button("Presets …", self._ask_preset, "Experiments that come with irqscope")
        self.where = SpareLabel("faint")
        top = QHBoxLayout()
        top.addWidget(self.preset)
        top.addWidget(button("Open …", self.ask_open))
        top.addWidget(button("Save as …", self.ask_save, "Ctrl+S"))
        self.queue = button(
            "Add to the queue",
            self.queue_asked.emit,
            "The Experiments screen runs it, with its repeats",
        )
        top.addWidget(self.queue)
        self.undo = button("Undo", lambda: self._go(self.draft.undo), "Ctrl+Z")
        self.redo = button("Redo", lambda: self._go(self.draft.redo), "Ctrl+Shift+Z")
        for change in (self.undo, self.redo):
            top.addWidget(change)
        top.addWidget(self.where, 1)

        self.fields = {key: self._field(key) for key in _FIELDS}
        form = QFormLayout()
        for key, field in self.fields.items():
            form.addRow(_CALLED.get(key, key), field)
            for part in (field, form.labelForField(field)):
                if part is not None:
                    part.setToolTip(explained(key))
        panel = QWidget()
        panel.setLayout(form)
        scroll = QScrollArea()
        scroll.setWidget(panel)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setMinimumWidth(panel.minimumSizeHint().width() + _SCROLL_BAR)

        self.lines = table(LINES, ("on", *_COLUMNS, "interrupt"))
        self.lines.setEditTriggers(QAbstractItemView.EditTrigger.AllEditTriggers)
        for column, key in enumerate(_COLUMNS, 1):
            if (head := self.lines.horizontalHeaderItem(column)) is not None:
                head.setToolTip(explained(f"lines.0.{key}"))
        self.lines.setVerticalHeaderLabels([f"line {n}" for n in range(LINES)])
        self.lines.cellChanged.connect(self._set_cell)
        self.diagram = Diagram()
        self.diagram.setToolTip("Drag an edge; turn the wheel for a longer or shorter time")
        self.diagram.dragged.connect(lambda n, key, text: self.change(("lines", n, key), text))
        self.facts = label("", "faint", wraps=True)
        self.verdict = label("", "good", wraps=True)
        self.toml = Editor()
        self.toml.undo_asked.connect(self.undo.click)
        self.toml.redo_asked.connect(self.redo.click)
        for keys, change in (("Ctrl+Z", self.undo), ("Ctrl+Shift+Z", self.redo)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(change.click)
        self.toml.textChanged.connect(self._typed)
        self.toml.setAcceptDrops(False)  # a file that is dropped is opened, not named

        lines = splitter("pattern lines", Qt.Orientation.Vertical, self.lines, self.diagram)
        lines.setStretchFactor(0, 1)  # of 8 lines few are used: the diagram takes what it needs
        lines.setSizes([150, 100])
        body = splitter("pattern", Qt.Orientation.Horizontal, scroll, lines, self.toml)
        body.setSizes([230, 560, 330])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        layout.addWidget(self.facts)
        layout.addWidget(self.verdict)

    def _field(self, key: str) -> QComboBox | QLineEdit:
        choices = choices_of(field_of(key).annotation)
        if choices:
            combo = QComboBox()
            combo.addItems(choices)
            combo.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            combo.setMinimumContentsLength(10)
            combo.currentTextChanged.connect(lambda text: self._set_field(key, text))
            return combo
        edit = QLineEdit()
        edit.editingFinished.connect(lambda: self._set_field(key, edit.text()))
        return edit

    def _ask_preset(self) -> None:
        asked = Presets(self)
        asked.chosen.connect(self.load)
        asked.open()
