"""Tests and proofs of the gateware's components that were changed.

    python scripts/verify.py [--list] [FILE ...]

Without FILE: of what differs from the last commit. A component's tests and proofs are those of its
name in ``hw/tests`` and ``hw/formal``; where there are none, those that import it; where there are
none of these, those of the components that import it.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HW = ROOT / "hw"
PACKAGE = HW / "irqscope_hw"
REGISTERS = HW / "regs" / "irqscope.rdl"
#: Where tests are, and where proofs do.
ROOMS = (HW / "tests", HW / "formal")


def main() -> int:
    """The command: exit code of pytest; 2 for a file that has no tests."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="say which, and run none")
    parser.add_argument("file", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args()
    changed = [path.resolve() for path in options.file] or changes()
    for path in changed:
        if not path.is_file() or not path.is_relative_to(HW):
            print(f"verify: {path}: no file below {HW}", file=sys.stderr)
            return 2
    for path in changed:
        if options.file and not tests_of([path]):
            print(f"verify: {path}: has no tests of its own; make test", file=sys.stderr)
            return 2
    selected = [str(path.relative_to(ROOT)) for path in tests_of(changed)]
    if not selected:
        print("make verify: no component of the gateware was changed since the last commit")
        return 0
    print(f"make verify: {' '.join(selected)}", flush=True)
    if options.list:
        return 0
    command = [sys.executable, "-m", "pytest", "-n", "2", *selected]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def changes() -> list[Path]:
    """Files below ``hw`` that are not as in the last commit, or not in it."""
    command = ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]
    process = subprocess.run([*command, "hw"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [ROOT / entry[3:] for entry in process.stdout.split("\0") if entry]
    return [path for path in paths if path.is_file()]


def tests_of(changed: Iterable[Path]) -> list[Path]:
    """The files of tests and of proofs for these files, each once."""
    return [*dict.fromkeys(test for path in changed for room in ROOMS for test in of(path, room))]


def of(path: Path, room: Path) -> list[Path]:
    """The files in one room for a changed file."""
    if path.parent in ROOMS:
        return [path] if path.parent == room and path.name.startswith("test_") else []
    if path == REGISTERS:
        path = PACKAGE / "regmap.py"
    if path.suffix != ".py" or not path.is_relative_to(PACKAGE):
        return []
    visited: set[Path] = set()
    modules = {path}
    while modules:
        if tests := _named(modules, room) or _importing(modules, room.glob("test_*.py")):
            return sorted(tests)
        visited |= modules
        modules = _importing(modules, PACKAGE.rglob("*.py")) - visited
    return []


def _named(modules: set[Path], room: Path) -> set[Path]:
    names = {name for path in modules for name in (path.stem, path.parent.name)}
    return {test for name in names if (test := room / f"test_{name}.py").is_file()}


def _importing(modules: set[Path], files: Iterable[Path]) -> set[Path]:
    names = {_name(path) for path in modules}
    return {path for path in files if names & imports(path)}


def _name(path: Path) -> str:
    parts = path.relative_to(HW).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(path: Path) -> frozenset[str]:
    """Modules of the gateware that a file imports, or names as ``gateware.module``."""
    package = list(path.relative_to(HW).parent.parts)
    names = set[str]()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {base, *(f"{base}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute) and "gateware" in ast.unparse(node.value):
            names.add(f"{PACKAGE.name}.{ast.unparse(node).partition('gateware.')[2]}")
    return frozenset(name for name in names if name.startswith(PACKAGE.name))


if __name__ == "__main__":
    sys.exit(main())
