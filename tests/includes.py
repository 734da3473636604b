"""Include graph of C and C++ files."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = (".c", ".cpp", ".h", ".S", ".inc")


def includes(path: Path) -> list[str]:
    """The names between quotes, as they are in the file."""
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)


def unit(name: str) -> str:
    """The unit of a file: a header and its source form one; an assembly file is its own unit."""
    return re.sub(r"\.(c|cpp|h)$", "", name)


def needs(root: Path) -> dict[str, set[str]]:
    """Units included by each unit below ``root``, except tests.

    A header name that occurs in several folders, such as those of machines, counts as one.
    """
    paths = [path.relative_to(root) for path in sorted(root.rglob("*.*"))]
    names = [
        path.as_posix() for path in paths if path.suffix in SOURCES and path.parts[0] != "tests"
    ]
    by_key: dict[str, set[str]] = {unit(name): set() for name in names}
    for name in names:
        for include in includes(root / name):
            meant = {include} & set(names) or {n for n in names if n.endswith(f"/{include}")}
            by_key[unit(name)] |= {unit(n) for n in meant} - {unit(name)}
    return by_key
