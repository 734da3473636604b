"""TOML files against a pydantic model. Every error names file, line and key."""

from __future__ import annotations

import difflib
import io
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args

import pydantic
from pydantic_core import ErrorDetails

from irqscope.errors import ExperimentError, one_line
from irqscope.experiment.locate import line_of, too_much
from irqscope.experiment.problem import Problem
from irqscope.files import read_bytes

Model = TypeVar("Model", bound=pydantic.BaseModel)

#: Expected values, for errors of type.
_WANTED = {
    "int_type": "give a whole number, without quotes and without a point",
    "float_type": "give a number, without quotes",
    "bool_type": "give true or false, without quotes",
    "string_type": "give a text in quotes",
    "tuple_type": "give a list, in brackets",
    "list_type": "give a list, in brackets",
    "dict_type": "give a table",
    "model_type": "give a table",
    "too_short": "give at least one",
}
#: No experiment or suite is longer.
_MOST_BYTES = 1_000_000
#: Characters of a value that are shown.
_LONGEST = 60
#: Characters of a problem that are shown.
_LONGEST_PROBLEM = 1000


def read(path: Path) -> tuple[str, dict[str, Any]]:
    """Text of a TOML file and its content. Raises ExperimentError."""
    try:
        # In a text, line ends are those of any system.
        text = io.TextIOWrapper(io.BytesIO(read_bytes(path, _MOST_BYTES)), "utf-8").read()
    except OSError as error:
        raise ExperimentError(
            f"cannot read {path} ({error.strerror}); name a TOML file, or one that "
            "`irqscope experiments` lists"
        ) from error
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path} is not UTF-8 text; name a TOML file") from error
    except ValueError as error:  # a byte 0 in the name
        raise ExperimentError(f"cannot read {str(path)!r} ({error}); name a TOML file") from error
    if excess := too_much(text):
        raise ExperimentError(f"{path}:{excess[0]}: {excess[1]}")
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        where = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        assert where is not None  # tomllib always tells
        line = where[1] or max(1, len(text.splitlines()))
        raise ExperimentError(
            f"{path}:{line}: not TOML: {str(error).replace(where[0], '')}; correct this line"
        ) from error


def validated(path: Path, text: str, table: dict[str, Any], model: type[Model]) -> Model:
    """What a file says.

    Raises ExperimentError for its first problem, with the number of the others.
    """
    try:
        return model.model_validate(table)
    except pydantic.ValidationError as error:
        first, *others = problems_of(error, model)
        more = f" (and {len(others)} more)" if others else ""
        raise ExperimentError(f"{located(path, text, first)}: {said(first)}{more}") from error


def located(path: Path, text: str, problem: Problem) -> str:
    """File and line of a problem: of the key, else of the case, which asks for it or forbids it."""
    return f"{path}:{line_of(text, problem.path) or line_of(text, ('case',)) or 1}"


def said(problem: Problem) -> str:
    """A problem with the name of its key in front."""
    name = ""
    for part in problem.path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    text = one_line(problem.text, _LONGEST_PROBLEM)
    return f"{one_line(name, _LONGEST)}: {text}" if name else text


def problems_of(
    error: pydantic.ValidationError, model: type[pydantic.BaseModel]
) -> Iterator[Problem]:
    """Yields the findings of a validation against ``model``.

    An unknown key first: a misspelt one is the reason why another is missing.
    """
    for item in sorted(error.errors(), key=lambda d: d["type"] != "extra_forbidden"):
        yield _problem(item, model)


def _problem(details: ErrorDetails, model: type[pydantic.BaseModel]) -> Problem:
    # After the key of a union is, in brackets, which of its models was taken.
    path = tuple(part for part in details["loc"] if not str(part).startswith("("))
    kind = details["type"]
    if kind == "extra_forbidden":
        return Problem(path, "unknown key" + _nearest(path, model))
    if kind == "missing":
        return Problem(path, "this key is missing; add it")
    if kind == "value_error":
        return Problem(path, str(details["ctx"]["error"]))
    message = _WANTED.get(kind, details["msg"][0].lower() + details["msg"][1:])
    return Problem(path, f"{message}; it is {shown(details['input'])}")


def shown(value: object) -> str:
    """A value as a file gives it, not longer than a line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    text = repr(value) if isinstance(value, str | int | float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..., {len(text)} characters long"


def _nearest(path: tuple[str | int, ...], model: type[pydantic.BaseModel]) -> str:
    for part in path[:-1]:
        # An index of a list and a key of a mapping are no fields: the model stays.
        if (field := model.model_fields.get(str(part))) is not None:
            model = _inner(field.annotation) or model
    key, fields = str(path[-1]), model.model_fields
    near = [name for name in fields if key in name.split("_")]  # `tick` is the `timer_tick`
    near += difflib.get_close_matches(key, fields, n=1)
    return f"; did you mean {near[0]}?" if near else "; remove it"


def _inner(annotation: Any) -> type[pydantic.BaseModel] | None:
    """Return the model of a table, or of the tables of an array or mapping, or None without one."""
    for kind in (annotation, *get_args(annotation)):
        if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
            return kind
    return None
