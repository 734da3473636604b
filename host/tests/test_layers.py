"""Who may import whom, as docs/architecture.md draws it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOST = ROOT / "host" / "irqscope"


def rows() -> list[list[str]]:
    """The rooms of the page, the uppermost row first."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    (block,) = re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [line.split(", ") for line in block.splitlines()]


def imported(path: Path) -> Iterator[str]:
    """Rooms that a file imports when it is loaded or run; not those for types alone."""
    tree = ast.parse(path.read_text())
    for_types = {
        id(node)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "irqscope":
            names = [f"irqscope.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        yield from (name.split(".")[1] for name in names if name.startswith("irqscope."))


def room(path: Path) -> str:
    return path.relative_to(HOST).parts[0].removesuffix(".py")


def test_every_room_stands_in_one_row():
    found = {room(path) for path in HOST.rglob("*.py")} - {"__init__", "__main__"}
    assert sorted(name for row in rows() for name in row) == sorted(found)


def test_no_rooms_import_each_other():
    """Not through others either. Raises CycleError, which names the circle."""
    known = {name for row in rows() for name in row}
    wanted: dict[str, set[str]] = {name: set() for name in known}
    for path in HOST.rglob("*.py"):
        if room(path) in known:
            wanted[room(path)] |= {name for name in imported(path) if name in known}
    order = [*TopologicalSorter({n: w - {n} for n, w in wanted.items()}).static_order()]
    assert order.index("results") < order.index("summary")


def test_imports_point_downwards():
    level = {name: at for at, row in enumerate(rows()) for name in row}
    upwards = [
        f"{path.relative_to(HOST)}: {name}"
        for path in HOST.rglob("*.py")
        if room(path) in level
        for name in imported(path)
        if level.get(name, len(level)) < level[room(path)]
    ]
    assert upwards == []
