"""Builds the simulation of soft cores: RTL to C++ (Verilator), C++ to an executable (zig c++).

``python -m irqscope_rtl.build CORE ...`` makes build/rtl/CORE/irqscope-rtl for each, and for a
board build/rtl/BOARD/irqscope-board (boards.py). The
instrument is compiled once, for all of them. A step is repeated only when something that goes into
it has changed. An installed wheel has no make: there the simulation does the same before it
starts, in the user's cache, and the gateware comes as Verilog.

``python -m irqscope_rtl.build --gateware`` makes that Verilog alone.
"""

from __future__ import annotations

import hashlib
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from irqscope.resources import INSTALLED, compiled, resource
from irqscope_twin.toolchain import (
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
    tell,
    tell_lead,
    unit_of_runtime,
    units_of_model,
    verilate,
    verilator_root,
)

from . import boards, cores
from .cores import ROOT, Core, CoreError
from .wrap import SUFFIX, WrapError, wrap

BUILD = compiled("rtl")
INSTRUMENT = BUILD / "instrument"
SYSTEM = resource("rtl/system")
CHECK = resource("rtl/check")
ENGINE = resource("twin/engine")
#: Parts of the twin's engine: the command line, the link, the trace, the record of markers, symbols
#: and what is known of a taken and of a masked interrupt, how a process refuses.
SHARED = (
    "call_chain",
    "command_line",
    "csv_file",
    "ending",
    "functions",
    "masked_map",
    "pty",
    "pty_speed",
    "stop",
    "symbols",
    "trace",
)
GATEWARE = resource("build/hw/irqscope_soft.v")
#: Folder of the gateware that extends cores.
EXTENSIONS = resource("build/rtl/gateware")
HW = resource("hw/irqscope_hw")
#: The parts of the system that know the core.
OF_CORE = (SYSTEM / "system.cpp", SYSTEM / "subject.cpp")
JOBS = 2
#: Gateware that cores of one's own may take, besides that of the packaged ones.
OFFERED = ("adapters",)
Report = Callable[[str], None]

#: Warnings that the cores' RTL causes, besides style.
TOLERATED = ("-Wno-BLKANDNBLK", "-Wno-UNOPTFLAT", "-Wno-COMBDLY", "-Wno-MULTIDRIVEN")


def executable(core: Core) -> Path:
    """The executable that :func:`build` creates; folders of the same name do not share it."""
    if core.folder.parent == cores.FOLDER:
        return BUILD / core.name / "irqscope-rtl"
    other = hashlib.sha256(str(core.folder.resolve()).encode()).hexdigest()[:8]
    return BUILD / f"{core.name}-{other}" / "irqscope-rtl"


def gateware(cache: Cache) -> None:
    """The instrument in the shell of soft cores, as Verilog. Raises BuildError."""
    if INSTALLED:
        return
    sources = [*sorted(HW.rglob("*.py")), resource("hw/regs/irqscope.rdl")]
    GATEWARE.parent.mkdir(parents=True, exist_ok=True)
    cache.run(GATEWARE, [sys.executable, "-m", "irqscope_hw.verilog", "soft"], sources, cwd=ROOT)


def verilog(name: str) -> Path:
    """Path of the Verilog of gateware that extends cores."""
    return EXTENSIONS / f"{name}.v"


def gateware_of_cores(cache: Cache, name: str) -> None:
    """Writes that Verilog. Raises BuildError."""
    if INSTALLED:
        return
    target = verilog(name)
    target.parent.mkdir(exist_ok=True)
    command = [sys.executable, "-m", f"irqscope_hw.{name}", str(target)]
    cache.run(target, command, sorted((HW / name).glob("*.py")), cwd=ROOT)


def write_gateware() -> None:
    """Writes the Verilog that a wheel carries for soft cores. Raises BuildError."""
    with one_at_a_time(BUILD, tell):
        cache = Cache(BUILD / "keys.json")
        gateware(cache)
        packaged = {name for each in cores.names() for name in cores.find(each).gateware}
        for name in sorted({*packaged, *OFFERED}):
            gateware_of_cores(cache, name)
        cache.save()


