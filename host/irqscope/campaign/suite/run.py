"""Runs a suite: each item on a target opened for it alone, one or more at a time.

A fresh twin for each item makes the runs independent of their order and each of them repeatable by
itself.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from irqscope.acquire.callbacks import Progress, Stop, Watch
from irqscope.acquire.effort import effort_s
from irqscope.campaign.suite.carry_out import Outcome, Report, carry_out
from irqscope.campaign.suite.cluster import Cluster
from irqscope.campaign.suite.hello import ask, wanted_stacks
from irqscope.campaign.suite.load import Entry, Loaded
from irqscope.campaign.suite.resume import Answering, move_aside, why_stale
from irqscope.campaign.suite.workers import Spread, Work, run_side_by_side
from irqscope.errors import ExitCode, ExperimentError, Interrupted, IrqscopeError, StorageError
from irqscope.files import storage
from irqscope.results.folder import now
from irqscope.results.record import Ended
from irqscope.results.suite_record import FILE, ItemRecord, SuiteRecord, read, write


class SuiteProgress(Protocol):
    """Receives the progress of a suite."""

    def plan(self, efforts: dict[str, float]) -> None:
        """Runs to come, and the expected duration of each in seconds."""

    def begin(self, name: str) -> Progress:
        """Begins a run; returns the receiver of its progress."""

    def finish(self, name: str) -> None:
        """Called at the end of a run, however it ended."""

    def say(self, text: str) -> None:
        """Something that the user must know."""

    def step(self, text: str) -> None:
        """Reports work other than runs."""


@dataclass(frozen=True)
class SuiteResult:
    """``record``: contents of suite.json. ``error``: what ended the suite early, if anything."""

    folder: Path
    record: SuiteRecord
    error: IrqscopeError | None

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of the command: not valid if one item that was wanted is not."""
        if self.error is not None:
            return self.error.exit_code
        states = {item.state for item in self.record.items.values()}
        return ExitCode.VALID if states <= {"valid", "left out"} else ExitCode.INVALID


def run_suite(
    loaded: Loaded,
    target: str,
    out: Path,
    progress: SuiteProgress,
    *,
    shuffle: int | None = None,
    stop: Stop = lambda: False,
    report: Report = lambda folder: None,
    watch: Watch | None = None,
    jobs: int = 1,
    cluster: Cluster | None = None,
) -> SuiteResult:
    """Runs what ``out`` does not hold yet and writes ``out/suite.json``.

    ``shuffle``: seed of the order, or None for that of the file. ``report``: called with each
    measured folder; ``watch``: receives each run. ``jobs``: runs at a time, on a twin; with more
    than one, other processes call ``report``, and ``watch`` is not used. ``cluster``: whose workers
    run them, in place of this machine. Ends early at Ctrl-C or when ``out`` cannot be written; a
    failed item is reported and the next one is run. Raises LinkError, TargetError if the target
    does not answer at all, StorageError if ``out`` cannot be made or has a suite.json that cannot
    be read, ExperimentError if that is of another suite.
    """
    _spare_others(loaded, out)
    hello = partial(ask, say=progress.step) if cluster is None else partial(cluster.ask, ask)
    # Runs on another target are measured again.
    wanted_there = wanted_stacks(loaded, target)
    answers: dict[str, Answering] = {}
    for name, stacks in wanted_there.items():
        with next(each for each in loaded.entries if each.on(target) == name).naming_its_target():
            answers[name] = hello(name, sorted(stacks))
    with storage(out):
        out.mkdir(parents=True, exist_ok=True)
    answering = {entry.name: answers[entry.on(target)] for entry in loaded.entries}
    entries = list(loaded.entries)
    if shuffle is not None:
        random.Random(shuffle).shuffle(entries)
    record = _blank(loaded, target, list(answers.values()), shuffle, entries)
    run = _SuiteRun(out, progress, record, answering)
    error: IrqscopeError | None = None
    try:
        missing = [entry for entry in entries if not run.keep(entry)]
        selected = [entry for entry in missing if entry.name in loaded.chosen]
        for entry in selected:
            run.clear(entry)
        progress.plan({e.name: run.effort_s(e) for e in selected})
        if cluster is not None or jobs > 1:
            spread = partial(run_side_by_side, jobs=jobs) if cluster is None else cluster.spread
            run.side_by_side(selected, target, stop, report, spread)
        else:
            run.one_by_one(selected, target, stop, report, watch)
    except (Interrupted, StorageError) as caught:
        error = caught
    except KeyboardInterrupt:
        error = Interrupted("interrupted by a second Ctrl-C or by SIGTERM; run again")
    run.end(error)
    return SuiteResult(out, run.record, error)


def _spare_others(loaded: Loaded, out: Path) -> None:
    """Raises StorageError or ExperimentError for a suite.json that a new one would destroy."""
    if not os.path.lexists(out / FILE):
        return
    try:
        existing = read(out)
    except StorageError as error:
        raise StorageError(f"{error}; or name another folder with --out") from error
    if existing.suite != loaded.suite.name:
        raise ExperimentError(
            f"{out} holds the suite {existing.suite}, not {loaded.suite.name}; name another folder "
            "with --out"
        )


