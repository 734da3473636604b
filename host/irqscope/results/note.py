"""A user's description of a run: name, note and tags.

A file of its own: ``run.json`` is a record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from irqscope.errors import ExperimentError, StorageError
from irqscope.files import read_bytes, storage
from irqscope.results import jsonfile
from irqscope.results.reader import read as read_run
from irqscope.units import Strict

FILE = "note.json"
FORMAT: Final = "irqscope-note/2"
#: Characters of a name, which is in one line of a list.
LONGEST = 64
_TAG = r"[A-Za-z0-9][A-Za-z0-9._-]*"
#: Characters of a note at a time.
LONGEST_MARK = 200


class Mark(Strict):
    """A note on a moment of the time trace, or on what lies between two; s."""

    begin_s: Annotated[float, Field(allow_inf_nan=False)]
    end_s: Annotated[float, Field(allow_inf_nan=False)]
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_MARK)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        """Raises ValueError where it ends before it begins."""
        if self.end_s < self.begin_s:
            raise ValueError(f"it ends at {self.end_s} s, before its begin at {self.begin_s} s")
        return self


class Note(Strict):
    """Name, note and tags (sorted) of one run folder; empty by default.

    ``marks``: by their time.
    """

    format: Literal["irqscope-note/2"] = FORMAT
    name: Annotated[str, Field(max_length=LONGEST, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    note: str = ""
    tags: tuple[Annotated[str, Field(pattern=f"^{_TAG}$")], ...] = ()
    marks: tuple[Mark, ...] = ()


def read(folder: Path) -> Note:
    """Returns the note of a run folder. Raises StorageError with file and field."""
    path = folder / FILE
    try:
        text = read_bytes(path)
    except FileNotFoundError:
        return Note()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}; remove it") from error
    return jsonfile.loads(text, path, Note)


def change(
    folder: Path, name: str | None = None, note: str | None = None, tags: Iterable[str] = ()
) -> Note:
    """Sets a new note, or keeps the old value of each argument that is None.

    ``tags`` adds ``+TAG`` and takes ``-TAG`` away.

    Returns what there is now. Raises ExperimentError for an invalid name or tag, StorageError.
    """
    read_run(folder)  # only of a run folder something is said
    before = read(folder)
    called = before.name if name is None else name.strip()
    if len(called) > LONGEST or not called.isprintable():
        cleaned = called[:LONGEST]
        raise ExperimentError(
            f"{cleaned!r} is not a name; give one line of at most {LONGEST} characters"
        )
    cleaned = before.note if note is None else note.strip()
    return _keep(
        folder,
        before.model_copy(
            update={"name": called, "note": cleaned, "tags": _changed(before.tags, tags)}
        ),
    )


def mark(folder: Path, begin_s: float, end_s: float, text: str) -> Note:
    """Says something of a time; an empty text takes away what begins there. Returns what there is.

    Raises ExperimentError for a text that is too long, StorageError.
    """
    read_run(folder)
    before, text = read(folder), " ".join(text.split())
    if len(text) > LONGEST_MARK or not text.isprintable():
        raise ExperimentError(
            f"{text[:LONGEST]!r} is no note at a time; give one line of at most {LONGEST_MARK} "
            "characters"
        )
    marks = [one for one in before.marks if one.begin_s != begin_s]
    if text:
        marks.append(Mark(begin_s=begin_s, end_s=end_s, text=text))
    ordered = tuple(sorted(marks, key=lambda one: one.begin_s))
    return _keep(folder, before.model_copy(update={"marks": ordered}))


def _keep(folder: Path, note: Note) -> Note:
    path = folder / FILE
    if note == Note():
        with storage(path):
            path.unlink(missing_ok=True)
    else:
        jsonfile.write(path, note)
    return note


def _changed(tags: Iterable[str], words: Iterable[str]) -> tuple[str, ...]:
    remaining = set(tags)
    for word in words:
        sign, tag = word[:1], word[1:]
        if sign not in "+-" or not re.fullmatch(_TAG, tag):
            raise ExperimentError(
                f'"{word}" changes no tag; write +TAG or -TAG, of letters, digits, ".", "_", "-"'
            )
        if sign == "+":
            remaining.add(tag)
        else:
            remaining.discard(tag)
    return tuple(sorted(remaining))
