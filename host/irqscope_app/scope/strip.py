"""The pattern in a slim strip, with Run, Stop and the fields that are changed most often."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from irqscope_app.control.state import Link
from irqscope_app.control.station import Station
from irqscope_app.pattern.diagram import Diagram
from irqscope_app.pattern.screen import Pattern
from irqscope_app.scope.edges import Edges
from irqscope_app.widgets.common import SpareLabel, button, label, show_as, switch
from irqscope_app.widgets.theme import Theme

#: Keys with a field here, and their places in the file.
_FIELDS: dict[str, tuple[str | int, ...]] = {
    "high": ("lines", 0, "high"),
    "low": ("lines", 0, "low"),
    "count": ("count",),
}
_WIDE = 84
_KEEP = "R: the run has a folder of its own; else it is only looked at, and gone with the next one"


class Strip(QWidget):
    """The strip. ``toggle_run``: emitted by Run and Stop; ``keep_asked``: emitted by Keep."""

    def __init__(
        self,
        station: Station,
        pattern: Pattern,
        toggle_run: Callable[[], None],
        keep_asked: Callable[[], None],
    ) -> None:
        super().__init__()
        self._station, self._pattern = station, pattern
        self._path = pattern.draft.path
        self._blank = True  # nothing was drawn
        self.fields: dict[str, QLineEdit] = {}
        self.diagram = Diagram(slim=True)
        self.name, self.verdict = SpareLabel("heading"), SpareLabel("faint")
        self.edges = Edges()
        self._build(toggle_run, keep_asked)
        station.changed.connect(self._on_state)
        pattern.edited.connect(self._on_edited)
        self._on_edited()
        self._on_state()

    def dress(self, theme: Theme) -> None:
        """Applies the colours of a theme."""
        self.diagram.dress(theme)

    def _on_edited(self) -> None:
        draft = self._pattern.draft
        fit = draft.path != self._path or draft.drawn is None or self._blank
        self._path, self._blank = draft.path, draft.drawn is None
        self.diagram.set_experiment(draft.drawn, draft.tick_hz, draft.wrong_edges, fit=fit)
        for key, path in _FIELDS.items():
            inside = self._pattern.draft.inside(path)
            field = self.fields[key]
            field.setEnabled(inside is not None)
            text = "" if inside is None else str(inside.get(key, ""))
            if field.text() != text:
                field.setText(text)
        self._show_name()
        self._show_verdict()

    def _show_verdict(self) -> None:
        draft, signals = self._pattern.draft, self._station.state.signals
        wrong, odd = ((), ()) if signals else (draft.problems, draft.advice)
        if signals:
            show_as(self.verdict, "faint", f"a logic analyser with {len(signals)} signals")
        elif wrong:
            show_as(self.verdict, "bad", f"✗ {wrong[0]}")
        elif odd:
            show_as(self.verdict, "warning", f"! {odd[0]}")
        else:
            show_as(self.verdict, "faint", "   ·   ".join(draft.facts()))
        self.verdict.setToolTip("\n".join((*wrong, *odd, *draft.facts())))

    def _set(self, key: str) -> None:
        path, text = _FIELDS[key], self.fields[key].text().strip()
        value = int(text) if key == "count" and text.isdecimal() else text
        inside = self._pattern.draft.inside(path)
        if inside is not None and inside.get(key) != value:
            self._pattern.change(path, value)

    def _show_name(self) -> None:
        """Shows whether the pattern is that of the run on screen, or only of the next run."""
        draft, picture = self._pattern.draft, self._station.feed.picture
        if self._station.state.signals:
            show_as(self.name, "heading", self._station.state.target)
            self.name.setToolTip("")
            return
        name = str(draft.table.get("name", ""))
        of_next = picture is not None and picture.run.experiment != draft.experiment
        text = f"next run: {name}" if of_next else name
        show_as(self.name, "warning" if of_next else "heading", text)
        shown = "" if picture is None else f"\nshown below: {picture.run.experiment.name}"
        self.name.setToolTip(f"{name}\n{self._pattern.where.text()}{shown}")

    def _on_state(self) -> None:
        state = self._station.state
        self._show_name()
        analyser = bool(state.signals)
        if analyser != self.edges.isVisibleTo(self):
            self._show_verdict()
            for part in (self.edit, self.diagram, self._fields):
                part.setVisible(not analyser)
            self.edit.setChecked(self.edit.isChecked() and not analyser)
            self.edges.setVisible(analyser)
        if analyser:
            self.edges.offer(state.signals)
        measuring = state.link is Link.MEASURING
        words = "Stop suite" if state.suite else "Stop"
        words = "Stopping …" if state.stopping else words
        self.run_button.setText(words if measuring else "Run")
        self.run_button.setEnabled(state.free or (measuring and not state.stopping))
        hint = "" if measuring or state.link is Link.READY else "connect to a target first"
        self.run_button.setToolTip(hint or "Space")

    def _build(self, toggle_run: Callable[[], None], keep_asked: Callable[[], None]) -> None:
        self.run_button = button("Run", toggle_run)
        self.run_button.setProperty("role", "primary")
        self.run_button.setMinimumWidth(92)  # for each of its words
        self.keep = switch("Keep", keep_asked, _KEEP)
        self.keep.setChecked(True)
        self.edit = switch("Pattern", lambda: None, "P: all of the pattern: fields, lines, TOML")
        self.diagram.setToolTip(
            "Drag an edge; turn the wheel for a longer or shorter time. While a run goes on, a\n"
            "change ends it after its batch, and the next segment goes on in the same view."
        )
        self.diagram.dragged.connect(
            lambda place, key, text: self._pattern.change(("lines", place, key), text)
        )
        self._fields = QWidget()
        fields = QGridLayout(self._fields)
        fields.setContentsMargins(0, 0, 0, 0)
        fields.setHorizontalSpacing(4)
        fields.setVerticalSpacing(0)
        for column, key in enumerate(_FIELDS):
            edit = self.fields[key] = QLineEdit()
            edit.setFixedWidth(_WIDE)
            edit.setAccessibleName(key)
            edit.editingFinished.connect(partial(self._set, key))
            fields.addWidget(label(key, "faint"), 0, column)
            fields.addWidget(edit, 1, column)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.name)
        words.addWidget(self.verdict)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.run_button, self.keep, self.edit):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(words, 1)
        row.addWidget(self.diagram, 1)
        row.addWidget(self._fields)
        row.addWidget(self.edges)
        self.edges.hide()