def _blank(
    loaded: Loaded,
    target: str,
    answering: list[Answering],
    shuffle: int | None,
    entries: list[Entry],
) -> SuiteRecord:
    """The suite.json of a suite before anything has happened."""
    labels = dict.fromkeys(one.identity.label for one in answering)
    return SuiteRecord(
        suite=loaded.suite.name,
        description=loaded.suite.description,
        card=loaded.suite.card,
        sha256=loaded.sha256,
        counts=loaded.counts,
        shuffle=shuffle,
        target=target,
        label="; ".join(labels),
        identity=answering[0].identity,
        stacks={name: stack for one in answering for name, (_, stack) in one.programs.items()},
        started=now(),
        order=tuple(entry.name for entry in entries),
        items={
            entry.name: ItemRecord(
                state="waiting" if entry.name in loaded.chosen else "left out",
                cell=entry.cell,
                target=entry.target,
            )
            for entry in entries
        },
    )


class _SuiteRun:
    """A suite under way. ``answering``: on the target of each run, by its name."""

    def __init__(
        self,
        out: Path,
        progress: SuiteProgress,
        record: SuiteRecord,
        answering: dict[str, Answering],
    ) -> None:
        self.record = record
        self._out = out
        self._progress = progress
        self._answering = answering

    def effort_s(self, entry: Entry) -> float:
        """Expected duration of a run, in seconds."""
        return effort_s(entry.experiment, self._answering[entry.name].identity)

    def keep(self, entry: Entry) -> bool:
        """Whether the folder of an item already is a valid run of it."""
        if not (self._out / entry.name).exists() or self._why_stale(entry) is not None:
            return False
        self._set(entry, state="valid", kept=True)
        return True

    def clear(self, entry: Entry) -> None:
        """Makes room for a run: moves aside a folder that is not a valid run of its item."""
        folder = self._out / entry.name
        if folder.exists():
            reason = self._why_stale(entry)
            aside = move_aside(folder)
            self._progress.say(f"{entry.name}: {reason}; moved to {aside.name}, run again")

    def one_by_one(
        self,
        entries: list[Entry],
        target: str,
        stop: Stop,
        report: Report,
        watch: Watch | None,
    ) -> None:
        """Runs items in this process. Raises Interrupted or StorageError, which end the suite."""
        for entry in entries:
            if request := stop():
                cause = request if isinstance(request, str) else "interrupted by Ctrl-C"
                raise Interrupted(f"{cause} before {entry.name}; run again")
            folder, progress = self._out / entry.name, self._begin(entry)
            on = entry.on(target)
            outcome = carry_out(entry.experiment, on, folder, progress, stop, report, watch)
            self._done(entry, outcome)

    def side_by_side(
        self,
        entries: list[Entry],
        target: str,
        stop: Stop,
        report: Report,
        spread: Spread,
    ) -> None:
        """Runs items in other processes, the longest first unless the order is a shuffled one.

        Raises Interrupted or StorageError, which end the suite.
        """
        if self.record.shuffle is None:
            entries = sorted(entries, key=lambda e: -self.effort_s(e))

        def died(entry: Entry, how: str) -> None:
            folder = self._out / entry.name
            if folder.exists():
                how += f", and its folder moved to {move_aside(folder).name}"
            self._progress.say(f"{entry.name}: {how}")
            self._progress.finish(entry.name)

        spread(
            [Work(entry, entry.on(target), self._out / entry.name, report) for entry in entries],
            self._begin,
            self._done,
            died,
            stop,
        )

    def _begin(self, entry: Entry) -> Progress:
        self._set(entry, state="running")
        return self._progress.begin(entry.name)

    def _why_stale(self, entry: Entry) -> str | None:
        folder = self._out / entry.name
        return why_stale(folder, entry.experiment, self._answering[entry.name])

    def _done(self, entry: Entry, outcome: Outcome) -> None:
        """Keeps what a run came to. Raises Interrupted or StorageError, which end the suite."""
        state, reasons = outcome.state, outcome.reasons
        if state == "valid" and (changed := self._why_stale(entry)):
            state, reasons = "invalid", (f"the target changed under the suite: {changed}",)
        self._set(entry, state=state, seconds=outcome.seconds, reasons=reasons)
        if outcome.ends is not None:
            raise outcome.ends
        if state != "valid":
            self._progress.say(f"{entry.name}: {state.upper()}: {'; '.join(reasons)}")
        self._progress.finish(entry.name)

    def end(self, error: IrqscopeError | None) -> None:
        """Closes suite.json. A failure to write it is not reported if ``error`` is given."""
        self.record.ended = Ended(
            reason="complete" if error is None else error.reason,
            message="" if error is None else str(error),
            time=now(),
        )
        if not isinstance(error, StorageError):
            self._write()

    def _set(self, entry: Entry, **values: Any) -> None:
        item = self.record.items[entry.name]
        self.record.items[entry.name] = item.model_copy(update=values)
        self._write()

    def _write(self) -> None:
        write(self.record, self._out)
