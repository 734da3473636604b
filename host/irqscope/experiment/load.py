"""Reads an experiment file. Every error names file, line and key."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import Any

import pydantic
from pydantic_core import ErrorDetails

from irqscope.errors import ExperimentError
from irqscope.experiment.checks import Problem, problems
from irqscope.experiment.locate import line_of
from irqscope.experiment.model import Channel, Experiment, Line
from irqscope.units import NOMINAL_TICK_HZ


def load(path: Path, **overrides: Any) -> Experiment:
    """The experiment in a TOML file, with top-level keys overridden.

    Raises ExperimentError with file, line, key, cause and what to do.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ExperimentError(f"cannot read {path} ({error.strerror}); name a TOML file") from error
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path} is not UTF-8 text; name a TOML file") from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at line (\d+), column \d+\)", str(error))
        line = f":{where[1]}" if where else ""
        cause = str(error).replace(where[0], "") if where else str(error)
        raise ExperimentError(f"{path}{line}: not TOML: {cause}") from error
    try:
        experiment = Experiment.model_validate(table | overrides)
    except pydantic.ValidationError as error:
        # An unknown key first: a misspelt one is the reason why another is missing.
        details = sorted(error.errors(), key=lambda d: d["type"] != "extra_forbidden")
        found = [_problem(item) for item in details]
        raise _error(path, text, overrides, found) from error
    if found := list(problems(experiment, NOMINAL_TICK_HZ)):
        raise _error(path, text, overrides, found)
    return experiment


def check(experiment: Experiment, tick_hz: int) -> None:
    """Raises ExperimentError if the experiment does not fit a target's own clock."""
    for problem in problems(experiment, tick_hz):
        raise ExperimentError(f"with this target's clock of {tick_hz} Hz: {_say(problem)}")


def _error(
    path: Path, text: str, overrides: dict[str, Any], found: list[Problem]
) -> ExperimentError:
    """One line for the first problem, and how many more there are."""
    problem = found[0]
    where = str(path)
    if problem.path and problem.path[0] in overrides:
        where = f"--{problem.path[0]}"
    elif (line := line_of(text, problem.path)) is not None:
        where = f"{path}:{line}"
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return ExperimentError(f"{where}: {_say(problem)}{more}")


def _say(problem: Problem) -> str:
    name = ""
    for part in problem.path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return f"{name}: {problem.text}" if name else problem.text


def _problem(details: ErrorDetails) -> Problem:
    path = tuple(details["loc"])
    kind = details["type"]
    if kind == "extra_forbidden":
        return Problem(path, "unknown key" + _nearest(path))
    if kind == "missing":
        return Problem(path, "this key is missing; add it")
    if kind == "value_error":
        return Problem(path, str(details["ctx"]["error"]))
    message = details["msg"][0].lower() + details["msg"][1:]
    shown = details["input"]
    if isinstance(shown, str | int | float | bool):
        return Problem(path, f"{message}; it is {shown!r}")
    return Problem(path, message)


def _nearest(path: tuple[str | int, ...]) -> str:
    models: dict[str | int, type[pydantic.BaseModel]] = {"lines": Line, "channels": Channel}
    model = Experiment if len(path) == 1 else models.get(path[0], Experiment)
    match = difflib.get_close_matches(str(path[-1]), model.model_fields, n=1)
    return f"; did you mean {match[0]}?" if match else "; remove it"
