"""Builds the simulation of soft cores: RTL to C++ (Verilator), C++ to an executable (zig c++).

``python -m irqscope_rtl.build CORE ...`` makes build/rtl/CORE/irqscope-rtl for each, and for a
board build/rtl/BOARD/irqscope-board (boards.py). With ``--host NAME`` it also makes
build/rtl/CORE/irqscope-rtl-NAME, in which core NAME runs our firmware next to a foreign program on
CORE; a core of one's own has that with Ibex without being asked. The
instrument is compiled once, for all of them. A step is repeated only when something that goes into
it has changed. An installed wheel has no make: there the simulation does the same before it
starts, in the user's cache, and the gateware comes as Verilog.

``python -m irqscope_rtl.build --gateware`` makes that Verilog alone.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

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
#: The parts of the system that know the core that runs our firmware, and the measured one.
OF_HOST, OF_SUBJECT = SYSTEM / "system.cpp", SYSTEM / "subject.cpp"
OF_CORE = (OF_HOST, OF_SUBJECT)
#: Class of a core's compiled model, and of one that serves another core.
MODEL, HOST_MODEL = "Vcore", "Vhost"
JOBS = 2
#: Gateware that cores of one's own may take, besides that of the packaged ones.
OFFERED = ("adapters",)
Report = Callable[[str], None]

#: Warnings that the cores' RTL causes, besides style. BLKANDNBLK is not among them: of a variable
#: with blocking and non-blocking assignments Verilator can lose writes.
TOLERATED = ("-Wno-UNOPTFLAT", "-Wno-COMBDLY", "-Wno-MULTIDRIVEN")


def executable(core: Core, host: Core | None = None) -> Path:
    """The executable that :func:`build` creates; folders of the same name do not share it.

    Args:
        core: The measured core.
        host: The core that runs our firmware next to a foreign program, if it is another.
    """
    name = "irqscope-rtl" if host is None or host == core else f"irqscope-rtl-{host.name}"
    if core.packaged:
        return BUILD / core.name / name
    other = hashlib.sha256(str(core.folder.resolve()).encode()).hexdigest()[:8]
    return BUILD / f"{core.name}-{other}" / name


def folder_of_host(host: Core) -> Path:
    """Returns the build folder of a core that runs our firmware for other cores."""
    return BUILD / "hosts" / host.name


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


def sources(core: Core, folder: Path) -> list[Path]:
    """Compiled parts of a core, and its generated files. Raises BuildError, CoreError."""
    files = [*map(verilog, core.gateware)]
    around = {core.at(source): core.at(lines) for source, lines in core.wraps.items()}
    for path in core.files():
        if path in around:
            files += _wrapped(path, around[path], folder)
        else:
            files.append(path)
    return files


def _wrapped(source: Path, lines: Path, folder: Path) -> list[Path]:
    try:
        both = wrap(source.stem, source.read_text(), lines.read_text())
    except WrapError as error:
        raise BuildError(f"{lines}: {error}") from None
    folder.mkdir(parents=True, exist_ok=True)
    package, around = folder / f"{source.stem}{SUFFIX}.sv", folder / source.name
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


def model_of_core(
    cache: Cache, root: Path, core: Core, folder: Path, prefix: str, report: Callable[[str], None]
) -> None:
    """C++ of a core whose gateware was generated. Raises BuildError, CoreError."""
    if not core.packaged:
        cache.place(core.folder, f"core {core.name}")
        cache.place(folder, f"build of core {core.name}")
    files = sources(core, folder / "made")
    options = [*TOLERATED, *_words(core, files)]
    verilate(cache, root, folder / "model", prefix, [*files, cores.PORTS], options, report)


def _words(core: Core, files: Sequence[Path]) -> list[str]:
    """Words of Verilator's command line that name a core's files."""
    options = [f"+incdir+{path}" for path in (cores.PORTS.parent, *core.folders(core.include))]
    options += [word for path in core.folders(core.libraries) for word in ("-y", str(path))]
    options += [f"-D{define}" for define in core.defines]
    return [*options, "--top-module", "irqscope_core", *map(str, files)]


def tree_of_core(core: Core) -> tuple[Any, dict[str, str]]:
    """Return a core's Verilog as Verilator reads it, after :func:`build_check`, and its files.

    Returns:
        Nodes with their ``loc``, and the name of the file for the first part of a ``loc``.

    Raises:
        BuildError, CoreError: One line.
    """
    root, files = verilator_root(), sources(core, executable(core).parent / "made")
    with TemporaryDirectory(prefix="irqscope-") as folder:
        command = [str(root / "bin" / "verilator_bin"), "--json-only", "-Wno-fatal", "-Wno-lint"]
        command += ["-Wno-style", *TOLERATED, "--prefix", MODEL, "-Mdir", folder]
        process = subprocess.run(
            [*command, *_words(core, files)], env={"VERILATOR_ROOT": str(root), "PATH": ""},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if process.returncode:
            raise BuildError(f"{core.name}: {(process.stderr.splitlines() or ['not read'])[0]}")
        tree = json.loads(Path(folder, f"{MODEL}.tree.json").read_text())
        named = json.loads(Path(folder, f"{MODEL}.tree.meta.json").read_text())["files"]
    return tree, {key: Path(file["filename"]).name for key, file in named.items()}


def build(
    names: Sequence[str], report: Callable[[str], None] = tell, host: str | None = None
) -> list[Path]:
    """Brings the executables up to date.

    Args:
        names: Cores and boards.
        report: Receives a line for each step.
        host: Core that serves those cores, in executables of its own; with None those of one's own
            are served by cores.HOST.

    Returns:
        The executables in which each core runs our firmware, and those of boards.

    Raises:
        BuildError, CoreError: One line.
    """
    on_boards = {name: board for name in names if (board := _board(name))}
    of_cores = [name for name in names if name not in on_boards]
    programs = {executable(core): core for core in map(cores.find, of_cores)}
    served = list[tuple[Core, Core]]()
    for core in programs.values():
        name = host or (None if core.packaged else cores.HOST)
        if name is not None and (serving := cores.find(name)) != core:
            serving.files()
            served.append((core, serving))
        core.files()
    root = verilator_root()
    with one_at_a_time(BUILD, report):
        cache = Cache(BUILD / "keys.json", report)
        try:
            if programs:
                _build(cache, root, programs, served, report)
            for board in on_boards.values():
                boards.build(board, cache, report)
        finally:
            cache.save()
    return [*programs, *(board.program for board in on_boards.values())]


def _board(name: str) -> boards.Simulated | None:
    """The board of ``BOARD`` or ``BOARD:routed``, or None for any other name."""
    board, _, how = name.partition(":")
    return boards.find(board, routed=how == "routed") if how in ("", "routed") else None


def _build(
    cache: Cache,
    root: Path,
    programs: dict[Path, Core],
    served: Sequence[tuple[Core, Core]],
    report: Callable[[str], None],
) -> None:
    """Runs each step for all cores before the next step, so that all jobs are busy."""
    models = {product.parent: (core, MODEL) for product, core in programs.items()}
    models |= {folder_of_host(host): (host, HOST_MODEL) for _, host in served}
    with ThreadPoolExecutor(JOBS) as pool:
        instrument = pool.submit(model_of_instrument, cache, root, report)
        extensions = {name for core, _ in models.values() for name in core.gateware}
        list(pool.map(lambda name: gateware_of_cores(cache, name), sorted(extensions)))

        def translated(folder: Path) -> None:
            core, prefix = models[folder]
            model_of_core(cache, root, core, folder, prefix, report)

        list(pool.map(translated, models))
        instrument.result()

        jobs = _jobs(root / "include", {folder: prefix for folder, (_, prefix) in models.items()})
        each = numbered(report, len(jobs))

        def made(job: tuple[Unit, Path]) -> Path:
            return compile_unit(cache, *job, each)

        objects = defaultdict(list)
        for path in pool.map(made, jobs):
            objects[path.parent].append(path)

        def linked(job: tuple[Path, Path | None]) -> None:
            product, host = job
            parts = [*objects[INSTRUMENT], *objects[product.parent]]
            if host is not None:
                parts = [part for part in parts if part.name != f"{SYSTEM.name}-{OF_HOST.stem}.o"]
                parts += objects[host]
            command = [*compiler(), *LINK_FLAGS, *map(str, parts), "-o", str(product)]
            if how := cache.run(product, command, parts):
                report(f"{LINKED[how]} {product.parent.name}")

        with_host = [(executable(core, host), folder_of_host(host)) for core, host in served]
        list(pool.map(linked, [*((product, None) for product in programs), *with_host]))


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
    program = CheckProgram(folder / "irqscope-core-check", folder / "checks.elf")
    with one_at_a_time(BUILD, report):
        cache = Cache(BUILD / "keys.json", report)
        try:
            for name in core.gateware:
                gateware_of_cores(cache, name)
            model_of_core(cache, root, core, folder, MODEL, report)
            include = root / "include"
            flags = ["-O2", *OWN_WARNINGS, f"-isystem{include}", f"-isystem{include / 'vltstd'}"]
            flags += [f"-I{ENGINE}", f"-I{SYSTEM}"]
            includes = [*flags, f"-isystem{folder / 'model'}"]
            INSTRUMENT.mkdir(parents=True, exist_ok=True)
            jobs = [(unit, folder) for unit in units_of_model(folder / "model", MODEL, include)]
            jobs.append((Unit(CHECK / "main.cpp", includes, standard=True), folder))
            jobs.append((unit_of_runtime(INSTRUMENT, include), INSTRUMENT))
            for path in (SYSTEM / "program.cpp", ENGINE / "core" / "stop.cpp"):
                jobs.append((Unit(path, flags, standard=True), INSTRUMENT))
            with ThreadPoolExecutor(JOBS) as pool:
                each = numbered(report, len(jobs))
                parts = list(pool.map(lambda job: compile_unit(cache, job[0], job[1], each), jobs))
            command = [*compiler(), *LINK_FLAGS, *map(str, parts), "-o", str(program.executable)]
            cache.run(program.executable, command, parts)
            bits = sum(1 << cause for cause in causes)
            script = source.with_suffix(".ld")
            command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv32-freestanding"]
            command += ["-mcpu=generic_rv32+zicsr", "-nostdlib", "-static", f"-DCAUSES={bits:#x}"]
            command += [f"-DMODE={int(vectored)}", "-T", str(script), str(source)]
            cache.run(program.elf, [*command, "-o", str(program.elf)], [source, script])
        finally:
            cache.save()
    return program


def _jobs(include: Path, cores_models: dict[Path, str]) -> list[tuple[Unit, Path]]:
    """Units with the paths of their objects, the longest first, so that jobs end together."""
    models = [(INSTRUMENT, "Virqscope_soft"), *cores_models.items()]
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
        for folder, model in cores_models.items():
            if path == OF_SUBJECT and model == HOST_MODEL:
                continue
            names = [f"-DCORE_MODEL={model}", f"-DCORE_HEADER=<{model}.h>"] * (path == OF_HOST)
            unit = Unit(path, [*flags, f"-isystem{folder / 'model'}", *names], standard=True)
            jobs.append((unit, folder))
    own = [ENGINE / "core" / f"{name}.cpp" for name in SHARED]
    own += sorted({*SYSTEM.glob("*.cpp")} - {*OF_CORE})
    return jobs + [(Unit(path, flags, standard=True), INSTRUMENT) for path in own]


def main() -> int:
    """Command line: builds, reports each step, exit code 1 when one fails."""
    names = sys.argv[1:]
    host = None
    if names[:1] == ["--host"]:
        host, names = names[1], names[2:]
    try:
        if names == ["--gateware"]:
            write_gateware()
        else:
            build(names, host=host)
    except (BuildError, CoreError) as error:
        print(f"irqscope_rtl.build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
