"""Reads descriptions of machines. Every error names the file and the key."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pydantic

from irqscope.machines.cases import CASES
from irqscope.machines.checks import problems
from irqscope.machines.model import Machine
from irqscope.machines.names import NEEDS
from irqscope.machines.stacks import StackOfMachines, stacks
from irqscope.resources import resource

#: The stacks that come with irqscope.
STACKS = resource("fw/stacks")


class DescriptionError(Exception):
    """A description that does not hold; the text is one line with file and key."""


def read(path: Path, available: Mapping[str, StackOfMachines] | None = None) -> Machine:
    """The description in a file. ``available``: stacks, else those that come with irqscope.

    Raises DescriptionError.
    """
    try:
        table = _with_stacks(path, stacks(STACKS) if available is None else available)
        _add_needs(path, table)
        machine = Machine.model_validate(table)
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


def _with_stacks(path: Path, stacks: Mapping[str, StackOfMachines]) -> dict[str, Any]:
    """Returns the file's text, with the stacks' entries for the machine.

    Raises DescriptionError.
    """
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    has, unsupported = table.setdefault("has", {}), table.setdefault("unsupported", {})
    for key, of in (("has", has), ("unsupported", unsupported)):
        if "stack" in of:
            raise DescriptionError(
                f"{path}: {key}.stack: a stack says itself for which machines it is "
                "(fw/stacks/NAME/stack.mk)"
            )
    has["stack"] = [name for name, stack in stacks.items() if path.stem in stack.machines]
    unsupported["stack"] = {
        name: stack.why for name, stack in stacks.items() if path.stem not in stack.machines
    }
    return table


def _add_needs(path: Path, table: dict[str, Any]) -> None:
    """Adds the consequences of features that the machine lacks. Raises DescriptionError."""
    has, without, unsupported = table["has"], table.get("without", {}), table["unsupported"]
    if "case" in has:
        raise DescriptionError(f"{path}: has.case: cases follow from [without]; leave it out")
    why: dict[str, dict[str, str]] = {
        "case": {
            name: without[need]
            for name, case in CASES.items()
            for need in case.needs
            if need in without
        }
    }
    for key, needs in NEEDS.items():
        why[key] = {word: without[need] for word, need in needs.items() if need in without}
    for key, reasons in why.items():
        available = {*map(str, has.get(key, ()))}
        lacking = {word: text for word, text in reasons.items() if word not in available}
        if lacking:
            unsupported[key] = lacking | unsupported.get(key, {})
    has["case"] = [name for name in CASES if name not in unsupported.get("case", {})]


def read_all(paths: list[Path]) -> list[Machine]:
    """The descriptions in files, by their numbers, of which no two are alike.

    Raises DescriptionError.
    """
    machines = [read(path) for path in paths]
    for path, machine in zip(paths, machines, strict=True):
        if [other.number for other in machines].count(machine.number) > 1:
            raise DescriptionError(f"{path}: number: another machine has {machine.number}, too")
    return sorted(machines, key=lambda machine: machine.number)
