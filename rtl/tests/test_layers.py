"""The simulation of soft cores may include no machine and no device of the twin."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from includes import SOURCES, includes
from irqscope_rtl import build
from irqscope_rtl.cores import ROOT

pytestmark = pytest.mark.quick

PACKAGE = ROOT / "rtl" / "irqscope_rtl"
#: Modules of other rooms that a file imports. The benchmark alone measures, as a user does.
MAY_IMPORT = {
    "__main__.py": {
        "irqscope.machines.firmware_file",
        "irqscope.machines.generated",
        "irqscope.machines.load",
        "irqscope.machines.stacks",
        "irqscope.resources",
        "irqscope.machines.elf",
        "irqscope.machines.program_file",
        "irqscope_twin.toolchain",
    },
    "area.py": {"irqscope_twin.toolchain"},
    "bench.py": {"irqscope.experiment", "irqscope.acquire.measure", "irqscope.targets.rtl"},
    "boards.py": {
        "irqscope.machines.firmware_file",
        "irqscope.machines.generated",
        "irqscope.machines.model",
        "irqscope.resources",
        "irqscope_hw.ecp5.image",
        "irqscope_twin.toolchain",
    },
    "build.py": {"irqscope.resources", "irqscope_twin.toolchain"},
    "check.py": {
        "irqscope.machines.elf",
        "irqscope.machines.program_file",
        "irqscope.resources",
        "irqscope_twin.toolchain",
    },
    "cores.py": {"irqscope.resources"},
    "programs.py": {"irqscope.machines.program_file", "irqscope.units"},
}
OTHERS = ("irqscope", "irqscope_hw", "irqscope_twin", "irqscope_fake")


def imported(source: str) -> Iterator[str]:
    """Modules of other rooms that a source imports."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            whole = node.module in OTHERS
            names = [f"{node.module}.{a.name}" for a in node.names] if whole else [node.module]
        yield from (name for name in names if name.partition(".")[0] in OTHERS)


def included(folder: Path) -> Iterator[tuple[str, Path]]:
    """Each file below a folder with each path that it includes, from the root of the repository."""
    for path in sorted(folder.rglob("*")):
        for name in includes(path) if path.suffix in SOURCES else ():
            places = (path.parent, build.ENGINE, build.SYSTEM)
            meant = next(at for at in places if (at / name).exists())
            yield path.name, (meant / name).relative_to(ROOT)


def test_every_import_of_another_room_is_allowed_and_every_allowed_one_is_there():
    imports = {path.name: set(imported(path.read_text())) for path in PACKAGE.glob("*.py")}
    assert {name: modules for name, modules in imports.items() if modules} == MAY_IMPORT


def test_imports_are_found_however_they_are_written():
    written = (
        "import irqscope.acquire.plan, json\nfrom irqscope_twin import build\nfrom . import cores"
    )
    assert list(imported(written)) == ["irqscope.acquire.plan", "irqscope_twin.build"]


def test_of_the_twins_engine_its_core_alone_is_included():
    includes = list(included(ROOT / "rtl"))
    assert len(includes) > 10
    allowed = (build.SYSTEM.relative_to(ROOT), build.ENGINE.relative_to(ROOT) / "core")
    assert [pair for pair in includes if pair[1].parent not in allowed] == []


def test_what_is_compiled_of_the_engine_includes_nothing_else_of_it():
    compiled = {f"{name}.cpp" for name in build.SHARED}
    includes = [pair for pair in included(build.ENGINE / "core") if pair[0] in compiled]
    assert {name for name, _ in includes} == compiled
    assert [pair for pair in includes if pair[1].stem not in build.SHARED] == []
