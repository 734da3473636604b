"""Arrays with blocking and non-blocking assignments, of which Verilator can lose words.

Verilator knows such a variable as unsupported (BLKANDNBLK), but does not warn of every array.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_BLOCKING = ("ASSIGN", "ASSIGNW")
_NON_BLOCKING = "ASSIGNDLY"
#: Blocks that run once, before the first cycle.
_ONCE = ("INITIAL", "INITIALSTATIC", "INITIALAUTOMATIC", "INITIALAUTOMATICSTMT")


def mixed(tree: Any, files: dict[str, str]) -> list[str]:
    """Return "FILE:LINE: NAME" of each array that has assignments of both kinds.

    Args:
        tree: A core as ``verilator --json-only`` writes it.
        files: Name of each file by its letter.
    """
    arrays, variables = set[str](), dict[str, tuple[str, str, str]]()
    by_kind: dict[bool, set[str]] = {False: set(), True: set()}
    for node in _nodes(tree):
        kind = node.get("type")
        if kind == "UNPACKARRAYDTYPE":
            arrays.add(node["addr"])
        elif kind == "VAR":
            variables[node["addr"]] = node["dtypep"], node["loc"], node["origName"]
        elif kind == _NON_BLOCKING or kind in _BLOCKING:
            by_kind[kind == _NON_BLOCKING] |= set(_written(node["lhsp"]))
    places = dict.fromkeys(
        (loc, name)
        for address, (dtype, loc, name) in variables.items()
        if dtype in arrays and address in by_kind[True] & by_kind[False]
    )
    return [f"{_place(loc, files)}: {name}" for loc, name in places]


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    """Yield all nodes except those of blocks that run once."""
    pending = [node]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending += reversed(node)
        elif isinstance(node, dict) and node.get("type") not in _ONCE:
            yield node
            pending += reversed(node.values())


def _written(node: Any) -> Iterator[str]:
    return (one["varp"] for one in _nodes(node) if one.get("access") in ("WR", "RW"))


def _place(loc: str, files: dict[str, str]) -> str:
    file, _, rest = loc.partition(",")
    return f"{files.get(file, file)}:{rest.partition(':')[0]}"
