"""Adds runs of one experiment with different seeds to one: counters and histograms, exactly.

The parts are drawn independently, so many twins can draw them at once. Samples stay in the parts;
if the first stimuli were kept, the merged run also has those of the first part. Its counters
are judged as those of any run.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.compute as pc

import irqscope
from irqscope.acquire.collect import ChannelResults, Collection
from irqscope.acquire.counters import COUNTERS
from irqscope.acquire.figures import so_far
from irqscope.acquire.plan import Plan
from irqscope.acquire.validity import notes, validity_errors
from irqscope.campaign.suite.resume import CPU_HZ_TOLERANCE, SAME
from irqscope.errors import ExperimentError
from irqscope.experiment import Experiment, Samples
from irqscope.link.codec import Values
from irqscope.results.assumptions import ASIDE
from irqscope.results.counters import LinkCounts
from irqscope.results.folder import RunFolder
from irqscope.results.reader import Run, read
from irqscope.results.record import Host, Part, Program, RunRecord
from irqscope.results.statistics import Independence
from irqscope.results.tables import STAGES

_NONE = Samples.parse("none")


def split(experiment: Experiment, parts: int) -> list[Experiment]:
    """The experiment in ``parts`` runs with seeds of their own, each the one after the last.

    Raises ExperimentError if there are fewer stimuli than parts.
    """
    if experiment.repeats > 1:
        raise ExperimentError("repeats: each is a run of its own; split one, with repeats = 1")
    if parts > experiment.count:
        raise ExperimentError(
            f"--split: {experiment.count} stimuli cannot be divided into {parts} runs; give fewer"
        )
    whole, more = divmod(experiment.count, parts)
    return [
        experiment.model_copy(update={"count": whole + (n < more), "seed": experiment.seed + n})
        for n in range(parts)
    ]


def merge(folders: Sequence[Path], out: Path) -> RunRecord:
    """Writes the run folder ``out`` and returns its run.json.

    Raises ExperimentError where the runs cannot be added, StorageError.
    """
    if len(folders) < 2:
        raise ExperimentError(f"{len(folders)} run folder; name two at least")
    runs = [read(folder) for folder in folders]
    for run in runs:
        run.require_unchanged()
        if why := _why_not(runs[0], run):
            raise ExperimentError(f"{run.path} cannot be merged: {why}")
    seeds: dict[int, Path] = {}
    for run in runs:
        before = seeds.setdefault(run.run.experiment.seed, run.path)
        if before is not run.path:
            raise ExperimentError(
                f"{run.path} cannot be merged: it has the seed of {before}, and so the same stimuli"
            )
    first = runs[0].run
    plan = Plan(_experiment(runs), first.identified.machine, first.tick_hz, first.batch_s)
    collection = _collection(plan, runs)
    record = so_far(_record(runs, plan.experiment), collection)
    record.stats = tuple(
        stats.model_copy(update={"independence": _independence(runs, stats.channel)})
        for stats in record.stats
    )
    configuration = first.stack.configuration if first.stack is not None else ""
    reasons = tuple(validity_errors(collection, configuration))
    record.reasons, record.valid = reasons, not reasons
    record.notes = (*_notes(runs), *notes(collection, configuration))
    folder = RunFolder(out, record)
    folder.log(f"merged from {', '.join(str(run.path) for run in runs)}")
    if plan.experiment.samples != _NONE:
        folder.add_samples(runs[0].samples())
        folder.add_batch(runs[0].batches())
    folder.flush(collection.histogram_table())
    folder.end("complete", "")
    return folder.run


def _why_not(first: Run, run: Run) -> str | None:
    """Why a run cannot be added to the first one."""
    if not run.run.valid:
        return f"it is not valid: {'; '.join(run.run.reasons) or 'it was not closed'}"
    if run.run.replay:
        return f"it is a replay of {run.run.replay}"
    if run.run.stm is not None:
        return "second stamps are not added"
    if any(channel.pairing == "queue" for channel in run.run.experiment.channels):
        return "what a queue has paired is not added"
    if run.run.parts:
        return "it was merged itself; name its parts"
    if run.run.capture is not None:
        return "another instrument measured it; import one file instead"
    if not run.batches().num_rows:
        return "it has no batches"
    differing = [
        key
        for key, value in first.run.experiment
        if key not in ASIDE and getattr(run.run.experiment, key) != value
    ]
    if differing:
        return f"its experiment differs in {', '.join(differing)} from that of {first.path}"
    first_identity, here = first.run.identified, run.run.identified
    if first_identity.machine != here.machine:
        return f"it is of {here.machine.name}, {first.path} is of {first_identity.machine.name}"
    for name, label in SAME.items():
        old, new = getattr(first_identity, name), getattr(here, name)
        if old != new:
            return (
                f"its {name.replace('_', ' ')} is {new:{label}}, that of {first.path} {old:{label}}"
            )
    if not math.isclose(first_identity.cpu_hz, here.cpu_hz, rel_tol=CPU_HZ_TOLERANCE):
        return f"its cpu hz is {here.cpu_hz}, that of {first.path} {first_identity.cpu_hz}"
    if run.run.label != first.run.label:
        return f"it comes from {run.run.label}, {first.path} from {first.run.label}"
    if first.run.stack != run.run.stack:
        return f"its software stack was built differently from that of {first.path}"
    mine, first_sent = (_sent(one) for one in (run, first))
    for channel, other in zip(mine, first_sent, strict=True):
        for name in ("hist_origin", "hist_shift", "timeout"):
            if channel[name] != other[name]:
                return f"its {name} is {channel[name]}, that of {first.path} {other[name]}"
    return None


def _sent(run: Run) -> list[Values]:
    """Values of the CHANNEL messages of a run's first batch."""
    channels: list[Values] = json.loads(run.batches()["channels"][0].as_py())
    return channels


