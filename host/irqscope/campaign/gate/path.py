"""Which part of the path an answer's time is spent in: a short run with all markers.

The parts of a foreign program's path are its functions, in instructions.

A simulation reports how many instructions a core had executed at each of its markers. So a step of
the path has a length in ticks and one in instructions: where both changed, the software changed
there; where ticks changed alone, memory or the machine did.
"""

from __future__ import annotations

import csv
import itertools
import tempfile
from collections import defaultdict
from pathlib import Path

from irqscope.acquire.callbacks import Progress, Stop
from irqscope.acquire.measure import measure
from irqscope.campaign.gate import bins
from irqscope.campaign.gate.baseline import Step
from irqscope.constants import Marker
from irqscope.errors import Interrupted, StorageError
from irqscope.experiment import Experiment, Samples
from irqscope.experiment.checks import problems_anywhere
from irqscope.results.reader import read
from irqscope.results.tables import STAGES
from irqscope.targets import open_target

#: Schemes of targets that tell what was executed.
TELLING = ("twin", "rtl")
#: Stimuli of the run: the path is the same in most of them.
_STIMULI = 40
_CODES = {stage: Marker[stage.upper()] for stage in STAGES}


def measured(
    experiment: Experiment, target: str, progress: Progress, stop: Stop
) -> tuple[Step, ...] | None:
    """Path of the measured core, or None if it cannot be divided into parts.

    ``target``: one of TELLING.

    Raises StorageError, Interrupted, TargetError.
    """
    if experiment.of_program:
        return _functions(experiment, target, progress, stop)
    one = _with_all_markers(experiment)
    if one is None:
        return None
    with tempfile.TemporaryDirectory(prefix="irqscope-path-") as folder:
        markers = Path(folder, "markers.csv")
        with open_target(target, stack=one.stack, markers=markers, watches=one.watches) as opened:
            result = measure(
                one, target, Path(folder, "run"), progress=progress, stop=stop, opened=opened
            )
        if isinstance(result.error, Interrupted | StorageError):
            raise result.error
        if result.state != "valid":
            return None
        samples = read(Path(folder, "run")).samples()
        executed = _executed(markers, one.core)
    ends = {stage: samples[f"{stage}_ticks"].to_pylist() for stage in STAGES}
    ends = {stage: ticks for stage, ticks in ends.items() if any(t is not None for t in ticks)}
    stages = [stage for stage in STAGES if stage in ends or any(stage in pair for pair in executed)]
    steps = (
        Step(
            name=f"{begin} -> {end}",
            ticks=bins.of_values(_lengths(ends.get(begin), ends.get(end, []))),
            instructions=bins.of_values(executed[begin, end]) if (begin, end) in executed else None,
        )
        for begin, end in itertools.pairwise(["edge", *stages])
    )
    return tuple(step for step in steps if step.ticks or step.instructions)


def _functions(
    experiment: Experiment, target: str, progress: Progress, stop: Stop
) -> tuple[Step, ...] | None:
    """Instructions of each function of a foreign program, from the line to the last place.

    None if its run is not valid. Raises as :func:`measured`.
    """
    one = experiment.model_copy(update={"count": min(experiment.count, _STIMULI)})
    with tempfile.TemporaryDirectory(prefix="irqscope-path-") as folder:
        file = Path(folder, "functions.csv")
        with open_target(
            target,
            stack=one.stack,
            watches=one.watches,
            leads=one.leads,
            of_program=True,
            functions=file,
        ) as opened:
            result = measure(
                one, target, Path(folder, "run"), progress=progress, stop=stop, opened=opened
            )
        if isinstance(result.error, Interrupted | StorageError):
            raise result.error
        if result.state != "valid":
            return None
        counts: dict[str, list[int]] = defaultdict(list)
        with file.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                counts[row["function"]].append(int(row["instructions"]))
    return tuple(
        Step(name=name, ticks=(), instructions=bins.of_values(instructions))
        for name, instructions in sorted(counts.items())
    )


def _lengths(begins: list[int | None] | None, ends: list[int | None]) -> list[int]:
    """Ticks of one step of each stimulus; ``begins`` is None for its edge."""
    return [
        end - begin
        for begin, end in zip(begins or [0] * len(ends), ends, strict=True)
        if begin is not None and end is not None
    ]


def _with_all_markers(experiment: Experiment) -> Experiment | None:
    """The short run, of the first channel; None for an experiment that takes no further marker.

    Without samples, where they would be too many, its steps have instructions and no ticks.
    """
    if experiment.measure != "latency" or experiment.of_others:
        return None
    count = min(experiment.count, _STIMULI)
    for samples in map(Samples.parse, ("all", "none")):
        changed = {"markers": "stages", "count": count, "samples": samples}
        changed["channels"] = experiment.channels[:1]
        one = experiment.model_copy(update=changed)
        if not problems_anywhere(one):
            return one
    return None


def _executed(path: Path, core: int) -> dict[tuple[str, str], list[int]]:
    """Instructions between neighbouring stages of one core, including calibration and warm-up."""
    by_pair: dict[tuple[str, str], list[int]] = defaultdict(list)
    if not path.exists():
        return by_pair
    names = {int(code): stage for stage, code in _CODES.items()}
    before: tuple[str, int] | None = None
    with path.open(encoding="ascii", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["core"]) != core:
                continue
            stage, count = names.get(int(row["code"])), int(row["instructions"])
            if (
                stage is not None
                and before is not None
                and STAGES.index(before[0]) < STAGES.index(stage)
            ):
                by_pair[before[0], stage].append(count - before[1])
            before = None if stage is None else (stage, count)
    return by_pair
