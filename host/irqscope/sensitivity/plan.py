"""Which runs a sensitivity takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

import pydantic
from pydantic_core import to_json

from irqscope.errors import ExperimentError, TargetError
from irqscope.experiment import Experiment
from irqscope.experiment.load import check as fits
from irqscope.sensitivity.record import Parameter
from irqscope.targets import open_target
from irqscope.targets.twin import TwinSettings, parameters

#: Marks of values that no source gives: derived from a relative, and general knowledge.
ASSUMED = ("A", "G")


@dataclass(frozen=True)
class Variation:
    """One run: ``end`` is "base", "low" or "high"; ``value`` of the parameter, None in the base."""

    experiment: Experiment
    parameter: Parameter | None
    end: Literal["base", "low", "high"]
    value: int | None

    @property
    def folder(self) -> str:
        """Place of the run, below the folder of the whole."""
        name = "base" if self.parameter is None else f"{self.parameter.name}-{self.end}"
        return f"{self.experiment.name}/{name}"


def assumptions(target: str, only: Sequence[str] = ()) -> list[Parameter]:
    """Parameters of a twin's profile that are assumed and not fixed; ``only``: names, with ``*``.

    Raises ExperimentError for a target that is no twin or an unknown name, TargetError.
    """
    scheme, _, rest = target.partition(":")
    if scheme != "twin":
        raise ExperimentError(f"{target} has no timing profile; name a twin, as in twin:a53")
    profile = TwinSettings.parse(rest).profile
    found = [row for row in _table(profile) if row.mark in ASSUMED and row.range[0] < row.range[1]]
    if not found:
        raise ExperimentError(f"profile {profile} has no assumption to vary; name another one")
    for pattern in only:
        if not any(fnmatchcase(row.name, pattern) for row in found):
            names = ", ".join(row.name for row in found)
            raise ExperimentError(f'profile {profile} assumes no "{pattern}"; it does: {names}')
    return [
        row for row in found if not only or any(fnmatchcase(row.name, pattern) for pattern in only)
    ]


def check(experiments: Sequence[Experiment], target: str) -> None:
    """Checks, before any is run, whether the twin's machine can run the experiments. Raises
    ExperimentError; TargetError where the twin does not start.
    """
    machine = TwinSettings.parse(target.partition(":")[2]).machine
    for experiment in experiments:
        fits(experiment, machine, machine.tick_hz)
    open_target(target).close()  # one that does not start would fail every run


def variations(experiments: Sequence[Experiment], assumed: Sequence[Parameter]) -> list[Variation]:
    """All runs, in the order of the result; an end that is the value itself makes no run."""
    names = [experiment.name for experiment in experiments]
    for name in names:
        if names.count(name) > 1:
            raise ExperimentError(f'two experiments are called "{name}"; give one another name')
    return [
        variation for experiment in experiments for variation in _variations(experiment, assumed)
    ]


def _variations(experiment: Experiment, assumed: Sequence[Parameter]) -> Iterator[Variation]:
    yield Variation(experiment, None, "base", None)
    for parameter in assumed:
        low, high = parameter.range
        if low != parameter.value:
            yield Variation(experiment, parameter, "low", low)
        if high != parameter.value:
            yield Variation(experiment, parameter, "high", high)


def _table(profile: str) -> list[Parameter]:
    try:
        return [Parameter.model_validate_json(to_json(row)) for row in parameters(profile)]
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise TargetError(
            f"the twin's table of {profile}: {'.'.join(map(str, first['loc']))}: {first['msg']}; "
            "host and twin are of different versions"
        ) from error
