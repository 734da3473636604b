"""Measures the experiments of a gate, on one side or on both in turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from irqscope.acquire.callbacks import Progress, Stop
from irqscope.acquire.measure import Result, measure
from irqscope.campaign.gate import baseline, path
from irqscope.campaign.gate.baseline import Taken
from irqscope.campaign.gate.load import Entry
from irqscope.campaign.gate.model import Gate
from irqscope.errors import ExitCode, ExperimentError, IrqscopeError
from irqscope.experiment import Experiment
from irqscope.kinds.capture.importing import import_run, measure_live
from irqscope.kinds.capture.live import PREFIX
from irqscope.kinds.capture.recipe import Recipe
from irqscope.results.masked import MaskedInterval
from irqscope.results.reader import Run, read


@dataclass(frozen=True)
class Sides:
    """Who is measured.

    ``target``: the judged target; ``against``: the target that replaces the baselines. ``load``,
    ``load_against``: called before each run, to load a firmware. ``recorded``: folder of runs that
    are judged in place of new ones.
    """

    target: str
    against: str | None = None
    load: Callable[[], None] = lambda: None
    load_against: Callable[[], None] = lambda: None
    recorded: Path | None = None


class InvalidRun(IrqscopeError):
    """Raised if a run that a gate needs is not valid."""

    exit_code = ExitCode.INVALID
    reason = "invalid"


@dataclass(frozen=True)
class Measured:
    """One experiment of a gate, measured.

    ``old``: its baseline, or the other side; None if it has limits alone. ``folders``, ``against``:
    names of the run folders of both sides. ``seconds``: that it took. ``masked``: the masked map of
    a foreign program, the longest first.
    """

    entry: Entry
    old: Taken | None
    new: Taken
    folders: tuple[str, ...]
    against: tuple[str, ...]
    seconds: float
    masked: tuple[MaskedInterval, ...]

    @property
    def exact(self) -> bool:
        """Whether both sides are simulations, which repeat themselves to the tick."""
        return self.old is not None and self.old.simulated and self.new.simulated


class Measuring:
    """Measures the sides of a gate, into folders of ``out``.

    Raises ExperimentError, TargetError, LinkError, StorageError, Interrupted; InvalidRun if a run
    is not valid.
    """

    def __init__(self, gate: Gate, sides: Sides, out: Path, progress: Progress, stop: Stop) -> None:
        self._gate, self._sides, self._out = gate, sides, out
        self._progress, self._stop = progress, stop

    def item(self, entry: Entry, old: Taken | None) -> Measured:
        """Measures one experiment, on both sides where both are given. ``old``: its baseline."""
        began = time.monotonic()
        others: list[Run] = []
        if self._sides.recorded is not None:
            runs = _recorded(self._sides.recorded, entry.name)
        else:
            runs, others = self._runs(entry)
        new = baseline.taken(runs)
        if others:
            old = baseline.taken(others)
        folders, before = (tuple(run.path.name for run in side) for side in (runs, others))
        masked = runs[0].run.masked or ()
        return Measured(entry, old, new, folders, before, time.monotonic() - began, masked)

    def with_path(self, item: Measured) -> Taken:
        """Returns the measurement, with its path if the target can report it."""
        tells = self._sides.target.partition(":")[0] in path.TELLING
        if self._sides.recorded is not None or not tells or item.new.capture:
            return item.new
        self._progress.step("path")
        return self._path(item, item.new, self._sides.target)

    def with_old_path(self, item: Measured, old: Taken) -> Taken:
        """``old`` with its path: measured if it is another side, else as the baseline has it."""
        against = self._sides.against
        return old if against is None else self._path(item, old, against)

    def _path(self, item: Measured, side: Taken, target: str) -> Taken:
        assert not isinstance(item.entry.experiment, Recipe)  # it is not a simulation
        steps = path.measured(item.entry.experiment, target, self._progress, self._stop)
        return side.model_copy(update={"path": steps})

    def _runs(self, entry: Entry) -> tuple[list[Run], list[Run]]:
        """Runs of both sides, interleaved: new, old, old, new, ... A simulation repeats itself."""
        sides = self._sides
        news: list[Run] = []
        olds: list[Run] = []
        for number in range(self._gate.repeats):
            pair = [(news, sides.target, sides.load, "")]
            if sides.against is not None:
                pair.append((olds, sides.against, sides.load_against, ".against"))
            for runs, target, load, suffix in pair if number % 2 == 0 else reversed(pair):
                load()
                runs.append(self._run(entry, number, target, f"{entry.name}{suffix}"))
            if news[0].run.is_simulated:
                break
        return news, olds

    def _run(self, entry: Entry, number: int, target: str, name: str) -> Run:
        folder = self._out / (f"{name}.{number + 1}" if self._gate.repeats > 1 else name)
        self._progress.step(folder.name)
        result = self._result(entry.experiment, number, target, folder)
        if result.error is not None:
            raise result.error
        if not result.run.valid:
            raise InvalidRun(f"{folder} is not valid: {'; '.join(result.run.reasons)}")
        return read(folder)

    def _result(
        self, source: Experiment | Recipe, number: int, target: str, folder: Path
    ) -> Result:
        if isinstance(source, Experiment):
            one = source.model_copy(update={"seed": source.seed + number})
            return measure(one, target, folder, progress=self._progress, stop=self._stop)
        live = target.startswith(PREFIX)
        if not live and not source.files:
            raise ExperimentError(
                f"{source.name} names no files; add `files`, or measure with --target {PREFIX}..."
            )
        if not live and (self._gate.repeats > 1 or self._sides.against is not None):
            raise ExperimentError(
                f"{source.name}: files are measured once; leave `repeats` and --against out, and "
                "compare several captures with --from"
            )
        if live:
            return measure_live(
                source, target, source.count, folder, self._progress, stop=self._stop
            )
        return import_run(source, folder, self._progress, self._stop)


def _recorded(folder: Path, name: str) -> list[Run]:
    """Run folders NAME, or NAME.1, NAME.2, ..."""
    places = [folder / name] if (folder / name).is_dir() else []
    places += sorted(folder.glob(f"{name}.[0-9]*"), key=lambda place: (len(place.name), place.name))
    if not places:
        raise ExperimentError(f"{folder} holds no run {name}; name a folder that does")
    runs = [read(place) for place in places]
    for run in runs:
        if not run.run.valid:
            raise InvalidRun(f"{run.path} is not valid: {'; '.join(run.run.reasons)}")
    return runs
