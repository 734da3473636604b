"""What ``sensitivity.json`` says: one model, read and written nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Discriminator, Field, Tag
from pydantic_core import to_json

from irqscope.errors import ExitCode, StorageError
from irqscope.experiment import Experiment
from irqscope.results import jsonfile
from irqscope.results.upgrade import experiment_before_timer_tick
from irqscope.strict import Moment, Natural, Strict

FILE = "sensitivity.json"
FORMAT: Final = "irqscope-sensitivity/2"
#: Its experiments call the timer tick a tick, and the first of them say nothing of a lead-in.
BEFORE: Final = "irqscope-sensitivity/1"


class Parameter(Strict):
    """A constant of a timing profile, as the twin tells of it. ``range`` counts in ``unit``."""

    name: str
    value: int
    unit: str
    range: tuple[int, int]
    meaning: str
    source: str
    mark: Annotated[str, Field(min_length=1, max_length=1)]


class Outcome(Strict):
    """What a run came to. ``value``: of the parameter, None in the base.

    Who measured and ``min_ns`` are None in files of before they were kept.
    """

    failed: None
    label: str
    profile: str | None = None
    profile_hash: str
    firmware_hash: str | None = None
    build_hash: str | None = None
    n: Natural
    min_ns: Natural | None = None
    median_ns: Natural
    max_ns: Natural


class Failed(Strict):
    """Why a run has no figures."""

    failed: str


def _kind(value: Any) -> str:
    failed = value.get("failed") if isinstance(value, dict) else getattr(value, "failed", None)
    return "(outcome)" if failed is None else "(failed)"


#: What an end came to.
End = Annotated[
    Annotated[Outcome, Tag("(outcome)")] | Annotated[Failed, Tag("(failed)")], Discriminator(_kind)
]


class Row(Parameter):
    """What one parameter does: greatest change of median and maximum; None: an end failed."""

    low: End
    high: End
    effect_ns: Natural | None
    effect_max_ns: Natural | None


class Swept(Strict):
    """One experiment. ``rows``: what needs a look first, then by effect."""

    name: str
    description: str
    experiment: Experiment
    base: End
    rows: tuple[Row, ...]

    @property
    def ends(self) -> Iterator[Outcome | Failed]:
        """All runs; one that stands for several comes more than once."""
        yield self.base
        for row in self.rows:
            yield from (row.low, row.high)


class SensitivityRecord(Strict):
    """All of ``sensitivity.json``."""

    format: Literal["irqscope-sensitivity/2"] = FORMAT
    target: str
    started: Moment
    ended: Moment
    experiments: tuple[Swept, ...]

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the command: INVALID if one run is not valid."""
        failed = any(isinstance(end, Failed) for one in self.experiments for end in one.ends)
        return ExitCode.INVALID if failed else ExitCode.VALID


def write(record: SensitivityRecord, folder: Path) -> None:
    """Writes ``sensitivity.json`` into a folder. Raises StorageError."""
    jsonfile.write(folder / FILE, record)


def read(folder: Path) -> SensitivityRecord:
    """The record of a sensitivity's folder. Raises StorageError with file and field."""
    path = folder / FILE
    try:
        text = path.read_bytes()
    except OSError as error:
        raise StorageError(
            f"{folder} is not the folder of a sensitivity ({FILE}: {error.strerror}); name one "
            "that `irqscope sensitivity` wrote"
        ) from error
    values, found = jsonfile.parse(text, path, (BEFORE, FORMAT))
    if found == BEFORE:
        _upgrade(values)
        text = to_json(values | {"format": FORMAT})
    return jsonfile.validated(text, path, SensitivityRecord)


def _upgrade(values: dict[str, Any]) -> None:
    """An experiment that says nothing of a lead-in was measured without."""
    experiments = values.get("experiments")
    for told in experiments if isinstance(experiments, list) else ():
        if isinstance(told, dict) and isinstance(asked := told.get("experiment"), dict):
            asked.setdefault("lead_in", 0)
            experiment_before_timer_tick(asked)