def sources(core: Core, made: Path) -> list[Path]:
    """Compiled parts of a core, and its generated files. Raises BuildError, CoreError."""
    found = [*map(verilog, core.gateware)]
    around = {core.at(source): core.at(lines) for source, lines in core.wraps.items()}
    for path in core.files():
        if path in around:
            found += _wrapped(path, around[path], made)
        else:
            found.append(path)
    return found


def _wrapped(source: Path, lines: Path, made: Path) -> list[Path]:
    try:
        both = wrap(source.stem, source.read_text(), lines.read_text())
    except WrapError as error:
        raise BuildError(f"{lines}: {error}") from None
    made.mkdir(parents=True, exist_ok=True)
    package, around = made / f"{source.stem}{SUFFIX}.sv", made / source.name
    for path, text in ((package, both.package), (around, both.around)):
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    return [package, around]


def model_of_instrument(cache: Cache, root: Path, report: Callable[[str], None]) -> None:
    """C++ of the instrument. Raises BuildError."""
    gateware(cache)
    options = ["--top-module", "irqscope_soft", str(GATEWARE)]
    verilate(cache, root, INSTRUMENT / "model", "Virqscope_soft", [GATEWARE], options, report)
    tell_lead(INSTRUMENT / "model")


def model_of_core(cache: Cache, root: Path, core: Core, report: Callable[[str], None]) -> None:
    """C++ of a core whose gateware was generated. Raises BuildError, CoreError."""
    folder = executable(core).parent
    if core.folder.parent != cores.FOLDER:
        cache.place(core.folder, f"core {core.name}")
        cache.place(folder, f"build of core {core.name}")
    files = sources(core, folder / "made")
    options = [*TOLERATED]
    options += [f"+incdir+{path}" for path in (cores.PORTS.parent, *core.folders(core.include))]
    options += [word for path in core.folders(core.libraries) for word in ("-y", str(path))]
    options += [f"-D{define}" for define in core.defines]
    options += ["--top-module", "irqscope_core", *map(str, files)]
    verilate(cache, root, folder / "model", "Vcore", [*files, cores.PORTS], options, report)


def build(names: Sequence[str], report: Callable[[str], None] = tell) -> list[Path]:
    """Brings the executables up to date. Raises BuildError, CoreError."""
    on_boards = {name: board for name in names if (board := _board(name))}
    of_cores = [name for name in names if name not in on_boards]
    found = {executable(core): core for core in map(cores.find, of_cores)}
    for core in found.values():
        core.files()
    root = verilator_root()
    with one_at_a_time(BUILD, report):
        cache = Cache(BUILD / "keys.json", report)
        try:
            if found:
                _build(cache, root, found, report)
            for board in on_boards.values():
                boards.build(board, cache, report)
        finally:
            cache.save()
    return [*found, *(board.program for board in on_boards.values())]


def _board(name: str) -> boards.Simulated | None:
    """The board of ``BOARD`` or ``BOARD:routed``, or None for any other name."""
    board, _, how = name.partition(":")
    return boards.find(board, routed=how == "routed") if how in ("", "routed") else None


def _build(
    cache: Cache, root: Path, found: dict[Path, Core], report: Callable[[str], None]
) -> None:
    """Runs each step for all cores before the next step, so that all jobs are busy."""
    folders = [product.parent for product in found]
    with ThreadPoolExecutor(JOBS) as pool:
        instrument = pool.submit(model_of_instrument, cache, root, report)
        extensions = {name for core in found.values() for name in core.gateware}
        list(pool.map(lambda name: gateware_of_cores(cache, name), sorted(extensions)))
        list(pool.map(lambda core: model_of_core(cache, root, core, report), found.values()))
        instrument.result()

        jobs = _jobs(root / "include", folders)
        each = numbered(report, len(jobs))

        def made(job: tuple[Unit, Path]) -> Path:
            return compile_unit(cache, *job, each)

        objects = defaultdict(list)
        for path in pool.map(made, jobs):
            objects[path.parent].append(path)

        def linked(product: Path) -> None:
            parts = [*objects[INSTRUMENT], *objects[product.parent]]
            command = [*compiler(), *LINK_FLAGS, *map(str, parts), "-o", str(product)]
            if how := cache.run(product, command, parts):
                report(f"{LINKED[how]} {product.parent.name}")

        list(pool.map(linked, found))


