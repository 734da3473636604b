"""Changes one key in the text of a TOML file and leaves everything else as written."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from typing import Any

import tomlkit

from irqscope.experiment.locate import Path, lines_of
from irqscope.experiment.save import document


def edited(text: str, table: dict[str, Any], path: Path, value: Any) -> tuple[str, dict[str, Any]]:
    """Text and table with another value of a key; None takes the key away.

    ``table``: what ``text`` says. Comments, order and spaces stay, except inside of a value that is
    replaced.
    """
    target = _changed(table, path, value)
    if document(target) == document(table):
        return text, table
    for change in (_added, _set):
        result = change(text, path, value)
        if result is not None and _says(result, target):
            return result, target
    return document(target), target


def with_item(text: str, name: str, item: dict[str, Any]) -> str:
    """A further table of an array of tables, after everything else."""
    return f"{text.rstrip()}\n{document({name: [item]})}"


def without_item(text: str, name: str, place: int) -> str:
    """The text without one table of an array; comments after its last key stay."""
    line_numbers, lines = lines_of(text), text.splitlines()
    head = line_numbers.get((name, place), 0)
    if not head:
        return text
    last = max(number for key, number in line_numbers.items() if key[:2] == (name, place))
    return _joined([*lines[: head - 1], *lines[last:]])


def _changed(table: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    copy = deepcopy(table)
    inside: Any = copy
    for part in path[:-1]:
        inside = inside.setdefault(part, {}) if isinstance(inside, dict) else inside[part]
    if value is None:
        inside.pop(path[-1], None)
    else:
        inside[path[-1]] = value
    return copy


def _set(text: str, path: Path, value: Any) -> str:
    """Sets a value in its place, however it is written; tables on the way are made."""
    document = tomlkit.parse(text)
    inside: Any = document
    for part in path[:-1]:
        if isinstance(part, str) and part not in inside:
            inside[part] = tomlkit.table()
        inside = inside[part]
    if value is None:
        inside.pop(path[-1], None)
    else:
        inside[path[-1]] = value
    return tomlkit.dumps(document)


def _added(text: str, path: Path, value: Any) -> str | None:
    """Inserts a new key after the last one of its table.

    Comments that follow belong to the next table.
    """
    lines, line_numbers = text.splitlines(), lines_of(text)
    if (
        path in line_numbers
        or value is None
        or isinstance(value, dict)
        or not isinstance(path[-1], str)
    ):
        return None
    siblings = [number for key, number in line_numbers.items() if key[:-1] == path[:-1]]
    own = [number for number in siblings if "=" in lines[number - 1]]
    place = max(own, default=line_numbers.get(path[:-1], 0))
    if not place and len(path) == 1:  # in front of the first table
        place = min(line_numbers.values(), default=len(lines) + 1) - 1
    elif not place:
        return None
    return _joined([*lines[:place], document({path[-1]: value}).rstrip(), *lines[place:]])


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _says(text: str, target: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == target
    except tomllib.TOMLDecodeError:
        return False
