"""Changes the gateware in one place after the other, and prints what nobody noticed.

A mutant is a component's source with one operator, number or assignment changed. The component's
unit tests and proofs run against each; what passes them all has survived: a test is missing there,
or the change means nothing. That the mutations of the proofs themselves are refuted is left out:
they look for their text in the source.

    python hw/mutants.py                  # as many as a night bears, drawn by the date
    python hw/mutants.py pin_front_end -n 0   # all of one component
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HW = Path(__file__).resolve().parent
PACKAGE = HW / "irqscope_hw"
#: They compare the gateware with files made from it, so each mutant would fail them.
OF_FILES = ("verilog", "export", "component", "netlist", "witness", "routed", "manual", "merging")
#: No component's tests take longer, ten times over.
LONGEST_S = 3600
SWAPPED = {
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"), ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}  # fmt: skip
OTHER = {"any": "all", "all": "any"}
#: A wider signal is equivalent as long as the extra bits are unused.
SHAPES = ("Signal", "range", "Const")


@dataclass(frozen=True)
class Mutant:
    """In the source of ``module`` (``folder.name`` in a folder), ``old`` in ``line`` is ``new``."""

    module: str
    line: int
    old: str
    new: str
    source: str

    def __str__(self) -> str:
        def short(text: str) -> str:
            return " ".join(text.split())

        path = f"{self.module.replace('.', '/')}.py"
        return f"{path}:{self.line}: `{short(self.old)}` became `{short(self.new)}`"


def path_of(module: str) -> Path:
    """The source of a module, below the package."""
    return Path(f"{module.replace('.', '/')}.py")


def components() -> list[str]:
    """Modules that describe hardware."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        if any(_is_component(node) for node in ast.parse(path.read_text()).body):
            found.append(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
    return found


def concerned(module: str) -> list[Path]:
    """Files of tests and proofs that name a module, relative to ``hw``."""
    name = re.escape(module)
    folder, _, last = module.rpartition(".")
    named = rf"\birqscope_hw\.{name}\b|\b(g|gateware)\.{name}\b"
    if folder:
        named += rf"|\birqscope_hw\.{re.escape(folder)}\b|\"{name}\""
    found = []
    for path in sorted([*(HW / "tests").glob("test_*.py"), *(HW / "formal").glob("test_*.py")]):
        stem = path.stem.removeprefix("test_")
        if stem not in OF_FILES and (stem == last or re.search(named, path.read_text())):
            found.append(path.relative_to(HW))
    return found


def mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of a source, in its order."""
    text = source.encode()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def begin(node: ast.AST) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end(node: ast.AST) -> int:
        return starts[node.end_lineno - 1] + node.end_col_offset

    def changes(node: ast.AST) -> Iterator[tuple[int, int, bytes]]:
        """Begin and end of the replaced text, and the replacement."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.ops[0], node.comparators[0])
        elif isinstance(node, ast.BinOp):
            yield from between(node.left, node.op, node.right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            yield begin(node), begin(node) + 1, b""
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield begin(node), end(node), str(node.value + 1).encode()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            if name == "eq":
                yield begin(node), end(node), b"[]"
            elif name in OTHER and not node.args:
                yield end(node.func) - len(name), end(node.func), OTHER[name].encode()
            elif name in ("If", "Elif"):
                yield begin(node.args[0]), end(node.args[0]), b"0"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Mux":
            _, yes, no = node.args
            middle = text[end(yes) : begin(no)]
            swapped = text[begin(no) : end(no)] + middle + text[begin(yes) : end(yes)]
            yield begin(yes), end(no), swapped

    def between(left: ast.AST, operator: ast.AST, right: ast.AST) -> Iterator[tuple]:
        old, new = (sign.encode() for sign in SWAPPED.get(type(operator), ("", "")))
        if old:
            place = text.index(old, end(left), begin(right))
            yield place, place + len(old), new

    found = []
    for node in _looked_at(ast.parse(source)):
        for first, last, new in changes(node):
            line = text.count(b"\n", 0, first)
            whole = slice(starts[line], max(last, text.find(b"\n", first)))
            changed = text[:first] + new + text[last:]
            shown = text[whole.start : first] + new + text[last : whole.stop]
            found.append(
                Mutant(module, line + 1, text[whole].decode(), shown.decode(), changed.decode())
            )
    return sorted(found, key=lambda mutant: mutant.line)


def _is_component(node: ast.AST) -> bool:
    methods = node.body if isinstance(node, ast.ClassDef) else []
    return any(getattr(method, "name", "") == "elaborate" for method in methods)


def _looked_at(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes of all that makes hardware: no interfaces, and no shapes of signals."""
    waiting: list[ast.AST] = [
        method
        for node in tree.body
        if _is_component(node)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    ]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in SHAPES:
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def passes(mutant: Mutant | None, tests: Sequence[Path]) -> bool:
    """Whether the tests pass with the mutant, or with the original gateware if None.

    A timeout is a failure.
    """
    with tempfile.TemporaryDirectory(prefix="mutant-") as name:
        root = Path(name)
        for path in HW.parent.iterdir():
            if path.name not in ("hw", "build", ".git", ".hypothesis"):
                (root / path.name).symlink_to(path)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(HW, root / "hw", ignore=ignored)
        if mutant is not None:
            (root / "hw" / "irqscope_hw" / path_of(mutant.module)).write_text(mutant.source)
        options = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--rootdir", str(root))
        chosen = ("-k", "not refuted", "--hypothesis-profile", "mutants")
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options, *chosen, *(f"hw/{t}" for t in tests)],
                cwd=root,
                env=os.environ | {"PYTHONPATH": str(root / "hw"), "PYTHONDONTWRITEBYTECODE": "1"},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=LONGEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs mutants and prints those that survive; 1 if what they are changed from fails."""
    parser = argparse.ArgumentParser(description="Changes the gateware; prints what survives.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="components; none: all")
    parser.add_argument("-n", "--number", type=int, default=200, help="mutants drawn; 0: all")
    parser.add_argument("--seed", default=time.strftime("%Y-%m-%d"), help="of the draw")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(arguments)
    known = components()
    if unknown := set(asked.modules) - set(known):
        parser.error(f"no component {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    modules = asked.modules or known
    tests = {module: concerned(module) for module in modules}
    for module in [module for module in modules if not tests[module]]:
        print(f"{module}: no test or proof names it")
    drawn = [
        mutant
        for module in modules
        if tests[module]
        for mutant in mutants(module, (PACKAGE / path_of(module)).read_text())
    ]
    there = len(drawn)
    if 0 < asked.number < there:
        order = random.Random(asked.seed).sample(range(there), asked.number)
        drawn = [drawn[place] for place in sorted(order)]
    print(f"{len(drawn)} of {there} mutants, seed {asked.seed}", flush=True)
    touched = sorted({mutant.module for mutant in drawn})
    with ThreadPoolExecutor(asked.jobs) as pool:
        as_it_is = pool.map(lambda module: passes(None, tests[module]), touched)
        for module, passed in zip(touched, list(as_it_is), strict=True):
            if not passed:
                print(f"{module}: its tests or proofs fail as it is: {tests[module]}")
                return 1
        survivors = 0
        ran = pool.map(lambda mutant: passes(mutant, tests[mutant.module]), drawn)
        for mutant, survived in zip(drawn, ran, strict=True):
            if survived:
                survivors += 1
                print(f"survived: {mutant}", flush=True)
    print(f"{survivors} of {len(drawn)} survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())
