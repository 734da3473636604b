"""What a user says of a run: a name and a note. They have a file of their own, as tags have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from irqscope.errors import ExperimentError, StorageError
from irqscope.files import read_bytes, storage
from irqscope.results import jsonfile
from irqscope.results.reader import read as read_run
from irqscope.units import Strict

FILE = "note.json"
FORMAT: Final = "irqscope-note/1"
#: Characters of a name, which is in one line of a list.
LONGEST = 64


class Note(Strict):
    """Name and note of one run folder; empty: nothing was said."""

    format: Literal["irqscope-note/1"] = FORMAT
    name: Annotated[str, Field(max_length=LONGEST, pattern=r"^[^\x00-\x1f\x7f]*$")] = ""
    note: str = ""


def read(folder: Path) -> Note:
    """The name and note of a run folder. Raises StorageError with file and field."""
    path = folder / FILE
    try:
        text = read_bytes(path)
    except FileNotFoundError:
        return Note()
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}; remove it") from error
    return jsonfile.loads(text, path, Note)


def change(folder: Path, name: str | None = None, note: str | None = None) -> Note:
    """Says something else; None: as it was. Returns what there is now.

    Raises ExperimentError for a name that is none, StorageError.
    """
    read_run(folder)  # only of a run folder something is said
    before = read(folder)
    called = before.name if name is None else name.strip()
    if len(called) > LONGEST or not called.isprintable():
        said = called[:LONGEST]
        raise ExperimentError(
            f"{said!r} is not a name; give one line of at most {LONGEST} characters"
        )
    found = Note(name=called, note=before.note if note is None else note.strip())
    path = folder / FILE
    if found == Note():
        with storage(path):
            path.unlink(missing_ok=True)
    else:
        jsonfile.write(path, found)
    return found
