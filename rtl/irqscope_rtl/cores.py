"""The available soft cores: rtl/cores/NAME, or a user's folder (docs/cores.md)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from irqscope.resources import extra, remedy, resource

ROOT = resource("")
FOLDER = resource("rtl/cores")
#: The core that runs our firmware next to a program on a core of one's own, unless a target says.
HOST = "ibex"
#: Name of the description machines/NAME.toml that a core belongs to, unless it says another.
MACHINE = "soft"
#: The ports of module irqscope_core, for its header.
PORTS = FOLDER / "include" / "irqscope_ports.svh"
_TEXTS = ("title", "package", "module", "version", "adds", "machine", "extends")
_LISTS = ("include", "sources", "libraries", "defines", "gateware")
_TABLES = ("replaces", "wraps", "unsupported")
_KEYS = {*_TEXTS, *_LISTS, *_TABLES, "first_cause"}
#: Cause of the first line, unless a core names the one cause that all its interrupts share.
FIRST_CAUSE = 16
#: Bits of the port irq.
_CAUSES = 32


class CoreError(Exception):
    """A core cannot be used; the text is one line."""


@dataclass(frozen=True)
class Core:
    """One core. Paths of ``sources`` and the like are below the package's data, or the folder.

    ``sources``: in the order in which they are compiled. ``wrapper``: module irqscope_core.
    ``libraries``: folders in which modules are searched by name. ``adds``: additions to the
    package; part of its version. ``machine``: machine whose firmware it runs. ``gateware``:
    packages of ``irqscope_hw`` that give a module. ``wraps``: own lines around a source (wrap.py).
    ``unsupported``: stacks of its machine that this core cannot run, with the reason.
    ``first_cause``: FIRST_CAUSE, or the one cause that all interrupts share.
    """

    name: str
    folder: Path
    title: str
    package: str | None
    module: str | None
    stated_version: str | None
    adds: str | None
    machine: str
    include: tuple[str, ...]
    sources: tuple[str, ...]
    libraries: tuple[str, ...]
    defines: tuple[str, ...]
    gateware: tuple[str, ...]
    wraps: dict[str, str]
    unsupported: dict[str, str]
    wrapper: Path
    first_cause: int = FIRST_CAUSE

    @property
    def packaged(self) -> bool:
        """Whether it is one of rtl/cores, not one of the user's own."""
        return self.folder.parent == FOLDER

    @property
    def saves(self) -> bool:
        """Whether it saves registers in hardware, as some stacks require."""
        return "IRQSCOPE_SAVES" in self.defines

    @property
    def shares_cause(self) -> bool:
        """Whether all interrupts have one cause."""
        return self.first_cause != FIRST_CAUSE

    @cached_property
    def version(self) -> str | None:
        """Version of the installed package or of the folder, or None if not installed."""
        if self.package is None:
            return self.stated_version
        try:
            installed = metadata.version(self.package)
        except metadata.PackageNotFoundError:
            return None
        return installed if self.adds is None else f"{installed} with {self.adds}"

    @cached_property
    def data(self) -> Path:
        """Folder of the RTL. Raises CoreError if it is not installed."""
        if self.module is None:
            return self.folder
        spec = find_spec(self.module)
        if spec is None or not spec.submodule_search_locations:
            raise CoreError(f"{self.name} is not installed ({self.package}): {how(self.name)}")
        package = Path(spec.submodule_search_locations[0])
        for language in ("system_verilog", "verilog"):
            if (package / language).is_dir():
                return package / language
        raise CoreError(f"{self.package} {self.version} holds no Verilog; install another version")

    def files(self) -> list[Path]:
        """All compiled files, packages first, the wrapper last. Raises CoreError."""
        paths = [self.at(source) for source in self.sources]
        for path in (*paths, *map(self.at, self.wraps.values()), self.wrapper):
            if not path.is_file():
                hint = "install the version of the lock" if self.package else "core.toml names it"
                raise CoreError(f"{self.name}: {path} is missing; {hint}")
        return [*paths, self.wrapper]

    def folders(self, of: tuple[str, ...]) -> list[Path]:
        """Paths of the folders in ``include`` or ``libraries``."""
        return [self.at(path) for path in of]

    def at(self, path: str) -> Path:
        """Path of a file: ``./NAME`` is next to the description, anything else in the package."""
        return self.folder / path if path.startswith("./") else self.data / path


def how(name: str) -> str:
    """The command that installs and compiles a core."""
    return remedy(f"make cores CORES={name}", extra("cores"))


def find(name: str) -> Core:
    """A core by its name, or by its folder. Raises CoreError."""
    folder = Path(name) if "/" in name else FOLDER / name
    path = folder / "core.toml"
    if not path.is_file():
        if "/" in name:
            raise CoreError(f"{path} is missing: it describes the core (docs/cores.md)")
        raise CoreError(f"there is no core {name!r}; there are: {', '.join(names())}")
    table = _table(path)
    for key in ("title", "sources"):
        if key not in table:
            raise CoreError(f"{path}: {key} is missing")
    if ("package" in table) != ("module" in table) or ("package" in table) == ("version" in table):
        raise CoreError(f"{path}: give package and module, or version")
    first = table.get("first_cause", FIRST_CAUSE)
    if not isinstance(first, int) or not 0 < first < _CAUSES:
        raise CoreError(f"{path}: first_cause: give a cause of mcause, 1 to {_CAUSES - 1}")
    if first != FIRST_CAUSE and table.get("machine", MACHINE) != MACHINE:
        raise CoreError(f'{path}: first_cause is for machine = "{MACHINE}"')
    return Core(
        name=folder.resolve().name,
        folder=folder,
        title=table["title"],
        package=table.get("package"),
        module=table.get("module"),
        stated_version=table.get("version"),
        adds=table.get("adds"),
        machine=table.get("machine", MACHINE),
        wraps=table.get("wraps", {}),
        unsupported=table.get("unsupported", {}),
        wrapper=folder / table["wrapper"],
        first_cause=first,
        **{key: tuple(table.get(key, ())) for key in _LISTS},
    )


def _table(path: Path) -> dict[str, Any]:
    """A description, merged with the one that it extends. Raises CoreError."""
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CoreError(f"{path}: {error}") from None
    if unknown := set(table) - _KEYS:
        raise CoreError(f"{path}: unknown key {min(unknown)!r}")
    table["wrapper"] = "core.sv"
    if "extends" not in table:
        return table
    base = _table(path.parent / table["extends"] / "core.toml")
    if not (path.parent / "core.sv").is_file():
        table["wrapper"] = f"{table['extends']}/{base['wrapper']}"
    replaces = table.get("replaces", {})
    if unknown := set(replaces) - set(base.get("sources", ())):
        raise CoreError(f"{path}: replaces: {min(unknown)!r} is no source of {table['extends']}")
    inherited = [replaces.get(source, source) for source in base.get("sources", ())]
    table["sources"] = [*table.get("sources", ()), *inherited]
    for key in ("include", "libraries", "defines", "gateware"):
        table[key] = [*table.get(key, ()), *base.get(key, ())]
    table["wraps"] = base.get("wraps", {}) | table.get("wraps", {})
    return base | table


def names() -> list[str]:
    """Names of the cores in this package."""
    return sorted(path.parent.name for path in FOLDER.glob("*/core.toml"))
