"""What the fields of an experiment are, by its schema, and the editor of its text."""

from __future__ import annotations

import textwrap
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QPlainTextEdit

from irqscope.experiment.model import Experiment

#: Characters of a line of a tool tip.
_WIDE = 72


class Editor(QPlainTextEdit):
    """Editor of the TOML. Undo changes the experiment, not the text alone."""

    undo_asked = pyqtSignal()
    redo_asked = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)  # TOML needs none of its own

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        """The keys for undo and redo are the screen's."""
        if event is not None and event.matches(QKeySequence.StandardKey.Undo):
            self.undo_asked.emit()
        elif event is not None and event.matches(QKeySequence.StandardKey.Redo):
            self.redo_asked.emit()
        else:
            super().keyPressEvent(event)


def path_of(key: str) -> tuple[str | int, ...]:
    """Dots lead into tables, and a number to one of several."""
    return tuple(int(part) if part.isdecimal() else part for part in key.split("."))


def last_of(key: str) -> str:
    """Its name in its own table."""
    return key.rpartition(".")[2]


def field_of(key: str) -> FieldInfo:
    """Field of the schema."""
    model: type[BaseModel] = Experiment
    *tables, last = (part for part in path_of(key) if isinstance(part, str))
    for name in tables:
        annotation = model.model_fields[name].annotation
        model = next(kind for kind in get_args(annotation) if isinstance(kind, type))
    return model.model_fields[last]


def explained(key: str) -> str:
    """What a key means and what stands for it unless a file says otherwise, by the schema."""
    field = field_of(key)
    meaning = " ".join((field.description or "").split())
    default = field.get_default()
    if not field.is_required() and default not in (None, "", ()):
        meaning += f" Default: {default}."
    return "\n".join(textwrap.wrap(f"{key}: {meaning}", _WIDE))


def choices_of(annotation: Any) -> tuple[str, ...]:
    """What a key may be, if that is one of few; an empty one stands for none."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    kinds = get_args(annotation)
    if len(kinds) == 2 and get_origin(kinds[0]) is Literal and kinds[1] is type(None):
        return ("", *get_args(kinds[0]))
    return ()
