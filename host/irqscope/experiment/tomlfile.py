"""TOML files against a pydantic model. Every error names file, line and key."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pydantic
from pydantic_core import ErrorDetails

from irqscope.errors import ExperimentError
from irqscope.experiment.locate import line_of
from irqscope.experiment.problem import Problem


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """Text of a TOML file and what it says. Raises ExperimentError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ExperimentError(f"cannot read {path} ({error.strerror}); name a TOML file") from error
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path} is not UTF-8 text; name a TOML file") from error
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at line (\d+), column \d+\)", str(error))
        line = f":{where[1]}" if where else ""
        cause = str(error).replace(where[0], "") if where else str(error)
        raise ExperimentError(f"{path}{line}: not TOML: {cause}") from error


def located(path: Path, text: str, problem: Problem) -> str:
    """File and, where the key stands in it, line of a problem."""
    line = line_of(text, problem.path)
    return str(path) if line is None else f"{path}:{line}"


def said(problem: Problem) -> str:
    """A problem with the name of its key in front."""
    name = ""
    for part in problem.path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return f"{name}: {problem.text}" if name else problem.text


def problems_of(
    error: pydantic.ValidationError, model: type[pydantic.BaseModel]
) -> Iterator[Problem]:
    """What a validation against ``model`` found.

    An unknown key first: a misspelt one is the reason why another is missing.
    """
    for item in sorted(error.errors(), key=lambda d: d["type"] != "extra_forbidden"):
        yield _problem(item, model)


def _problem(details: ErrorDetails, model: type[pydantic.BaseModel]) -> Problem:
    path = tuple(details["loc"])
    kind = details["type"]
    if kind == "extra_forbidden":
        return Problem(path, "unknown key" + _nearest(path, model))
    if kind == "missing":
        return Problem(path, "this key is missing; add it")
    if kind == "value_error":
        return Problem(path, str(details["ctx"]["error"]))
    message = details["msg"][0].lower() + details["msg"][1:]
    shown = details["input"]
    if isinstance(shown, str | int | float | bool):
        return Problem(path, f"{message}; it is {shown!r}")
    return Problem(path, message)


def _nearest(path: tuple[str | int, ...], model: type[pydantic.BaseModel]) -> str:
    for part in path[:-1]:
        if isinstance(part, str):
            model = _inner(model, part)
    match = difflib.get_close_matches(str(path[-1]), model.model_fields, n=1)
    return f"; did you mean {match[0]}?" if match else "; remove it"


def _inner(model: type[pydantic.BaseModel], key: str) -> type[pydantic.BaseModel]:
    """The model of a table, or of the tables of an array, that stands under ``key``."""
    annotation = model.model_fields[key].annotation
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
            return kind
    return model
