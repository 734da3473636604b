"""Carries an experiment out on a target and writes its run folder."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import irqscope
from irqscope.acquire.callbacks import Progress, Stop, Untold, Watch
from irqscope.acquire.plan import BATCH_S
from irqscope.acquire.running import Running
from irqscope.acquire.until import Until
from irqscope.errors import ExitCode, Interrupted, IrqscopeError, LongerLatency
from irqscope.experiment import Experiment
from irqscope.link.statistics import LinkStatistics
from irqscope.machines.model import Machine
from irqscope.results import encounters, masked
from irqscope.results.counters import LinkCounts
from irqscope.results.folder import RunFolder, now
from irqscope.results.record import Host, Program, RunRecord
from irqscope.targets import Target, open_target, playing


@dataclass(frozen=True)
class Result:
    """``run``: contents of run.json. ``error``: why it ended early, None if it did not.

    ``opened``: whether the target could be opened. One that was not leaves no folder.
    """

    folder: Path
    run: RunRecord
    error: IrqscopeError | None
    opened: bool = True

    @property
    def state(self) -> str:
        """``valid``, ``invalid``, ``interrupted`` or ``failed``."""
        if isinstance(self.error, Interrupted | LongerLatency):
            return "interrupted"
        if self.error is not None:
            return "failed"
        return "valid" if self.run.valid else "invalid"

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the command that made the run."""
        if self.error is not None:
            return self.error.exit_code
        return ExitCode.VALID if self.run.valid else ExitCode.INVALID


def measure(
    experiment: Experiment,
    target: str,
    path: Path,
    *,
    progress: Progress | None = None,
    stop: Stop = lambda: False,
    record: Path | None = None,
    batch_s: float = BATCH_S,
    watch: Watch | None = None,
    opened: Target | None = None,
    machine: Machine | None = None,
    functions: Path | None = None,
    until: Until | None = None,
) -> Result:
    """Runs ``experiment`` on ``target`` and writes the folder ``path``.

    ``stop`` is called between batches; ``record`` receives the bytes of the link; ``batch_s``:
    target time between two exchanges, short for those who ``watch``; ``opened``: a target that is
    already open and stays open: its own name is then the run's; ``machine``: the machine of a run
    that is measured again, no other target is accepted; ``functions``: receives the functions that
    a foreign program executes for each stimulus; ``until``: when it ends before its count. The
    result says how it ended, also for link, target and storage errors once the folder exists.
    Raises ExperimentError or StorageError if the folder cannot be made.
    """
    if opened is not None:
        target = opened.name or target
    folder = RunFolder(path, _blank(experiment, target, batch_s))
    listener = progress or Untold()
    run = Running(experiment, folder, listener, stop, watch, machine, until)
    error: IrqscopeError | None = None
    reached = False
    try:
        with _opened(experiment, target, record, opened, listener.step, functions) as used:
            reached = True
            if experiment.of_program and used.program is not None:
                folder.keep_program(used.program.data)
            try:
                run.on(used)
            finally:
                folder.run.link = _link(used.link.statistics)
                for line in used.said():
                    folder.log(line)
        if used.masked:
            folder.run.masked = masked.parse(used.masked)
        if met := used.encounters():
            folder.run.encounters = encounters.parse(met, run.spans)
    except IrqscopeError as caught:
        error = caught
        for line in getattr(caught, "__notes__", ()):  # of a program that did not get ready
            folder.log(line)
            reached = True  # there is something to keep
    except KeyboardInterrupt:
        error = Interrupted(
            "interrupted by a second Ctrl-C or by SIGTERM, in the middle of a batch; run again"
        )
    except Exception as defect:
        run.end(IrqscopeError(f"a defect of irqscope itself ({type(defect).__name__}: {defect})"))
        raise
    error = run.end(error)
    if not reached:
        folder.discard()
    return Result(path, folder.run, error, reached)


def repeats(experiment: Experiment, folder: Path) -> list[tuple[Experiment, Path]]:
    """Each repeat is a run of its own, with the next seed, in ``folder`` / 1, 2, ...

    An experiment without repeats is one run in ``folder`` itself.
    """
    if experiment.repeats == 1:
        return [(experiment, folder)]
    return [
        (
            experiment.model_copy(update={"repeats": 1, "seed": experiment.seed + n}),
            folder / f"{n + 1}",
        )
        for n in range(experiment.repeats)
    ]


@contextmanager
def _opened(
    experiment: Experiment,
    name: str,
    record: Path | None,
    target: Target | None,
    say: Callable[[str], None],
    functions: Path | None,
) -> Iterator[Target]:
    """Yields a target with the features that the experiment needs; an open one stays open."""
    program = playing(name, experiment)
    if target is not None:
        yield target
        return
    with open_target(
        program,
        record,
        stack=experiment.stack,
        watches=experiment.watches,
        leads=experiment.leads,
        of_program=experiment.of_program,
        masked=experiment.masked,
        interruptions=experiment.of_program and experiment.code_under_test is not None,
        functions=functions,
        say=say,
    ) as opened:
        yield opened


def _link(counted: LinkStatistics) -> LinkCounts:
    plain = {name: value for name, value in vars(counted).items() if name != "rejected"}
    return LinkCounts(**plain, rejected=counted.by_damage)


def _blank(experiment: Experiment, target: str, batch_s: float) -> RunRecord:
    """The run.json of a run before anything has happened."""
    return RunRecord(
        program=Program(name="irqscope", version=irqscope.__version__),
        host=Host(python=platform.python_version(), system=platform.platform()),
        started=now(),
        target=target,
        experiment=experiment,
        batch_s=batch_s,
    )
