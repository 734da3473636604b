"""Range of a twin's result over the unsourced constants of its profile.

``irqscope sensitivity`` measures that and stores it here, by case, profile and build. A run on a
twin looks up the stored ranges; those of another profile, firmware or gateware are not used, and
are named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import pydantic

from irqscope.errors import StorageError
from irqscope.experiment import Experiment
from irqscope.files import read_bytes, replace
from irqscope.link.identity import Identity
from irqscope.units import Strict

FORMAT: Final = "irqscope-assumptions/2"
#: Part of a sensitivity's folder, where runs next to it look.
FOLDER = "assumptions"
#: Keys of an experiment that do not change the latency of one stimulus.
ASIDE = frozenset({"name", "description", "count", "seed", "repeats", "samples"})
#: Profile whose devices take fixed times and whose memory costs nothing.
FIXED = "functional"
#: Constants that are named with the range: those that move the median most.
STRONGEST = 3


class Range(Strict):
    """The least and the greatest, ns, that one figure comes to."""

    low_ns: int
    high_ns: int


class Constant(Range):
    """Effect of one constant on the median."""

    name: str


class Assumptions(Strict):
    """Findings for one case. Hashes as in run.json; ``case``: that of the measured experiment.

    ``least``, ``median``, ``greatest``: over ``draws`` joint draws of all constants and of
    ``layouts`` layouts of the firmware, including the one as built; ``stm``: of the median by the
    second stamp, if it has one. ``layout``: of the median over the layouts alone.
    ``strongest``: each alone. None in files of before: then the ranges are of one constant at a
    time, in one layout. ``elf``: sha256 of the foreign program's file, or None.
    """

    format: Literal["irqscope-assumptions/1", "irqscope-assumptions/2"] = FORMAT
    experiment: str
    case: str
    profile: str
    profile_hash: str
    firmware_hash: str
    build_hash: str
    program: str
    taken: str
    n: int
    constants: int
    draws: int | None = None
    layouts: int | None = None
    least: Range
    median: Range
    greatest: Range
    stm: Range | None = None
    layout: Range | None = None
    elf: str | None = None
    strongest: tuple[Constant, ...]

    @property
    def named(self) -> str:
        """Names the assumptions in words."""
        return f"sensitivity of {self.experiment}, {self.taken[:10]}, irqscope {self.program}"


@dataclass(frozen=True)
class Found:
    """``assumptions``: of this very case, profile and build; otherwise ``unknown`` gives the
    reason.
    """

    assumptions: Assumptions | None
    unknown: str | None = None


def case_hash(experiment: Experiment) -> str:
    """Hash of the measured experiment: the same for another count, seed or name.

    A key at its default is left out, so that one that is added later changes no hash.
    """
    settings = experiment.model_dump(mode="json", exclude_defaults=True)
    values = {k: v for k, v in settings.items() if k not in ASIDE}
    text = json.dumps(values, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def find(
    experiment: Experiment,
    identity: Identity,
    stored: Sequence[Assumptions],
    elf: str | None = None,
) -> Found:
    """The latest that was stored for this case, if it belongs to this profile and build, and to the
    foreign program whose file has the sha256 ``elf``.
    """
    target = f"twin:{identity.profile}" + ("" if elf is None else ":elf=FILE")
    remedy = f"run `irqscope sensitivity` on this experiment, --target {target}"
    case = case_hash(experiment)
    here = {
        "profile": f"{identity.source_hash:#010x}",
        "firmware": f"{identity.firmware_hash:#010x}",
        "gateware": f"{identity.build_hash:#010x}",
        "program": _short(elf),
    }
    of_case = sorted(
        (one for one in stored if one.case == case and one.profile == identity.profile),
        key=lambda one: one.taken,
        reverse=True,
    )
    for one in of_case:
        if not _differing(one, here):
            return Found(one)
    if not of_case:
        return Found(None, remedy)
    differing = _differing(of_case[0], here)
    return Found(None, f"{of_case[0].named}, is stale: of another {differing}; {remedy}")


def _differing(one: Assumptions, here: dict[str, str]) -> str:
    stored = {
        "profile": one.profile_hash,
        "firmware": one.firmware_hash,
        "gateware": one.build_hash,
        "program": _short(one.elf),
    }
    return ", ".join(
        f"{name} ({stored[name]}, here {here[name]})" for name in here if stored[name] != here[name]
    )


def _short(elf: str | None) -> str:
    return "none" if elf is None else elf[:12]


def store(assumptions: Assumptions, folder: Path) -> Path:
    """Writes one file into ``folder``, in place of an older one. Raises StorageError."""
    path = folder / f"{assumptions.profile}-{assumptions.experiment}.json"
    without = {"elf"} if assumptions.elf is None else None
    text = assumptions.model_dump_json(indent=2, exclude=without) + "\n"
    replace(path, lambda file: file.write(text.encode()))
    return path


def below(folders: Iterable[Path]) -> list[Assumptions]:
    """All results that sensitivities left next to other folders in ``folders``. Raises
    StorageError.
    """
    existing = []
    for path in sorted({p for folder in folders for p in folder.glob(f"*/{FOLDER}/*.json")}):
        try:
            text = read_bytes(path)
        except OSError as error:
            raise StorageError(f"{path}: {error.strerror}") from error
        existing.append(parse(text, str(path)))
    return existing


def parse(text: str | bytes, where: str) -> Assumptions:
    """The assumptions in the JSON ``text``. Raises StorageError, naming ``where`` and the field."""
    try:
        return Assumptions.model_validate_json(text)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the file"
        raise StorageError(
            f"{where}: {field}: {first['msg']}; remove it, or write it again with "
            "`irqscope sensitivity`"
        ) from error
