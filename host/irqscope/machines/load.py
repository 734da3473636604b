"""Reads descriptions of machines. Every error names the file and the key."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pydantic

from irqscope.machines.checks import problems
from irqscope.machines.model import Machine


class DescriptionError(Exception):
    """A description that does not hold; the text is one line with file and key."""


def read(path: Path) -> Machine:
    """The description in a file. Raises DescriptionError."""
    try:
        machine = Machine.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DescriptionError(f"{path}: {error}") from error
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise DescriptionError(f"{path}: {key}: {first['msg']}") from error
    if machine.name != path.stem:
        raise DescriptionError(f"{path}: name: it is {machine.name!r}; the file has another name")
    for problem in problems(machine):
        raise DescriptionError(f"{path}: {problem}")
    return machine


def read_all(paths: list[Path]) -> list[Machine]:
    """The descriptions in files, by their numbers, of which no two are alike.

    Raises DescriptionError.
    """
    found = [read(path) for path in paths]
    for path, machine in zip(paths, found, strict=True):
        if [other.number for other in found].count(machine.number) > 1:
            raise DescriptionError(f"{path}: number: another machine has {machine.number}, too")
    return sorted(found, key=lambda machine: machine.number)
