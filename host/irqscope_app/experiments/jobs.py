"""Jobs of the queue: a suite, or one experiment with its repeats."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from irqscope.acquire.effort import effort_s
from irqscope.acquire.measure import repeats
from irqscope.campaign.suite import Loaded
from irqscope.campaign.suite.resume import move_aside
from irqscope.experiment import Experiment
from irqscope_app.control.runs import run_words
from irqscope_app.control.station import Station


@dataclass
class Progress:
    """Progress of a job."""

    done: set[str] = field(default_factory=set)  #: runs that need not be run again
    complete: bool = False
    efforts: dict[str, float] = field(default_factory=dict)  #: s, of what is run now
    done_s: float = 0.0  #: of the efforts


class Job(Protocol):
    """An entry of the queue: related runs in one folder."""

    progress: Progress
    out: Path

    @property
    def name(self) -> str:
        """Name of the suite, or "-" for a single experiment."""

    @property
    def runs(self) -> dict[str, Experiment]:
        """The experiments of all its runs, by the run's name."""

    def folder(self, name: str) -> Path:
        """Folder of the run with a name."""

    def command(self, name: str, target: str) -> list[object]:
        """Words of the command line that carries a run out."""

    def leave_out(self, name: str) -> bool:
        """Removes a run from the job. Returns False if no run is left."""

    def start(self, station: Station) -> bool:
        """Begins the runs that are not done. Returns False if a run cannot begin now."""


@dataclass
class SuiteJob:
    """A suite; ``out``: its folder. The suite itself estimates the duration of its runs."""

    loaded: Loaded
    out: Path
    progress: Progress = field(default_factory=Progress)

    @property
    def name(self) -> str:
        """Name of the suite, for the queue's table."""
        return self.loaded.suite.name

    @property
    def runs(self) -> dict[str, Experiment]:
        """The experiments of the chosen runs of the suite, by the run's name."""
        selected = self.loaded.chosen
        return {e.name: e.experiment for e in self.loaded.entries if e.name in selected}

    def folder(self, name: str) -> Path:
        """Folder of the run with a name."""
        return self.out / name

    def command(self, name: str, target: str) -> list[object]:
        """Returns the command for one run of the suite, with its name first in narrow columns."""
        words: list[object] = ["suite", "--only", name, "--counts", self.loaded.counts]
        return [*words, "--target", target, "--out", self.out, self.loaded.path]

    def leave_out(self, name: str) -> bool:
        """Removes a run from the suite; the results of an earlier run stay in the folder."""
        self.loaded = replace(self.loaded, chosen=self.loaded.chosen - {name})
        return bool(self.loaded.chosen)

    def start(self, station: Station) -> bool:
        """Begins the suite. Runs that its folder holds already are not run again."""
        self.progress.efforts, self.progress.done_s = {}, 0.0
        return station.suites.run(self.loaded, self.out)


@dataclass
class RunJob:
    """An experiment from ``source``; ``out``: its folder, or that of its repeats."""

    experiment: Experiment
    source: Path
    out: Path
    progress: Progress = field(default_factory=Progress)

    @property
    def name(self) -> str:
        """A dash in the queue's table: the job belongs to no suite."""
        return "-"

    @property
    def runs(self) -> dict[str, Experiment]:
        """The experiments of all repeats, by the run's name."""
        return {self._name(path): experiment for experiment, path in self._repeats()}

    def folder(self, name: str) -> Path:
        """Folder of the repeat with a name."""
        return next(path for _, path in self._repeats() if self._name(path) == name)

    def command(self, name: str, target: str) -> list[object]:
        """The command line that runs all repeats, whatever the name."""
        return run_words(self.experiment, self.source, target, self.out)

    def leave_out(self, name: str) -> bool:
        """Returns False: repeats belong together, so the whole job has to be removed."""
        return False

    def start(self, station: Station) -> bool:
        """Begins the repeats; an incomplete one is moved aside and run again."""
        missing = [(e, p) for e, p in self._repeats() if self._name(p) not in self.progress.done]
        identity = station.state.identity
        if identity is None:
            return False
        efforts = {self._name(p): effort_s(e, identity) for e, p in missing}
        self.progress.efforts, self.progress.done_s = efforts, 0.0
        for _, path in missing:
            if path.exists():
                move_aside(path)
        return station.runs.run_all(
            missing, self.command(self._name(missing[0][1]), station.target)
        )

    def _repeats(self) -> list[tuple[Experiment, Path]]:
        return repeats(self.experiment, self.out)

    def _name(self, path: Path) -> str:
        name = self.experiment.name
        return name if path == self.out else f"{name}.{path.name}"