def _experiment(runs: Sequence[Run]) -> Experiment:
    """The experiment of the first run, with the number of stimuli of all runs.

    Samples are kept only if they are the first ones: those of the first run are so in the whole.
    """
    first = runs[0].run.experiment
    samples = first.samples if first.samples.which == "first" else _NONE
    count = sum(run.run.experiment.count for run in runs)
    return first.model_copy(update={"count": count, "samples": samples})


def _collection(plan: Plan, runs: Sequence[Run]) -> Collection:
    collection = Collection(plan, _sent(runs[0]))
    for run in runs:
        record = run.run
        collection.batches += run.batches().num_rows
        collection.stimuli += record.stimuli
        collection.fired += record.stimuli  # or it would not be valid
        collection.stamped += record.records.stamped
        collection.delivered += record.records.delivered
        collection.lost += record.records.lost
        collection.totals.update(dict(record.firmware))
        for throughput in record.throughput:
            collection.phases.setdefault(throughput.channel, []).extend(throughput.stops)
        for channel in collection.channels:
            _add(channel, run)
    if plan.experiment.samples != _NONE:
        for channel in collection.channels:
            _keep(channel, runs[0])
    return collection


def _keep(channel: ChannelResults, run: Run) -> None:
    """Adds a run's samples to a channel, to be compared with the histogram."""
    rows = run.samples()
    rows = rows.filter(pc.equal(rows["channel"], channel.values["index"]))
    channel.sampled.update(rows["latency_ticks"].drop_null().to_pylist())
    for stage in STAGES:
        channel.stages[stage].update(rows[f"{stage}_ticks"].drop_null().to_pylist())


