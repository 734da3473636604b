"""The steps in their order, and the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import irqscope
from irqscope.doctor import board, interrupts, latency, link, markers, stm
from irqscope.doctor.bench import Bench, spi_name
from irqscope.doctor.step import Notes, Result, State, Step
from irqscope.errors import (
    ExitCode,
    ExperimentError,
    Interrupted,
    IrqscopeError,
    LinkError,
    StorageError,
)
from irqscope.experiment.model import FINISHED_SPI
from irqscope.link.link import FirmwareError
from irqscope.measure import Stop
from irqscope.results.files import replace, storage
from irqscope.results.folder import now
from irqscope.targets import Target

FORMAT = "irqscope-doctor/1"
#: A reply of a sound target takes far less, of a twin too; a doctor meets targets that say nothing.
_REPLY_S, _ATTEMPTS = 2.0, 2

_ANSWERING = (board.IDENTITY, interrupts.FINISH, markers.marker_fact(0))
_SPI_121 = (*_ANSWERING, interrupts.at_rest(spi_name(0)))
_FINISH = (board.IDENTITY, interrupts.at_rest(f"SPI {FINISHED_SPI}"))
STEPS = (
    Step("hello", "ask the firmware who it is", (), board.hello),
    Step("pl", "read what the processor system says of the PL", (board.ANSWERS,), board.pl),
    Step("port", "walk ones and zeros through the register port", (board.GATEWARE,), board.port),
    Step("identity", "compare gateware, firmware and host", (board.PORT,), board.identity),
    Step("clock", "count PL ticks against the system counter", (board.IDENTITY,), board.clock),
    Step("loop-back", "have line 0 be its own marker", (board.IDENTITY,), markers.loopback),
    Step("cores", "start all cores", (board.IDENTITY,), markers.cores),
    Step("markers", "send every marker from every core", (markers.core_fact(0),), markers.markers),
    Step("inputs", "look at the interrupt inputs at rest", (board.IDENTITY,), interrupts.inputs),
    Step("finish", "see the interrupt that ends a batch", _FINISH, interrupts.finish),
    Step("spi-edge", "answer SPI 121 by edge", _SPI_121, interrupts.spi_edge),
    Step("spi-level", "answer SPI 121 by level", _SPI_121, interrupts.spi_level),
    Step("routes", "drive every SPI by every line", (board.IDENTITY,), interrupts.routes),
    Step(
        "ppi",
        "see and answer PPI 31 on every core",
        (markers.core_fact(0), interrupts.FINISH),
        interrupts.ppi,
    ),
    Step("uart", "echo blocks at every baud rate", (board.ANSWERS,), link.uart),
    Step("t2", "measure T2", (markers.LOOPBACK, interrupts.EDGE, link.RATES), latency.t2),
    Step("stm", "look for the STM and its trace memory", (board.ANSWERS,), stm.stm),
)


@dataclass
class Examination:
    """What was found. ``stopped``: why it ended before its last step."""

    target: str
    label: str
    started: str = field(default_factory=now)
    identity: dict[str, Any] | None = None
    results: list[Result] = field(default_factory=list)
    stopped: str = ""

    @property
    def sound(self) -> bool:
        """Every step passed."""
        passed = [result.state is State.PASSED for result in self.results]
        return len(passed) == len(STEPS) and all(passed)

    @property
    def exit_code(self) -> ExitCode:
        """Of the command."""
        return ExitCode.VALID if self.sound else ExitCode.UNSOUND

    def as_dict(self) -> dict[str, Any]:
        """Contents of ``doctor.json``."""
        return {
            "format": FORMAT,
            "program": {"name": "irqscope", "version": irqscope.__version__},
            "started": self.started,
            "target": self.target,
            "label": self.label,
            "identity": self.identity,
            "steps": [result.as_dict() for result in self.results],
            "sound": self.sound,
            "stopped": self.stopped,
        }


def examine(
    target: Target,
    name: str,
    folder: Path,
    *,
    told: Callable[[Result], None] = lambda result: None,
    step: Callable[[str], None] = lambda text: None,
    stop: Stop = lambda: False,
) -> Examination:
    """Carries all steps out and writes ``doctor.json`` into ``folder`` after each.

    ``name``: of the target, as it was opened; ``told``: of each step that is over; ``step``: of
    what goes on; ``stop``: asked before each step. Raises StorageError, Interrupted.
    """
    target.link.hurry(_REPLY_S, _ATTEMPTS)
    found = Examination(name, f"target {name} (never identified)")
    bench = Bench(target, name, folder, step)
    for one in STEPS:
        if stop():
            found.stopped = "interrupted by Ctrl-C"
            _write(found, folder)
            raise Interrupted(f"interrupted by Ctrl-C before step {one.name}; run again")
        step(one.name)
        result = _carry_out(one, bench)
        if bench.identity is not None:
            found.identity = bench.identity.model_dump(mode="json")
            found.label = bench.identity.label
        found.results.append(result)
        _write(found, folder)
        told(result)
    return found


def _carry_out(step: Step, bench: Bench) -> Result:
    notes = Notes()
    notes.leave_out(*(need for need in step.needs if need not in bench.facts))
    if notes.missing:
        return Result(step, notes)
    try:
        step.carry_out(bench, notes)
    except StorageError:
        raise
    except IrqscopeError as error:
        notes.fail(str(error), "the findings above; then report it with this list")
        if isinstance(error, LinkError) and not isinstance(error, FirmwareError):
            _look_for_firmware(bench, notes)
    return Result(step, notes)


def _look_for_firmware(bench: Bench, notes: Notes) -> None:
    """A firmware that fell silent can do nothing more."""
    try:
        bench.link.hello()
    except FirmwareError:
        pass  # a refusal is an answer
    except LinkError:
        bench.facts.clear()
        notes.fail("the firmware has stopped answering", "reset the board and run again")


def _write(found: Examination, folder: Path) -> None:
    text = json.dumps(found.as_dict(), indent=2, allow_nan=False) + "\n"
    replace(folder / "doctor.json", lambda path: path.write_text(text, encoding="utf-8"))


def new_folder(path: Path) -> Path:
    """Makes the report's folder. Raises ExperimentError where it holds something, StorageError."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ExperimentError(f"{path} is there already; name a new folder with --out")
    with storage(path):
        path.mkdir(parents=True, exist_ok=True)
    return path
