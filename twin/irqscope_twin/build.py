"""Builds the twin's engine: gateware to C++, C++ to an executable.

``python -m irqscope_twin.build`` makes build/twin/irqscope-twin from ip/irqscope.v and
twin/engine, and repeats only what has to be repeated. An installed wheel has no make: there the
twin does the same before it starts, in the user's cache.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from irqscope.resources import compiled, resource

from . import EXECUTABLE, clocks
from .toolchain import (
    LINK_FLAGS,
    LINKED,
    OWN_WARNINGS,
    BuildError,
    Cache,
    Unit,
    compile_unit,
    compiler,
    numbered,
    one_at_a_time,
    package_path,
    tell,
    tell_lead,
    unit_of_runtime,
    units_of_model,
    verilate,
    verilator_root,
)

ROOT = resource("")
BUILD = compiled("twin")
GATEWARE = resource("ip/irqscope.v")
ENGINE = resource("twin/engine")

JOBS = 2


def with_clocks() -> Path:
    """Writes the gateware with a clock for each part to build/twin. Returns the file."""
    try:
        text = clocks.split(GATEWARE.read_text())
    except clocks.UnknownVerilogError as error:
        raise BuildError(f"{GATEWARE}: {error}") from error
    verilog = BUILD / "clocks.v"
    if not verilog.exists() or verilog.read_text() != text:
        verilog.write_text(text)
    return verilog


def units_of_engine(model: Path, unicorn: Path, include: Path) -> list[Unit]:
    """The engine's own units, the longest first: two jobs then end together."""
    flags = ["-O2", *OWN_WARNINGS, f"-isystem{include}", f"-isystem{include / 'vltstd'}"]
    flags += [f"-I{ENGINE}", f"-isystem{model}", f"-isystem{unicorn / 'include'}"]
    paths = sorted(ENGINE.rglob("*.cpp"), key=lambda path: -path.stat().st_size)
    return [Unit(path, flags, standard=True) for path in paths]


def prepare_library(cache: Cache, report: Callable[[str], None]) -> None:
    """The first link on a machine makes zig compile its C++ library, most of a minute on one core.

    An empty program gets that done while the other core compiles ours. Another checkout with the
    same folder of the compiler has done it for this one.
    """
    empty = BUILD / "empty.cpp"
    if not empty.exists():
        empty.write_text("int main() {}\n")
    command = [*compiler(), *LINK_FLAGS, str(empty), "-o", str(BUILD / "empty")]
    if cache.run(BUILD / "empty", command, [empty]) == "compiled":
        report("prepared the C++ library")


def build(report: Callable[[str], None] = tell) -> Path:
    """Bring the executable up to date and return its path.

    Raises BuildError when a tool is missing or fails.
    """
    if not GATEWARE.exists():
        raise BuildError("ip/irqscope.v is missing: generate the gateware first")
    verilator, unicorn = verilator_root(), package_path("unicorn")
    with one_at_a_time(BUILD, report):
        _build(verilator, unicorn, report)
    return EXECUTABLE


def _build(verilator: Path, unicorn: Path, report: Callable[[str], None]) -> None:
    include = verilator / "include"
    model = BUILD / "model"
    cache = Cache(BUILD / "keys.json", report)
    try:
        with ThreadPoolExecutor(JOBS) as pool:
            library = pool.submit(prepare_library, cache, report)
            verilog = with_clocks()
            options = ["--top-module", "irqscope", str(verilog)]
            verilate(cache, verilator, model, "Virqscope", [verilog], options, report)
            tell_lead(model)
            units = [
                unit_of_runtime(BUILD, include),
                *units_of_model(model, "Virqscope", include),
                *units_of_engine(model, unicorn, include),
            ]
            each = numbered(report, len(units))
            objects = list(pool.map(lambda unit: compile_unit(cache, unit, BUILD, each), units))
            library.result()

        libraries = unicorn / "lib"
        link = [*compiler(), *LINK_FLAGS, *map(str, objects), str(libraries / "libunicorn.so.2")]
        relative = os.path.relpath(libraries.resolve(), BUILD.resolve())
        link += [f"-Wl,-rpath,$ORIGIN/{relative}", "-o", str(EXECUTABLE)]
        if how := cache.run(EXECUTABLE, link, [*objects, libraries / "libunicorn.so.2"]):
            report(f"{LINKED[how]} {EXECUTABLE.name}")
    finally:
        cache.save()


def main() -> int:
    """Command line: builds, reports each step, exit code 1 when one fails."""
    try:
        build(tell)
    except BuildError as error:
        print(f"irqscope_twin.build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
