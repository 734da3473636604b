"""Comments do not change identities: sources are edited and rebuilt in a copy."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from instrument import ROOT
from outcome import once

WORDS = "Four words are more."
HERE = Path(__file__)


@pytest.fixture
def tree(tmp_path: Path) -> Callable[..., Path]:
    """A copy of folders of the tree, without what was built."""

    def copy(*names: str) -> Path:
        ignored = shutil.ignore_patterns("__pycache__")
        for name in names:
            shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
        return tmp_path

    return copy


def contents(*names: str) -> str:
    """A text with the path and hash of each file of folders of the tree, and of single files."""
    paths = [path for name in names for path in sorted((ROOT / name).rglob("*")) or [ROOT / name]]
    return "".join(
        f"{path.relative_to(ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
        for path in paths
        if path.is_file() and "__pycache__" not in path.parts
    )


def run(*command: str, cwd: Path, **environment: str) -> None:
    process = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stdout


def comment_python(path: Path) -> None:
    """Words into each docstring of a module, and a comment in front."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node) is not None:
            line = node.body[0].lineno - 1
            lines[line] = lines[line].replace('"""', f'"""{WORDS} ', 1)
    path.write_text("".join([f"# {WORDS}\n", *lines]), encoding="utf-8")


def comment_registers(path: Path) -> None:
    """Words into each description of the register source, and into each comment."""
    text, count = re.subn('desc = "', f'desc = "{WORDS} ', path.read_text(encoding="utf-8"))
    assert count > 100
    text = re.sub(r"(?m)^( *)//", rf"\1// {WORDS}", text)
    path.write_text(f"// {WORDS}\n{text}", encoding="utf-8")


def comment_c(path: Path) -> None:
    """Two lines of words before a source of C, or of assembly, which is preprocessed."""
    path.write_text(f"/* {WORDS}\n * {WORDS} */\n{path.read_text()}", encoding="utf-8")


#: Committed files generated from hw/. Descriptions go to the manual.
GENERATED = ("ip/irqscope.v", "fw/generated/irqscope_regs.h", "host/irqscope/constants.py")
MANUAL = "build/docs/registers.md"


def generate(root: Path) -> dict[str, bytes]:
    """Output of the gateware's generators in a copy of the tree."""
    for name in (*GENERATED, MANUAL):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
    for module in ("verilog", "export"):
        run(sys.executable, "-m", f"irqscope_hw.{module}", cwd=root, PYTHONPATH=str(root / "hw"))
    return {name: (root / name).read_bytes() for name in (*GENERATED, MANUAL)}


def test_a_comment_of_the_gateware_changes_what_the_manual_says_and_nothing_else(
    tree: Callable[..., Path],
) -> None:
    made_from = contents("hw", *GENERATED)
    once(lambda: compare_gateware(tree), "gateware", version("peakrdl-cheader"), made_from, HERE)


def compare_gateware(tree: Callable[..., Path]) -> None:
    root = tree("hw")
    for path in root.glob("hw/irqscope_hw/**/*.py"):
        comment_python(path)
    comment_registers(root / "hw/regs/irqscope.rdl")
    written = generate(root)
    page = written.pop(MANUAL).decode()
    assert {name: (ROOT / name).read_bytes() for name in GENERATED} == written
    assert page.count(WORDS) > 100
    header = (ROOT / GENERATED[1]).read_text().splitlines()[0]
    assert page.splitlines()[0] == f"<!-- {header.removeprefix('/* ')} -->"


def loaded(path: Path) -> list[tuple[int, int, bytes]]:
    """Address, size and bytes of each segment that a program has loaded."""
    with path.open("rb") as file:
        return [
            (segment["p_vaddr"], segment["p_memsz"], segment.data())
            for segment in ELFFile(file).iter_segments()
            if segment["p_type"] == "PT_LOAD"
        ]


def test_a_comment_of_the_firmware_changes_nothing_that_is_loaded(
    tree: Callable[..., Path],
) -> None:
    """Its hash is among that."""
    program = "build/fw/irqscope.elf"
    make = subprocess.run(["make", "--version"], capture_output=True, text=True, check=True).stdout
    tools = (make, version("ziglang"), version("pyelftools"))
    made_from = contents("fw", program)
    once(lambda: compare_firmware(tree, program), "firmware", *tools, made_from, HERE)


def compare_firmware(tree: Callable[..., Path], program: str) -> None:
    root = tree("fw")
    for kind in ("c", "h", "S"):
        for path in root.glob(f"fw/**/*.{kind}"):
            comment_c(path)
    (root / "build").mkdir()
    programs = Path(sys.executable).parent
    run("make", "-s", "-j2", cwd=root / "fw", PATH=f"{programs}:{os.environ['PATH']}")
    assert loaded(root / program) == loaded(ROOT / program)