def _add(channel: ChannelResults, run: Run) -> None:
    """Adds counters, bins and phases of one run to the sum."""
    index, values = channel.values["index"], channel.values
    (counters,) = (one for one in run.run.counters if one.channel == index)
    (stats,) = (one for one in run.run.stats if one.channel == index)
    counts = {name: getattr(counters, name) for name in COUNTERS}
    ends = {"min_ticks": stats.min_ticks or 0, "max_ticks": stats.max_ticks or 0}
    channel.counters.add(counts | ends | {"pending": counters.pending})
    channel.doubtful += stats.doubtful
    for place, count in enumerate(stats.phases):
        channel.phases[place] += count
    end = values["hist_origin"] + (len(channel.histogram) << values["hist_shift"])
    for row in run.histogram().to_pylist():
        inside = (
            values["hist_origin"] <= row["lower_ticks"] < end and row["upper_ticks"] is not None
        )
        if row["channel"] == index and inside:
            place = row["lower_ticks"] - values["hist_origin"] >> values["hist_shift"]
            channel.histogram[place] += row["count"]


def _record(runs: Sequence[Run], experiment: Experiment) -> RunRecord:
    """Identity and calibration, taken from the first run. Links are added up."""
    first = runs[0].run
    return RunRecord(
        program=Program(name="irqscope", version=irqscope.__version__),
        host=Host(python=platform.python_version(), system=platform.platform()),
        provenance=first.provenance,
        started=min(run.run.started for run in runs),
        target=first.target,
        source=first.source,
        identity=first.identity,
        stack=first.stack,
        experiment=experiment,
        calibration=first.calibration,
        model=first.model,
        readback=first.readback,
        drained=first.drained,
        batch_s=first.batch_s,
        parts=tuple(
            Part(name=run.path.name, seed=run.run.experiment.seed, stimuli=run.run.stimuli)
            for run in runs
        ),
        link=_links([run.run.link for run in runs]),
    )


def _links(links: Sequence[LinkCounts]) -> LinkCounts:
    kinds = {kind for link in links for kind in link.rejected}
    added = {
        name: sum(getattr(link, name) for link in links)
        for name in LinkCounts.model_fields
        if name not in ("baud", "rejected")
    }
    rejected = {kind: sum(link.rejected.get(kind, 0) for link in links) for kind in sorted(kinds)}
    return LinkCounts(baud=links[0].baud, rejected=rejected, **added)


def _independence(runs: Sequence[Run], channel: int) -> Independence | None:
    """Independence of the part that looks least so: neighbours are so within a part alone."""
    results = [
        stats.independence for run in runs for stats in run.run.stats if stats.channel == channel
    ]
    available = [one for one in results if one is not None]
    if len(available) < len(results):
        return None
    return min(available, key=_doubts)


def _doubts(result: Independence) -> tuple[bool, bool, int]:
    """Sorts first the least independent, then the least conclusive."""
    failing = any(answer.fails for answer in result.answers)
    return not failing, result.untested is None, sum(not a.untestable for a in result.answers)


def _named(runs: Sequence[Run]) -> Iterator[str]:
    """Folder, seed and N of each run; those that count up together are as one range."""
    names = [(run.path.name, run.run.experiment.seed, run.run.stimuli) for run in runs]
    while names:
        (name, seed, n), *rest = names
        more = 0
        for i, part in enumerate(rest if name.isdecimal() else (), start=1):
            if part != (f"{int(name) + i}", seed + i, n):
                break
            more = i
        if more:
            yield f"{name} to {int(name) + more} (seeds {seed} to {seed + more}, N {n} each)"
        else:
            yield f"{name} (seed {seed}, N {n})"
        names = rest[more:]


def _notes(runs: Sequence[Run]) -> Iterator[str]:
    parts = ", ".join(_named(runs))
    yield f"merged from {len(runs)} runs: {parts}; their samples stay in their folders"
    bounds = {run.run.calibration.one_way.bound_ticks for run in runs if run.run.calibration}
    if len(bounds) > 1:
        yield f"the one-way bound is {', '.join(map(str, sorted(bounds)))} ticks in its parts"
    for run in runs:
        yield from (f"{run.path.name}: {note}" for note in run.run.notes)
