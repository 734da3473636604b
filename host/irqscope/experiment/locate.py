"""Finds the line of a TOML file on which a key stands, which ``tomllib`` does not tell."""

from __future__ import annotations

import re
from collections import Counter

_TABLE = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_.\- \"]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\- \"']+?)\s*=")

Path = tuple[str | int, ...]


def line_of(text: str, path: Path) -> int | None:
    """Line number, from 1, of the key ``path``, or of the innermost part of it that stands there.

    ``path`` is like ("lines", 0, "high"). None: not even the outermost part stands in the text.
    """
    found = lines_of(text)
    while path:
        if path in found:
            return found[path]
        path = path[:-1]
    return None


def lines_of(text: str) -> dict[Path, int]:
    """Line numbers, from 1, of all tables and keys.

    Tables and arrays of tables are followed one level deep, which is all that the schema has.
    """
    found: dict[Path, int] = {}
    table: Path = ()
    count: Counter[str] = Counter()
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            name = match[1].strip('"')
            table = (name, count[name]) if line.lstrip().startswith("[[") else (name,)
            count[name] += 1
            found.setdefault((name,), number)
            found.setdefault(table, number)
        elif match := _KEY.match(line):
            key = table
            for part in match[1].split("."):  # tick.period = "1 ms"
                key = (*key, part.strip(" \"'"))
                found.setdefault(key, number)
    return found
