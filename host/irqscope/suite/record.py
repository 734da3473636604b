"""What ``suite.json`` says: one model, read and written nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ConfigDict
from pydantic_core import to_json

from irqscope.errors import Remedy, StorageError
from irqscope.identity import Identity
from irqscope.results import jsonfile
from irqscope.results.record import Ended
from irqscope.results.upgrade import identity_of_one_machine
from irqscope.stack import Stack
from irqscope.strict import Moment, Strict

FILE = "suite.json"
FORMAT: Final = "irqscope-suite/2"
#: As FORMAT, but for the names in the identity.
BEFORE: Final = "irqscope-suite/1"

State = Literal["waiting", "running", "valid", "invalid", "failed", "interrupted", "left out"]


class ItemRecord(Strict):
    """One run of a suite. ``kept``: its folder was there already; ``cell``: of the matrix.

    ``target``: of its own; None: that of the suite.
    """

    state: State
    kept: bool = False
    seconds: float | None = None
    reasons: tuple[str, ...] = ()
    cell: dict[str, Any] = {}
    target: str | None = None


class SuiteRecord(Strict):
    """All of ``suite.json``. While a suite is run, its record is changed by assignment.

    ``sha256``: of the suite's file; ``stacks``: by name, empty in folders of older versions.
    ``identity``: of the first of its targets; ``label``: of all.
    """

    model_config = ConfigDict(frozen=False, validate_assignment=True)

    format: Literal["irqscope-suite/2"] = FORMAT
    suite: str
    description: str
    card: str | None
    sha256: str
    counts: str
    shuffle: int | None
    target: str
    label: str
    identity: Identity
    stacks: dict[str, Stack] = {}
    started: Moment
    ended: Ended | None = None
    order: tuple[str, ...]
    items: dict[str, ItemRecord]


def write(record: SuiteRecord, folder: Path) -> None:
    """Writes ``suite.json`` into a folder. Raises StorageError."""
    jsonfile.write(folder / FILE, record)


def read(folder: Path) -> SuiteRecord:
    """The record of a suite's folder. Raises StorageError with file and field."""
    path = folder / FILE
    try:
        text = path.read_bytes()
    except OSError as error:
        raise StorageError(
            f"{folder} is not the folder of a suite ({error}); {Remedy.NAME_A_SUITE}"
        ) from error
    values, found = jsonfile.parse(text, path, (BEFORE, FORMAT))
    if found == BEFORE:
        identity_of_one_machine(values.get("identity"))
        text = to_json(values | {"format": FORMAT})
    return jsonfile.validated(text, path, SuiteRecord)
