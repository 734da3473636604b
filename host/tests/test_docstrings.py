"""A docstring is read alone, in an editor or by `help`: none leans on the one above it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = (
    "host/irqscope",
    "host/irqscope_zephyr",
    "twin/irqscope_twin",
    "rtl/irqscope_rtl",
    "scripts",
)
#: Beginnings that leave out what it is about, and words that send a reader elsewhere.
LEANS = re.compile(
    r"^(?:As|The same|That of|Those|Its|It (?:is|has|was)|They|One (?:of|that|more))\b"
    r"|^(?:From|With|By|None)\b|\bas above\b|\blikewise\b",
    re.IGNORECASE,
)


def described(path: Path) -> Iterator[tuple[str, str]]:
    """Name and docstring of whatever has one in a module."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, kinds) and (text := ast.get_docstring(node)):
            yield getattr(node, "name", "module"), text


def test_no_docstring_leans_on_another():
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}: {name}: {text.splitlines()[0]}"
        for path in paths
        for name, text in described(path)
        if LEANS.search(text)
    ]
    assert len(paths) > 300
    assert found == []


def test_what_leans_is_found():
    for text in ("As every plot.", "The same, in ns.", "Raises as above.", "That of a folder."):
        assert LEANS.search(text)
    for text in ("Times, s, of latencies.", "Asks a target.", "The samplers.", "Once a second."):
        assert not LEANS.search(text)
