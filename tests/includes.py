"""Who includes whom, in C and C++."""

from __future__ import annotations

import re
from pathlib import Path

SOURCES = (".c", ".cpp", ".h", ".S", ".inc")


def includes(path: Path) -> list[str]:
    """The names between quotes, as they are in the file."""
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)


def unit(name: str) -> str:
    """A header and what implements it are one; what is assembled stands for itself."""
    return re.sub(r"\.(c|cpp|h)$", "", name)


def needs(root: Path) -> dict[str, set[str]]:
    """Units that each unit below ``root`` includes, but for tests.

    A name that several folders of headers have, such as those of machines, stands for all.
    """
    paths = [path.relative_to(root) for path in sorted(root.rglob("*.*"))]
    names = [
        path.as_posix() for path in paths if path.suffix in SOURCES and path.parts[0] != "tests"
    ]
    found: dict[str, set[str]] = {unit(name): set() for name in names}
    for name in names:
        for include in includes(root / name):
            meant = {include} & set(names) or {n for n in names if n.endswith(f"/{include}")}
            found[unit(name)] |= {unit(n) for n in meant} - {unit(name)}
    return found