class CheckProgram(NamedTuple):
    """The simulation of a core alone, and the programs that it runs (check.py)."""

    executable: Path
    elf: Path


def build_check(
    core: Core, source: Path, causes: Sequence[int], *, vectored: bool, report: Report = tell
) -> CheckProgram:
    """Brings the check of a core up to date. Raises BuildError, CoreError.

    Args:
        core: The core.
        source: The programs, assembly.
        causes: Causes of its inputs.
        vectored: Mode of mtvec.
        report: Receives a line for each step.
    """
    core.files()
    root, folder = verilator_root(), executable(core).parent
    found = CheckProgram(folder / "irqscope-core-check", folder / "checks.elf")
    with one_at_a_time(BUILD, report):
        cache = Cache(BUILD / "keys.json", report)
        try:
            for name in core.gateware:
                gateware_of_cores(cache, name)
            model_of_core(cache, root, core, report)
            include = root / "include"
            flags = ["-O2", *OWN_WARNINGS, f"-isystem{include}", f"-isystem{include / 'vltstd'}"]
            flags += [f"-I{ENGINE}", f"-I{SYSTEM}"]
            known = [*flags, f"-isystem{folder / 'model'}"]
            INSTRUMENT.mkdir(parents=True, exist_ok=True)
            jobs = [(unit, folder) for unit in units_of_model(folder / "model", "Vcore", include)]
            jobs.append((Unit(CHECK / "main.cpp", known, standard=True), folder))
            jobs.append((unit_of_runtime(INSTRUMENT, include), INSTRUMENT))
            for path in (SYSTEM / "program.cpp", ENGINE / "core" / "stop.cpp"):
                jobs.append((Unit(path, flags, standard=True), INSTRUMENT))
            with ThreadPoolExecutor(JOBS) as pool:
                each = numbered(report, len(jobs))
                parts = list(pool.map(lambda job: compile_unit(cache, job[0], job[1], each), jobs))
            command = [*compiler(), *LINK_FLAGS, *map(str, parts), "-o", str(found.executable)]
            cache.run(found.executable, command, parts)
            bits = sum(1 << cause for cause in causes)
            script = source.with_suffix(".ld")
            command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding"]
            command += ["-mcpu=generic_rv32+zicsr", "-nostdlib", "-static", f"-DCAUSES={bits:#x}"]
            command += [f"-DMODE={int(vectored)}", "-T", str(script), str(source)]
            cache.run(found.elf, [*command, "-o", str(found.elf)], [source, script])
        finally:
            cache.save()
    return found


def _jobs(include: Path, folders: Sequence[Path]) -> list[tuple[Unit, Path]]:
    """Units with the paths of their objects, the longest first, so that jobs end together."""
    models = [(INSTRUMENT, "Virqscope_soft"), *((folder, "Vcore") for folder in folders)]
    units = [units_of_model(folder / "model", prefix, include) for folder, prefix in models]
    jobs = [
        (unit, folder)
        for of_kind in zip(*units, strict=True)
        for unit, (folder, _) in zip(of_kind, models, strict=True)
    ]
    jobs.append((unit_of_runtime(INSTRUMENT, include), INSTRUMENT))
    flags = ["-O2", *OWN_WARNINGS, f"-isystem{include}", f"-isystem{include / 'vltstd'}"]
    flags += [f"-isystem{INSTRUMENT / 'model'}", f"-I{ENGINE}", f"-I{SYSTEM}"]
    for path in OF_CORE:
        for folder in folders:
            unit = Unit(path, [*flags, f"-isystem{folder / 'model'}"], standard=True)
            jobs.append((unit, folder))
    own = [ENGINE / "core" / f"{name}.cpp" for name in SHARED]
    own += sorted({*SYSTEM.glob("*.cpp")} - {*OF_CORE})
    return jobs + [(Unit(path, flags, standard=True), INSTRUMENT) for path in own]


def main() -> int:
    """Command line: builds, reports each step, exit code 1 when one fails."""
    names = sys.argv[1:]
    try:
        if names == ["--gateware"]:
            write_gateware()
        else:
            build(names)
    except (BuildError, CoreError) as error:
        print(f"irqscope_rtl.build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
