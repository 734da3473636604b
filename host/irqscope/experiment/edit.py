"""Changes one key in the text of a TOML file and leaves everything else as it was written."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from typing import Any

from irqscope.experiment.locate import Path, lines_of
from irqscope.experiment.save import document


def edited(text: str, table: dict[str, Any], path: Path, value: Any) -> tuple[str, dict[str, Any]]:
    """Text and table with another value of a key; None takes the key away.

    ``table``: what ``text`` says. Comments, order and spaces stay. Where the text is of a kind that
    this cannot change (a value of several lines, a table in braces, a whole table), it is written
    anew and its comments are lost.
    """
    wanted = _changed(table, path, value)
    if document(wanted) == document(table):
        return text, table
    lines = text.splitlines()
    for change in (_replaced, _added):
        found = change(lines, path, value)
        if found is not None and _says(found, wanted):
            return found, wanted
    return document(wanted), wanted


def with_item(text: str, name: str, item: dict[str, Any]) -> str:
    """A further table of an array of tables, behind everything else."""
    return f"{text.rstrip()}\n{document({name: [item]})}"


def without_item(text: str, name: str, place: int) -> str:
    """The same without one of its tables; comments behind its last key stay."""
    known, lines = lines_of(text), text.splitlines()
    head = known.get((name, place), 0)
    if not head:
        return text
    last = max(number for key, number in known.items() if key[:2] == (name, place))
    return _joined([*lines[: head - 1], *lines[last:]])


def _changed(table: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    found = deepcopy(table)
    inside: Any = found
    for part in path[:-1]:
        inside = inside.setdefault(part, {}) if isinstance(inside, dict) else inside[part]
    if value is None:
        inside.pop(path[-1], None)
    else:
        inside[path[-1]] = value
    return found


def _replaced(lines: list[str], path: Path, value: Any) -> str | None:
    """In the line where the key stands."""
    number = lines_of("\n".join(lines)).get(path)
    if number is None or "=" not in lines[number - 1]:
        return None
    before, line, behind = lines[: number - 1], lines[number - 1], lines[number:]
    if value is None:
        return _joined([*before, *behind])
    key, _, rest = line.partition("=")
    comment = _comment(rest)
    return _joined([*before, f"{key}= {_written(value)}{comment}", *behind])


def _added(lines: list[str], path: Path, value: Any) -> str | None:
    """Behind the last key of the table that it belongs to."""
    if value is None or isinstance(value, dict) or not isinstance(path[-1], str):
        return None
    known = lines_of("\n".join(lines))
    siblings = [number for key, number in known.items() if key[:-1] == path[:-1]]
    own = [number for number in siblings if "=" in lines[number - 1]]
    place = max(own, default=known.get(path[:-1], 0))
    if not place and len(path) == 1:  # in front of the first table
        place = min(known.values(), default=len(lines) + 1) - 1
    elif not place:
        return None
    return _joined([*lines[:place], f"{path[-1]} = {_written(value)}", *lines[place:]])


def _written(value: Any) -> str:
    return document({"value": value}).partition("=")[2].strip()


def _comment(rest: str) -> str:
    """What stands behind a value, with the spaces before it."""
    quote = ""
    for place, letter in enumerate(rest):
        if quote:
            if letter == quote and rest[place - 1] != "\\":
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter == "#":
            value = rest[:place]
            return rest[len(value.rstrip()) :]
    return ""


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False
