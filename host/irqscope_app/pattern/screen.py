"""The complete experiment editor: presets, fields, lines, timing diagram and TOML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QKeySequence, QShortcut
from PyQt6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from irqscope.errors import IrqscopeError
from irqscope.results.record import RunRecord
from irqscope_app.control.station import Station
from irqscope_app.pattern.diagram import Diagram
from irqscope_app.pattern.draft import Draft
from irqscope_app.pattern.editor import Editor
from irqscope_app.pattern.fields import Fields
from irqscope_app.pattern.line_table import LineTable
from irqscope_app.pattern.presets import Presets, unable
from irqscope_app.widgets.common import SpareLabel, button, label, show_as, splitter
from irqscope_app.widgets.theme import Theme

#: What a fault is about that goes away with the next experiment without one.
EXPERIMENT = "the experiment"


class Pattern(QWidget):
    """``draft``: the experiment.

    Signals: ``edited``; ``file_used`` when the user opens or saves it; ``queue_asked`` to run it
    later.
    """

    edited = pyqtSignal()
    file_used = pyqtSignal(Path)
    queue_asked = pyqtSignal()

    def __init__(self, station: Station) -> None:
        super().__init__()
        self.draft = Draft()
        self._station = station
        self._asked: Presets | None = None
        self._build()
        station.changed.connect(self._on_state)
        self.show_draft(fit=True)

    def load(self, path: Path) -> None:
        """Loads a file and shows its problems."""
        try:
            self.draft.load(path)
        except IrqscopeError as error:
            self._station.report_fault(error, EXPERIMENT)
            return
        self.show_draft(fit=True)

    def take(self, run: RunRecord) -> None:
        """Loads the experiment of a run.json."""
        try:
            self.draft.take(run)
        except IrqscopeError as error:
            self._station.report_fault(error, EXPERIMENT)
            return
        self.show_draft(fit=True)

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self.diagram.dress(theme)

    def show_draft(self, *, fit: bool) -> None:
        """Refills all widgets. ``fit``: whether the diagram zooms to two periods."""
        draft = self.draft
        self.form.fill()
        self.table.fill()
        self.toml.show_text(draft.text)
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
        self.edited.emit()

    # ---- what the user changes -------------------------------------------------------------

    def change(self, path: tuple[str | int, ...], value: Any) -> None:
        """Sets a key of the file."""
        self.draft.set(path, value)
        self.show_draft(fit=False)

    def _typed(self) -> None:
        self.draft.write(self.toml.toPlainText())
        self.show_draft(fit=False)

    def _go(self, there: Callable[[], None]) -> None:
        there()
        self.show_draft(fit=False)

    def ask_open(self) -> None:
        """Asks for a file and loads it."""
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
        """Writes the experiment's file and logs it; shows a fault if it cannot be written."""
        try:
            self.draft.save(path)
        except IrqscopeError as error:
            self._station.report_fault(error)
            return
        self._station.told.emit("info", f"experiment saved as {path}")
        self.file_used.emit(path)
        self.show_draft(fit=False)

    def _on_state(self) -> None:
        """Checks the limits by the clock of the target."""
        identity, of_program = self._station.state.identity, self._station.state.of_program
        if identity is None:
            return
        draft = self.draft
        target = (identity.machine, identity.tick_hz, identity.max_baud, of_program)
        if target != (draft.machine, draft.tick_hz, draft.baud, draft.of_program):
            draft.machine, draft.tick_hz, draft.baud, draft.of_program = target
            before = draft.text
            draft.judge_anew()
            self.show_draft(fit=draft.text != before)

    # ---- widgets ---------------------------------------------------------------------------

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

        self.form, self.table = Fields(self.draft), LineTable(self.draft)
        for part in (self.form, self.table):
            part.changed.connect(lambda: self.show_draft(fit=False))
        self.fields, self.lines = self.form.fields, self.table.widget
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
        body = splitter("pattern", Qt.Orientation.Horizontal, self.form, lines, self.toml)
        body.setSizes([230, 560, 330])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(top)
        layout.addWidget(body, 1)
        layout.addWidget(self.facts)
        layout.addWidget(self.verdict)

    def _ask_preset(self) -> None:
        self._asked = presets = Presets(self)
        presets.chosen.connect(self.load)
        presets.finished.connect(self._forget_asked)
        presets.open()
        identity = self._station.state.identity
        if identity is not None:
            target = identity.machine, identity.tick_hz, self._station.state.of_program
            self._station.begin(lambda: unable(*target), self._leave_out)

    def _leave_out(self, found: frozenset[Path]) -> None:
        if self._asked is not None:  # otherwise it was answered earlier
            self._asked.leave_out(found)

    def _forget_asked(self) -> None:
        self._asked = None
