"""Adds to ``tomllib``: the line of a key, and limits that are checked before a file is parsed."""

from __future__ import annotations

import re
import tomllib
from collections import Counter

_STRING = r'"(?:\\.|[^"\\\n])*+"|\'[^\'\n]*+\''
#: Strings over lines, strings, comments.
_TEXT = re.compile(
    rf'(?P<long>"""(?:\\.|[^\\])*?"{{3,5}}|\'\'\'.*?\'{{3,5}})|(?P<string>{_STRING})|#[^\n]*', re.S
)
_PART = rf"(?:[A-Za-z0-9_-]++|{_STRING})"
_NAME = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_TABLE = re.compile(rf"[ \t]*\[(\[?)[ \t]*({_NAME})[ \t]*\]")
_KEY = re.compile(rf"[ \t]*({_NAME})[ \t]*=")

#: More parts of a key, nested brackets or digits of a number have no use, and make the parser of
#: TOML very slow, recurse too deep, or exceed its numbers.
_MOST_PARTS, _DEEPEST, _MOST_DIGITS = 32, 64, 1000
_PARTS = re.compile(rf"(?<![A-Za-z0-9_-])(?:[A-Za-z0-9_-]++[ \t]*\.[ \t]*){{{_MOST_PARTS}}}")
_DIGITS = re.compile(
    rf"(?<![A-Za-z0-9_])(?:0[xob][0-9A-Fa-f_]{{{_MOST_DIGITS}}}|[0-9_]{{{_MOST_DIGITS}}})"
)

Path = tuple[str | int, ...]


def too_much(text: str) -> tuple[int, str] | None:
    """Returns line and description of an excess, or None if the text can be parsed.

    Lines count from 1; an excess is what no user would write.
    """
    bare = _TEXT.sub(lambda found: "\n" * found[0].count("\n") + "s" * bool(found["string"]), text)
    found = [
        (match.start(), text)
        for pattern, text in (
            (_PARTS, f"a key has more than {_MOST_PARTS} parts; write tables"),
            (_DIGITS, f"a number has more than {_MOST_DIGITS} digits; write a smaller one"),
        )
        if (match := pattern.search(bare))
    ]
    depth = 0
    for match in re.finditer(r"[\[{]|[\]}]", bare):
        depth = max(0, depth + (1 if match[0] in "[{" else -1))
        if depth > _DEEPEST:
            found.append((match.start(), f"brackets are more than {_DEEPEST} deep; write fewer"))
            break
    if not found:
        return None
    place, reason = min(found)
    return bare.count("\n", 0, place) + 1, reason


def line_of(text: str, path: Path) -> int | None:
    """Line number, from 1, of the key ``path``, or of the innermost part of it that is there.

    ``path`` is like ("lines", 0, "high"). None if not even the outermost part is in the text.
    """
    numbers = lines_of(text)
    while path:
        if path in numbers:
            return numbers[path]
        path = path[:-1]
    return None


def lines_of(text: str) -> dict[Path, int]:
    """Line numbers, from 1, of all tables and keys of a TOML file that can be parsed.

    Tables and arrays of tables are followed one level deep, which is all that the schema has.
    """
    # Text in a string or a comment is not a key; a string on one line may be one.
    keys = _TEXT.sub(lambda found: found["string"] or "\n" * found[0].count("\n"), text)
    found: dict[Path, int] = {}
    table: Path = ()
    count: Counter[str] = Counter()
    depth = 0
    for number, line in enumerate(keys.split("\n"), 1):
        within, bare = depth > 0, re.sub(_STRING, "", line)
        depth += len(re.findall(r"[\[{]", bare)) - len(re.findall(r"[\]}]", bare))
        if within:
            continue  # a list goes on
        if match := _TABLE.match(line):
            name, *rest = _parts(match[2])
            if match[1]:
                count[name] += 1
            within_array = (count[name] - 1,) if count[name] else ()
            table = (name, *within_array, *rest)
            found.setdefault((name,), number)
            found.setdefault(table, number)
        elif match := _KEY.match(line):
            key = table
            for part in _parts(match[1]):  # tick.period = "1 ms"
                key = (*key, part)
                found.setdefault(key, number)
    return found


def _parts(name: str) -> list[str]:
    """Parts of a dotted key, as TOML reads them."""
    parts, inner = [], tomllib.loads(f"{name} = 0")
    while isinstance(inner, dict):
        ((part, inner),) = inner.items()
        parts.append(part)
    return parts
