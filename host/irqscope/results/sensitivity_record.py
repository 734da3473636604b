"""Model of ``sensitivity.json``, read and written nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Discriminator, Field, Tag

from irqscope.errors import ExitCode, StorageError
from irqscope.experiment import Experiment
from irqscope.files import read_bytes
from irqscope.results import jsonfile
from irqscope.units import Moment, Natural, Strict

FILE = "sensitivity.json"
FORMAT: Final = "irqscope-sensitivity/3"


class Parameter(Strict):
    """A constant of a timing profile, as the twin describes it.

    ``range`` counts in ``unit``; ``allowed``: the values in it that the model takes, or None for
    all.
    """

    name: str
    value: int
    unit: str
    range: tuple[int, int]
    meaning: str
    source: str
    mark: Annotated[str, Field(min_length=1, max_length=1)]
    allowed: tuple[int, ...] | None = None

    @property
    def admitted(self) -> Sequence[int]:
        """Values that it may have, ascending."""
        return self.allowed or range(self.range[0], self.range[1] + 1)


class Outcome(Strict):
    """Outcome of a run. ``stm``: min, median and max, ns, by the second stamp, or None."""

    failed: None
    label: str
    profile: str
    profile_hash: str
    firmware_hash: str
    build_hash: str
    n: Natural
    min_ns: Natural
    median_ns: Natural
    max_ns: Natural
    stm: tuple[Natural, Natural, Natural] | None = None


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
    """Effect of one parameter: greatest change of median and maximum, or None if an end failed."""

    low: End
    high: End
    effect_ns: Natural | None
    effect_max_ns: Natural | None


class Drawn(Strict):
    """A joint draw. ``values``: by the joint's names. ``layout``: of the firmware, 0: as built."""

    layout: Natural
    values: tuple[int, ...]
    end: End


class Joint(Strict):
    """Draws over all assumed constants and all layouts at once. ``seed``: of the design."""

    design: Literal["Latin hypercube"] = "Latin hypercube"
    seed: Natural
    names: tuple[str, ...]
    draws: tuple[Drawn, ...]

    @property
    def outcomes(self) -> list[Outcome]:
        """Outcomes of the draws that did not fail."""
        return [draw.end for draw in self.draws if isinstance(draw.end, Outcome)]


class Swept(Strict):
    """One experiment.

    ``rows``: those that need attention first, then by effect; ``layouts``: the same program in
    other places. None was drawn jointly in files of before that was done.
    """

    name: str
    description: str
    experiment: Experiment
    base: End
    rows: tuple[Row, ...]
    layouts: tuple[End, ...] = ()
    joint: Joint | None = None

    @property
    def ends(self) -> Iterator[Outcome | Failed]:
        """All runs; one that is the end of several ranges comes more than once."""
        yield self.base
        for row in self.rows:
            yield from (row.low, row.high)
        yield from self.layouts
        if self.joint is not None:
            yield from (draw.end for draw in self.joint.draws)


class SensitivityRecord(Strict):
    """All of ``sensitivity.json``."""

    format: Literal["irqscope-sensitivity/3"] = FORMAT
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
        text = read_bytes(path)
    except OSError as error:
        raise StorageError(
            f"{folder} is not the folder of a sensitivity ({FILE}: {error.strerror}); name one "
            "that `irqscope sensitivity` wrote"
        ) from error
    return jsonfile.loads(text, path, SensitivityRecord)
