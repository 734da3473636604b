"""The fields of an experiment, made by its schema."""

from __future__ import annotations

import textwrap
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFormLayout, QFrame, QLineEdit, QScrollArea, QWidget

from irqscope.experiment.model import Experiment
from irqscope_app.pattern.draft import Draft

#: Keys with a field of their own; all others are written in the TOML. Dots lead into tables, and a
#: number to one of several.
_FIELDS = (
    "name", "case", "stack", "measure", "count", "repeats", "samples", "core", "cores", "caches",
    "memory", "placement", "pages", "interrupt", "trigger", "priority", "channels.0.timeout",
    "idle", "markers", "dispatcher", "load.aim", "seed",
)  # fmt: skip
#: Labels for keys whose own name says too little.
_CALLED = {"channels.0.timeout": "timeout", "load.aim": "load aimed at"}
#: Margin of the fields, pixels.
_SCROLL_BAR = 24
#: Characters of a line of a tool tip.
_WIDE = 72


class Fields(QScrollArea):
    """``fields``: the widget of each key. ``changed``: emitted when the user changes the draft."""

    changed = pyqtSignal()

    def __init__(self, draft: Draft) -> None:
        super().__init__()
        self._draft = draft
        self._filling = False
        self.fields = {key: self._field(key) for key in _FIELDS}
        form = QFormLayout()
        for key, field in self.fields.items():
            form.addRow(_CALLED.get(key, key), field)
            for part in (field, form.labelForField(field)):
                if part is not None:
                    part.setToolTip(explained(key))
        panel = QWidget()
        panel.setLayout(form)
        self.setWidget(panel)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(panel.minimumSizeHint().width() + _SCROLL_BAR)

    def fill(self) -> None:
        """Shows the current draft."""
        self._filling = True
        for key, field in self.fields.items():
            inside = self._draft.inside(path_of(key))
            field.setEnabled(inside is not None)
            value = (
                None if inside is None else inside.get(last_of(key), field_of(key).get_default())
            )
            text = "" if value is PydanticUndefined or value is None else str(value)
            if isinstance(field, QComboBox):
                field.setCurrentIndex(field.findText(text))
            elif field.text() != text:
                field.setText(text)
        self._filling = False

    def _field(self, key: str) -> QComboBox | QLineEdit:
        choices = choices_of(field_of(key).annotation)
        if choices:
            combo = QComboBox()
            combo.addItems(choices)
            combo.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            combo.setMinimumContentsLength(10)
            combo.currentTextChanged.connect(lambda text: self._set(key, text))
            return combo
        edit = QLineEdit()
        edit.editingFinished.connect(lambda: self._set(key, edit.text()))
        return edit

    def _set(self, key: str, text: str) -> None:
        inside, field = self._draft.inside(path_of(key)), field_of(key)
        if inside is None or self._filling:
            return
        default = field.get_default()
        value: Any = text.strip()
        if field.annotation is int:
            value = int(value) if value.lstrip("-").isdecimal() else value
        elif value == "" and default is None:
            value = None
        if value != inside.get(last_of(key), str(default) if key == "samples" else default):
            self._draft.set(path_of(key), value)
            self.changed.emit()


def path_of(key: str) -> tuple[str | int, ...]:
    """Splits a key: dots lead into tables, and a number selects one of several."""
    return tuple(int(part) if part.isdecimal() else part for part in key.split("."))


def last_of(key: str) -> str:
    """The last part of a key: its name in its own table."""
    return key.rpartition(".")[2]


def field_of(key: str) -> FieldInfo:
    """The field of the experiment's schema that a key such as ``load.array`` names."""
    model: type[BaseModel] = Experiment
    *tables, last = (part for part in path_of(key) if isinstance(part, str))
    for name in tables:
        annotation = model.model_fields[name].annotation
        model = next(kind for kind in get_args(annotation) if isinstance(kind, type))
    return model.model_fields[last]


def explained(key: str) -> str:
    """Meaning and default of a key, as in the schema."""
    field = field_of(key)
    meaning = " ".join((field.description or "").split())
    default = field.get_default()
    if not field.is_required() and default not in (None, "", ()):
        meaning += f" Default: {default}."
    return "\n".join(textwrap.wrap(f"{key}: {meaning}", _WIDE))


def choices_of(annotation: Any) -> tuple[str, ...]:
    """Allowed values of a key, or an empty list if it is not an enumeration."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    kinds = get_args(annotation)
    if len(kinds) == 2 and get_origin(kinds[0]) is Literal and kinds[1] is type(None):
        return ("", *get_args(kinds[0]))
    return ()
