"""Baselines of a comparison: counters and histograms of a run folder, or a file in a repository.

A file ``irqscope-baseline/2`` holds the data that a comparison needs and no samples: a few
kilobytes, stored next to the sources that they guard.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Literal

import pyarrow as pa

import irqscope
from irqscope.analysis.stats import Distribution
from irqscope.campaign.gate import bins
from irqscope.campaign.gate.bins import Bin
from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment
from irqscope.experiment.stack import Stack
from irqscope.experiment.tables import Channel
from irqscope.files import read_bytes
from irqscope.machines.known import MACHINES
from irqscope.report import wording
from irqscope.results import jsonfile
from irqscope.results.assumptions import ASIDE
from irqscope.results.capture import Captured, span
from irqscope.results.counters import ChannelCounters
from irqscope.results.folder import now
from irqscope.results.reader import Run, read
from irqscope.results.record import Source
from irqscope.results.tables import SAMPLES, STAGES
from irqscope.units import Hertz, Hex, Moment, Natural, NominalHz, Strict

FORMAT: Final = "irqscope-baseline/2"


class ChannelTaken(Strict):
    """One channel of a run.

    ``latencies``: of its histogram; ``stages``: of its samples, ticks since the edge; ``stops``: of
    a throughput, of each phase.
    """

    counters: ChannelCounters
    timeout_ticks: Natural
    latencies: tuple[Bin, ...]
    stages: dict[str, tuple[Bin, ...]]
    stops: tuple[Natural, ...] | None = None

    @property
    def distribution(self) -> Distribution:
        """Latencies, with those that were not answered."""
        counters = self.counters
        return bins.load(self.latencies).censored(
            self.timeout_ticks, counters.timed_out, counters.coalesced
        )


class RunTaken(Strict):
    """One run.

    ``order``: sum over its latencies in their order, or None if not all were kept; ``doubt``: why
    inference for independent latencies is not possible, or empty.
    """

    channels: tuple[ChannelTaken, ...]
    order: str | None
    doubt: str


class Step(Strict):
    """A part of the path: from the marker before it, or the edge, to ``name``.

    ``ticks``: its duration; ``instructions``: the number executed in it, or None if unknown.
    """

    name: str
    ticks: tuple[Bin, ...]
    instructions: tuple[Bin, ...] | None


class Taken(Strict):
    """One side of a comparison: one or more runs of one experiment on one target.

    ``path``: of a run with all markers on a twin, or None. ``capture``: what measured elsewhere, of
    the first run, or None if irqscope measured; then the hashes are known.
    """

    format: Literal["irqscope-baseline/2"] = FORMAT
    program: str
    taken: Moment
    source: Source
    machine: str
    tick_hz: Hertz
    build_hash: Hex | None
    firmware_hash: Hex | None
    capture: Captured | None = None
    stack: Stack | None
    experiment: Experiment
    runs: tuple[RunTaken, ...]
    path: tuple[Step, ...] | None = None

    @property
    def is_rtl(self) -> bool:
        """Whether it is of a core in RTL simulation, whose ticks are its cycles."""
        return any(m.name == self.machine and m.simulated for m in MACHINES)

    @property
    def simulated(self) -> bool:
        """Whether it is of a simulation, which repeats itself to the tick."""
        return self.is_rtl or self.source.profile is not None

    @property
    def clock(self) -> int:
        """Rate of its ticks, Hz; of a core in RTL simulation it is nominal."""
        return NominalHz(self.tick_hz) if self.is_rtl else self.tick_hz

    def channel(self, index: int) -> Channel:
        """A channel of its experiment."""
        return next(one for one in self.experiment.channels if one.index == index)

    @property
    def resolution(self) -> str:
        """How finely latencies are known: 42 ns, 1 us."""
        return self.capture.resolution if self.capture else span(1, self.tick_hz)

    def distributions(self, place: int) -> list[Distribution]:
        """Distributions of the channel at ``place``, run by run."""
        resolution = self.capture.resolution_ticks if self.capture else 0
        return [
            dataclasses.replace(run.channels[place].distribution, resolution=resolution)
            for run in self.runs
        ]


def taken(runs: Sequence[Run], path: tuple[Step, ...] | None = None) -> Taken:
    """One side from valid runs of one experiment on one target, in order.

    Raises StorageError; ExperimentError for a replay.
    """
    for run in runs:
        if run.run.replay:
            raise replay_error(f"{run.path} is a replay of {run.run.replay}")
    first = runs[0].run
    assert first.source is not None  # a valid run has one
    identity = first.identity
    return Taken(
        program=irqscope.__version__,
        taken=now(),
        source=first.source,
        machine=identity.machine.name if identity else "capture",
        tick_hz=first.tick_hz,
        build_hash=identity.build_hash if identity else None,
        firmware_hash=identity.firmware_hash if identity else None,
        capture=_coarsest(runs),
        stack=first.stack,
        experiment=first.experiment,
        runs=tuple(_run(run) for run in runs),
        path=path,
    )


def replay_error(subject: str) -> ExperimentError:
    """Return the error of a gate that would judge a recording."""
    return ExperimentError(
        f"{subject}, which measures nothing; a gate judges measurements, so name a target"
    )


def load(path: Path) -> Taken:
    """A baseline: a file, or a run folder.

    Raises StorageError; ExperimentError if it is not a baseline.
    """
    if path.is_dir():
        run = read(path)
        if not run.run.valid:
            raise ExperimentError(f"{path}: its run is not valid; name another run folder")
        return taken([run])
    try:
        text = read_bytes(path)
    except OSError as error:
        raise ExperimentError(
            f"cannot read the baseline {path} ({error.strerror}); write it with --accept"
        ) from error
    return jsonfile.loads(text, path, Taken)


def store(baseline: Taken, path: Path) -> None:
    """Writes a baseline as JSON. Raises StorageError."""
    jsonfile.write(path, baseline)


def why_other(old: Taken, new: Taken) -> str | None:
    """Returns why two sides are not comparable, or None if only the software may differ."""
    if old.capture and new.capture:
        spans = [_spans(side) for side in (old, new)]
        return None if spans[0] == spans[1] else f"another span: {spans[0]}, here {spans[1]}"
    exact = old.simulated and new.simulated
    aside: frozenset[str] = frozenset({"name", "description"}) if exact else ASIDE
    keys = [
        key
        for key, value in old.experiment
        if key not in aside | {"masked"} and getattr(new.experiment, key) != value
    ]
    if keys:
        return f"another experiment: it differs in {', '.join(keys)}"
    pairs = (
        ("machine", old.machine, new.machine),
        ("target", old.source.target, new.source.target),
        ("version of the core" if old.is_rtl else "profile", _hardware(old), _hardware(new)),
        ("profile", old.source.profile_hash, new.source.profile_hash),
        ("software stack", _named(old), _named(new)),
    )
    for subject, before, here in pairs:
        if before != here:
            return f"another {subject}: {before}, here {here}"
    return None


def _coarsest(runs: Sequence[Run]) -> Captured | None:
    """Returns what measured runs elsewhere: the one of the widest resolution, or None.

    Raises ExperimentError if the runs have ticks of several clocks.
    """
    rates = {run.run.tick_hz for run in runs}
    if len(rates) > 1:
        raise ExperimentError(
            f"{runs[0].path} and {runs[-1].path} have ticks of other clocks; runs of one side have "
            "one clock"
        )
    captures = [run.run.capture for run in runs if run.run.capture]
    return max(captures, key=lambda one: (one.bin_ticks or 0, one.resolution_ticks), default=None)


def _spans(side: Taken) -> str:
    """Starts and stops of a capture, or stamps of a histogram, by channel."""
    if side.capture is not None and side.capture.what == "latencies":
        return "a list of latencies"  # whose stop is named after the file
    return ", ".join(f"{one.start} to {one.stop}" for one in side.experiment.channels)


def _hardware(side: Taken) -> str:
    """Returns the label without the hash of a foreign program, since a gate compares programs."""
    return re.sub(r" \(sha256 [0-9a-f]+\)", "", side.source.label)


def _named(side: Taken) -> str:
    return "unknown" if side.stack is None else side.stack.name


def _run(run: Run) -> RunTaken:
    record, captured = run.run, run.run.capture is not None
    samples = SAMPLES.empty_table() if captured else run.samples()  # of captures: many, and unused
    stops = {entry.channel: entry.stops for entry in record.throughput}
    clock = record.tick_hz
    timeouts = {c.index: c.timeout.ticks(clock) for c in record.experiment.channels}
    channels = []
    for counters in record.counters:
        index = counters.channel
        rows = samples.filter(pa.compute.equal(samples["channel"], index))
        channels.append(
            ChannelTaken(
                counters=counters,
                timeout_ticks=timeouts[index],
                latencies=bins.dump(run.known(index)),
                stages={
                    stage: bins.of_values(rows[f"{stage}_ticks"].drop_null().to_pylist())
                    for stage in STAGES
                    if rows[f"{stage}_ticks"].null_count < len(rows)
                },
                stops=stops.get(index),
            )
        )
    return RunTaken(
        channels=tuple(channels),
        order=None if captured else _order(record.experiment, samples),
        doubt=_doubt(run),
    )


def _doubt(run: Run) -> str:
    reasons = (wording.grid(run.run), *(wording.alike(stats) for stats in run.run.stats))
    return next(filter(None, reasons), "")


def _order(experiment: Experiment, samples: Any) -> str | None:
    """The order of the latencies as one sum: which stimulus took how long."""
    if experiment.samples.which != "all":
        return None
    digest = hashlib.sha256()
    for name in ("channel", "latency_ticks", "core"):
        digest.update(repr(samples[name].to_pylist()).encode())
    return digest.hexdigest()
