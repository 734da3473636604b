"""Reads an experiment file. Every error names file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pydantic

from irqscope.errors import ExperimentError
from irqscope.experiment.checks import OF_CAPTURE, problems, problems_anywhere
from irqscope.experiment.model import Experiment
from irqscope.experiment.problem import Problem
from irqscope.experiment.shipped import find_experiment
from irqscope.experiment.tomlfile import located, problems_of, read, said
from irqscope.machines.model import Machine

#: More parts than any key of an experiment has.
_DEEPEST = 16


def load(path: Path | str, /, **overrides: Any) -> Experiment:
    """The experiment in a TOML file, or of that name (:mod:`.shipped`), with keys overridden.

    A key of ``overrides`` may lead into tables: ``count``, ``load.array``, ``lines.0.high``.
    Raises ExperimentError with file, line, key, cause and what to do.
    """
    path = find_experiment(path)
    text, table = read(path)
    for key, value in overrides.items():
        table = changed(table, key, value)
    try:
        experiment = with_count(table, overrides)
    except pydantic.ValidationError as error:
        # Its keys are those of an import, which an experiment does not have.
        of_capture = table.get("machine") == "capture"
        listed = [OF_CAPTURE] if of_capture else list(problems_of(error, Experiment))
        raise _error(path, text, overrides, listed) from error
    if problems := problems_anywhere(experiment):
        raise _error(path, text, overrides, problems)
    return experiment


def with_count(table: dict[str, Any], overrides: dict[str, Any]) -> Experiment:
    """The experiment of a table; an overriding count below its first n keeps all samples.

    Raises pydantic.ValidationError.
    """
    experiment = Experiment.model_validate(table)
    count, samples = experiment.count, experiment.samples
    if "count" in overrides and samples.which == "first" and samples.number > count:
        return Experiment.model_validate(table | {"samples": f"first {count}"})
    return experiment


def check(
    experiment: Experiment, machine: Machine, tick_hz: int, of_program: bool | None = None
) -> None:
    """Checks whether an experiment fits a target's machine, clock and program.

    ``of_program`` is as in :func:`problems`. Raises ExperimentError.
    """
    for problem in problems(experiment, machine, tick_hz, of_program):
        target = f"on this target, {machine.name} with a clock of {tick_hz} Hz"
        raise ExperimentError(f"{target}: {said(problem)}")


def changed(table: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Returns a copy of a table with the value of a key replaced; dots in it lead into tables.

    Raises ExperimentError.
    """
    try:
        result: dict[str, Any] = _changed(table, key.split("."), value)
    except ExperimentError as error:
        raise ExperimentError(f"--{key}: {key}: {error}") from error
    return result


def _changed(inside: Any, path: list[str], value: Any) -> Any:
    """A copy of a table or array with the value at ``path`` replaced; missing tables are made."""
    if len(path) > _DEEPEST:
        raise ExperimentError(f"{'.'.join(path)}: no key lies so deep; name one of the experiment")
    if not path:
        return value
    if isinstance(inside, list):
        place = int(path[0]) if path[0].isdecimal() else len(inside)
        if place >= len(inside):
            raise ExperimentError(
                f"{path[0]}: there are {len(inside)} of these, counted from 0; name one of them"
            )
        return [
            _changed(item, path[1:], value) if place == n else item for n, item in enumerate(inside)
        ]
    table = inside if isinstance(inside, dict) else {}
    return table | {path[0]: _changed(table.get(path[0]), path[1:], value)}


def _error(
    path: Path, text: str, overrides: dict[str, Any], problems: list[Problem]
) -> ExperimentError:
    """The error in one line: the first problem, and how many more there are."""
    problem = problems[0]
    key = ".".join(map(str, problem.path))
    matching = [name for name in overrides if key == name or key.startswith(f"{name}.")]
    where = f"--{matching[0]}" if matching else located(path, text, problem)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return ExperimentError(f"{where}: {said(problem)}{more}")
