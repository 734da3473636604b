"""Builds the simulation of soft cores: RTL to C++ (Verilator), C++ to an executable (zig c++).

``python -m irqscope_rtl.build CORE ...`` makes build/rtl/CORE/irqscope-rtl for each. The
instrument is compiled once, for all of them. A step is repeated only when something that goes into
it has changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from irqscope_twin.build import (
    LINK_FLAGS,
    OWN_WARNINGS,
    RUNTIME,
    SET_UP,
    BuildError,
    Cache,
    compile_unit,
    compiler,
    package_path,
)

from . import cores
from .cores import ROOT, Core, CoreError
from .wrap import SUFFIX, WrapError, wrap

BUILD = ROOT / "build" / "rtl"
SYSTEM = ROOT / "rtl" / "system"
ENGINE = ROOT / "twin" / "engine"
#: Parts of the twin's engine: the link, the trace, the record of markers, how a process refuses.
SHARED = ("ending", "markers", "pty", "pty_speed", "stop", "trace")
GATEWARE = ROOT / "build" / "hw" / "irqscope_soft.v"
HW = ROOT / "hw" / "irqscope_hw"
#: The one part of the system that knows the core.
OF_CORE = SYSTEM / "system.cpp"
JOBS = 2

_VERILATE = (
    "--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert",
    "-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-BLKANDNBLK", "-Wno-UNOPTFLAT", "-Wno-COMBDLY",
    "-Wno-MULTIDRIVEN",
)  # fmt: skip


def executable(core: Core) -> Path:
    """What :func:`build` makes. Two folders of one name do not share it."""
    if core.folder.parent == cores.FOLDER:
        return BUILD / core.name / "irqscope-rtl"
    other = hashlib.sha256(str(core.folder.resolve()).encode()).hexdigest()[:8]
    return BUILD / f"{core.name}-{other}" / "irqscope-rtl"


def gateware(cache: Cache) -> None:
    """The instrument in the shell of soft cores, as Verilog. Raises BuildError."""
    sources = [*sorted((ROOT / "hw" / "irqscope_hw").rglob("*.py"))]
    sources.append(ROOT / "hw" / "regs" / "irqscope.rdl")
    GATEWARE.parent.mkdir(parents=True, exist_ok=True)
    cache.run(GATEWARE, [sys.executable, "-m", "irqscope_hw.verilog", "soft"], sources, cwd=ROOT)


def sources(cache: Cache, core: Core, made: Path) -> list[Path]:
    """Parts of a core that are compiled, and what is made for it. Raises BuildError, CoreError."""
    found: list[Path] = []
    for name in core.gateware:
        inputs = sorted((HW / name).glob("*.py"))
        target = BUILD / "gateware" / f"{name}.v"
        target.parent.mkdir(exist_ok=True)
        command = [sys.executable, "-m", f"irqscope_hw.{name}", str(target)]
        cache.run(target, command, inputs, cwd=ROOT)
        found.append(target)
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


def verilate(
    cache: Cache, root: Path, model: Path, prefix: str, inputs: Sequence[Path], options: list[str]
) -> list[Path]:
    """C++ of a model in its folder; its units. Raises BuildError."""
    model.mkdir(parents=True, exist_ok=True)
    header = model / f"{prefix}.h"
    command = [str(root / "bin" / "verilator_bin"), *_VERILATE, "--prefix", prefix]
    command += ["-Mdir", str(model), *options]
    if cache.key(command, inputs) != cache.keys.get(str(header.relative_to(cache.folder))):
        for old in model.iterdir():
            old.unlink()
    cache.run(header, command, inputs, env={"VERILATOR_ROOT": str(root), "PATH": ""})
    return sorted(model.glob("*.cpp"))


def build(names: Sequence[str], report: Callable[[str], None] = print) -> list[Path]:
    """Brings the executables up to date. Raises BuildError, CoreError."""
    found = [cores.find(name) for name in names]
    for core in found:
        core.files()
    BUILD.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one build at a time; gone with the process
        cache = Cache(BUILD / "keys.json", SYSTEM, ENGINE)
        try:
            gateware(cache)
            return [_build(cache, core, report) for core in found]
        finally:
            cache.save()


def _build(cache: Cache, core: Core, report: Callable[[str], None]) -> Path:
    root = package_path("verilator")
    include = root / "include"
    folder = executable(core).parent
    instrument, model = BUILD / "instrument" / "model", folder / "model"
    options = ["--top-module", "irqscope_soft", str(GATEWARE)]
    of_instrument = verilate(cache, root, instrument, "Virqscope_soft", [GATEWARE], options)
    files = sources(cache, core, folder / "made")
    options = [f"+incdir+{path}" for path in (cores.PORTS.parent, *core.folders(core.include))]
    options += [word for path in core.folders(core.libraries) for word in ("-y", str(path))]
    options += [f"-D{define}" for define in core.defines]
    options += ["--top-module", "irqscope_core", *map(str, files)]
    of_core = verilate(cache, root, model, "Vcore", [*files, cores.PORTS], options)

    system = [f"-isystem{path}" for path in (include, include / "vltstd", instrument)]
    generated = ["-w", f"-I{include}", f"-I{include / 'vltstd'}"]
    own = ["-O2", *OWN_WARNINGS, *system, f"-I{ENGINE}", f"-I{SYSTEM}"]
    # Verilator puts set-up code, which runs once, into files of that name.
    units = [
        (path, into, [*(SET_UP if "Slow" in path.name else ["-O2"]), *generated, f"-I{at}"])
        for paths, into, at in (
            (of_instrument, BUILD / "instrument", instrument),
            (of_core, folder, model),
        )
        for path in paths
    ]
    units += [(include / name, BUILD / "instrument", ["-O2", *generated]) for name in RUNTIME]
    units += [(ENGINE / "core" / f"{name}.cpp", BUILD / "instrument", own) for name in SHARED]
    others = sorted({*SYSTEM.glob("*.cpp")} - {OF_CORE})
    units += [(path, BUILD / "instrument", own) for path in others]
    units.append((OF_CORE, folder, [*own, f"-isystem{model}"]))
    units.sort(key=lambda unit: -unit[0].stat().st_size)

    def compiled(unit: tuple[Path, Path, list[str]]) -> Path:
        source, into, flags = unit
        return compile_unit(cache, (source, flags), into, report)

    with ThreadPoolExecutor(JOBS) as pool:
        objects = list(pool.map(compiled, units))
    product = executable(core)
    if cache.run(
        product, [*compiler(), *LINK_FLAGS, *map(str, objects), "-o", str(product)], objects
    ):
        report(f"linked {product.relative_to(ROOT)}")
    return product


def main() -> int:
    """Command line: builds, reports each step, exit code 1 when one fails."""
    try:
        build(sys.argv[1:])
    except (BuildError, CoreError) as error:
        print(f"irqscope_rtl.build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
