"""Divides the time of an answer into steps from marker to marker, and the probe's own part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from irqscope.machines import under_linux
from irqscope.results.record import RunRecord
from irqscope.results.tables import STAGES


@dataclass(frozen=True)
class Step:
    """The way from the stage before, or from the edge, to the stage ``name``; ticks since the edge.

    ``name``: its :func:`title`.

    ``least``, ``greatest``: of ``end``, the same for a single answer. ``probe``: ticks of the step
    that the marker at its beginning took, by calibration (b); 0 at the edge, which costs nothing.
    """

    name: str
    begin: int
    end: int
    least: int
    greatest: int
    probe: int


def title(run: RunRecord, stage: str) -> str:
    """Return the name of a stage to show: under Linux its own, elsewhere that of its marker."""
    linux = run.stack is not None and run.stack.name == under_linux.STACK
    return under_linux.STAGE_TITLES[stage] if linux else stage


def of_stimulus(run: RunRecord, stimulus: dict[str, Any]) -> list[Step]:
    """Steps of one stimulus, a row of the samples; none if it was not answered."""
    reached = [(stage, stimulus[f"{stage}_ticks"]) for stage in STAGES]
    return _steps(run, [(name, end, end, end) for name, end in reached if end is not None])


def of_run(run: RunRecord, channel: int) -> list[Step]:
    """Steps between the medians of a channel's stages; none where no stage but one was stamped."""
    stages = next((stats.stages for stats in run.stats if stats.channel == channel), ())
    if len(stages) < 2:
        return []
    return _steps(run, [(s.stage, s.p50_ticks, s.min_ticks, s.max_ticks) for s in stages])


def _steps(run: RunRecord, ends: list[tuple[str, int, int, int]]) -> list[Step]:
    ends = sorted(ends, key=lambda stage: stage[1])
    begins = [0, *(end for _, end, _, _ in ends)]
    probe = _probe(run)
    return [
        Step(
            title(run, name),
            begin,
            end,
            shortest,
            greatest,
            min(probe, end - begin) if begin else 0,
        )
        for begin, (name, end, shortest, greatest) in zip(begins, ends, strict=False)
    ]


def _probe(run: RunRecord) -> int:
    """Median of the time between two markers back to back, ticks; 0 without a calibration."""
    counts = run.calibration.probe.counts if run.calibration else []
    left = sum(count for _, count in counts) / 2
    for ticks, count in counts:
        left -= count
        if left <= 0:
            return ticks
    return 0
