"""Model of ``suite.json``, read and written nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ConfigDict

from irqscope.errors import Remedy, StorageError
from irqscope.experiment.stack import Stack
from irqscope.files import read_bytes
from irqscope.link.identity import Identity
from irqscope.results import jsonfile
from irqscope.results.record import Ended
from irqscope.units import Moment, Strict

FILE = "suite.json"
FORMAT: Final = "irqscope-suite/2"

State = Literal["waiting", "running", "valid", "invalid", "failed", "interrupted", "left out"]


class ItemRecord(Strict):
    """One run of a suite. ``kept``: its folder was there already; ``cell``: of the matrix.

    ``target``: its own, or None for that of the suite.
    """

    state: State
    kept: bool = False
    seconds: float | None = None
    reasons: tuple[str, ...] = ()
    cell: dict[str, Any] = {}
    target: str | None = None


class SuiteRecord(Strict):
    """All of ``suite.json``. While a suite is run, its record is changed by assignment.

    ``sha256``: of the suite's file; ``stacks``: by name.
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
    stacks: dict[str, Stack]
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
        text = read_bytes(path)
    except OSError as error:
        raise StorageError(
            f"{folder} is not the folder of a suite ({FILE}: {error.strerror}); "
            f"{Remedy.NAME_A_SUITE}"
        ) from error
    return jsonfile.loads(text, path, SuiteRecord)
