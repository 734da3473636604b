"""The steps in their order, and the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import irqscope
from irqscope.acquire.callbacks import Stop
from irqscope.doctor import pins
from irqscope.doctor.device_under_test import DeviceUnderTest
from irqscope.doctor.ecp5 import steps as ecp5
from irqscope.doctor.linux import steps as linux
from irqscope.doctor.report import Report, StepReport, write
from irqscope.doctor.step import Notes, Result, State, Step
from irqscope.doctor.zynq7000 import steps as zynq7000
from irqscope.doctor.zynqmp import steps as zynqmp
from irqscope.errors import (
    ExitCode,
    ExperimentError,
    Interrupted,
    IrqscopeError,
    LinkError,
    StorageError,
)
from irqscope.experiment.model import Experiment
from irqscope.files import storage
from irqscope.link.failures import FirmwareError
from irqscope.link.identity import Identity
from irqscope.machines.generated import ECP5, ZYNQ7000, ZYNQMP
from irqscope.machines.under_linux import NAME as LINUX
from irqscope.results.folder import now
from irqscope.results.record import Program
from irqscope.targets import Target

#: What said hello replies far sooner; a doctor meets targets that then say nothing more.
_REPLY_S, _ATTEMPTS = 2.0, 2
#: Steps by machine. The first step is the same on each: it finds out which machine it is.
STEPS = {
    ZYNQMP.name: zynqmp.STEPS,
    ZYNQ7000.name: zynq7000.STEPS,
    ECP5.name: ecp5.STEPS,
    LINUX: linux.STEPS,
}
WIRINGS = {
    ZYNQMP.name: zynqmp.WIRING,
    ZYNQ7000.name: zynq7000.WIRING,
    ECP5.name: ecp5.WIRING,
    LINUX: linux.WIRING,
}


@dataclass
class Examination:
    """Findings of all steps. ``stopped``: why it ended before its last step."""

    target: str
    label: str
    steps: tuple[Step, ...]
    started: str = field(default_factory=now)
    identity: Identity | None = None
    results: list[Result] = field(default_factory=list)
    stopped: str = ""

    @property
    def sound(self) -> bool:
        """Whether every step passed."""
        passed = [result.state is State.PASSED for result in self.results]
        return len(passed) == len(self.steps) and all(passed)

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the command."""
        return ExitCode.VALID if self.sound else ExitCode.UNSOUND

    def report(self) -> Report:
        """The examination as ``doctor.json`` keeps it."""
        return Report(
            program=Program(name="irqscope", version=irqscope.__version__),
            started=self.started,
            target=self.target,
            label=self.label,
            identity=self.identity,
            steps=tuple(_reported(result) for result in self.results),
            sound=self.sound,
            stopped=self.stopped,
        )


def _reported(result: Result) -> StepReport:
    notes = result.notes
    return StepReport(
        name=result.step.name,
        does=result.step.does,
        state=result.state,
        seen=tuple(notes.seen),
        findings=tuple(notes.findings),
        missing=tuple(notes.missing),
    )


def examine(
    target: Target,
    name: str,
    folder: Path,
    *,
    told: Callable[[Result, int], None] = lambda result, of: None,
    step: Callable[[str], None] = lambda text: None,
    stop: Stop = lambda: False,
    device: Experiment | None = None,
) -> Examination:
    """Carries all steps out and writes ``doctor.json`` into ``folder`` after each.

    ``name``: of the target, as given by the user; ``told``: called with each completed step and the
    number of steps; ``step``: called with the current action; ``stop``: called before each step;
    ``device``: an external one at the pins, as an experiment describes it. Raises StorageError,
    Interrupted.
    """
    dut = DeviceUnderTest(target, name, folder, WIRINGS, step)
    more = pins.steps(device) if device is not None else ()
    steps = (*STEPS[dut.machine.name], *more)
    examination = Examination(name, f"target {name} (never identified)", steps)
    while len(examination.results) < len(examination.steps):
        one = examination.steps[len(examination.results)]
        if request := stop():
            examination.stopped = request if isinstance(request, str) else "interrupted by Ctrl-C"
            write(examination.report(), folder)
            raise Interrupted(f"{examination.stopped} before step {one.name}; run again")
        step(one.name)
        result = _carry_out(one, dut)
        # A firmware that has just begun may take as long as it wants, a thread always.
        if not examination.results and dut.machine.name != LINUX:
            target.link.hurry(_REPLY_S, _ATTEMPTS)
        if dut.identity is not None:
            examination.identity = dut.identity
            examination.label = dut.identity.label
        examination.results.append(result)
        examination.steps = (*STEPS[dut.machine.name], *more)
        write(examination.report(), folder)
        told(result, len(examination.steps))
    return examination


def _carry_out(step: Step, dut: DeviceUnderTest) -> Result:
    notes = Notes()
    notes.leave_out(*(need for need in step.needs if need not in dut.facts))
    if notes.missing:
        return Result(step, notes)
    try:
        step.carry_out(dut, notes)
    except StorageError:
        raise
    except IrqscopeError as error:
        notes.fail(str(error), "the findings above; then report it with this list")
        if isinstance(error, LinkError) and not isinstance(error, FirmwareError):
            _look_for_firmware(dut, notes)
    return Result(step, notes)


def _look_for_firmware(dut: DeviceUnderTest, notes: Notes) -> None:
    """Repeats hello, since a firmware that fell silent can do nothing more."""
    try:
        dut.link.hello()
    except FirmwareError:
        pass  # a refusal is an answer
    except LinkError:
        dut.facts.clear()
        notes.fail("the firmware has stopped answering", "reset the board and run again")


def new_folder(path: Path) -> Path:
    """Makes the report's folder. Raises ExperimentError where it holds something, StorageError."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ExperimentError(f"{path} is there already; name a new folder with --out")
    with storage(path):
        path.mkdir(parents=True, exist_ok=True)
    return path
