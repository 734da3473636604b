"""Runs held against each other: differences with their intervals, and what else differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from irqscope import stats
from irqscope.errors import ExperimentError
from irqscope.results.reader import Run
from irqscope.stats import Quantile
from irqscope.units import NS_PER_S

#: Runs that can be compared at once.
MOST = 8
#: Parts of run.json whose differences are told.
_PROVENANCE = ("source", "identity", "stack", "experiment", "batch_s", "program", "host")
#: Differ between any two runs and explain nothing.
_IDLE = {"experiment.name", "experiment.description"}


@dataclass(frozen=True)
class Cell:
    """An interval in ns, its ends None where open, and what it says."""

    lower_ns: float | None
    upper_ns: float | None
    verdict: str = ""

    def __str__(self) -> str:
        ends = ["open" if e is None else f"{e:.0f}" for e in (self.lower_ns, self.upper_ns)]
        if ends == ["open", "open"]:
            return self.verdict or "[open, open]"
        text = ends[0] if ends[0] == ends[1] else f"[{ends[0]}, {ends[1]}]"
        return f"{text}: {self.verdict}" if self.verdict else text


@dataclass(frozen=True)
class Comparison:
    """Of the first channels of runs; the first run is what the others are held against.

    ``quantiles``: for each, the first run's interval and the differences of the others.
    ``differs``: for each key of run.json that is not the same in all, its value in each.
    """

    names: tuple[str, ...]
    quantiles: dict[str, tuple[Cell, ...]]
    differs: dict[str, tuple[str, ...]]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "runs": list(self.names),
            "quantiles": {
                name: [vars(cell) for cell in cells] for name, cells in self.quantiles.items()
            },
            "differs": {key: list(values) for key, values in self.differs.items()},
        }


def kinds(runs: Sequence[Run]) -> set[str]:
    """Kinds of target that the runs come from. A twin predicts no board: more than one is asked."""
    return {run.run.source.target for run in runs if run.run.source}


def compare(runs: Sequence[Run]) -> Comparison:
    """Raises ExperimentError unless they are 2 to MOST, each with a latency; StorageError."""
    if not 2 <= len(runs) <= MOST:
        raise ExperimentError(f"{len(runs)} runs; name 2 to {MOST}")
    for run in runs:
        if not run.run.stats or not run.run.stats[0].n:
            raise ExperimentError(f"{run.path} holds no latency; leave it out")
    names = [f"{place}: {run.run.experiment.name}" for place, run in enumerate(runs, 1)]
    known = [run.distribution(run.run.stats[0].channel) for run in runs]
    clocks = [run.run.tick_hz for run in runs]
    quantiles = {}
    for p in stats.QUANTILES:
        first, *others = (one.quantile(p) for one in known)
        cells = [Cell(*_ns(first.lower, first.upper, clocks[0]))]
        cells += [
            _against(first, q, clocks[0], hz) for q, hz in zip(others, clocks[1:], strict=True)
        ]
        quantiles[first.name] = tuple(cells)
    return Comparison(tuple(names), quantiles, _differs(runs))


def _against(first: Quantile, other: Quantile, first_hz: int, other_hz: int) -> Cell:
    if first_hz != other_hz:
        return Cell(None, None, "another clock: ticks do not compare")
    told = stats.difference(first, other)
    return Cell(*_ns(told.lower, told.upper, first_hz), told.verdict)


def _ns(lower: int | None, upper: int | None, hz: int) -> tuple[float | None, float | None]:
    low, high = (None if end is None else end * NS_PER_S / hz for end in (lower, upper))
    return low, high


def _differs(runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    flat = [
        dict(pair for part in _PROVENANCE for pair in _flat(part, run.get(part)))
        for run in (run.run.model_dump(mode="json") for run in runs)
    ]
    keys = sorted({key for values in flat for key in values} - _IDLE)
    rows = {key: tuple(values.get(key, "-") for values in flat) for key in keys}
    return {key: values for key, values in rows.items() if len(set(values)) > 1}


def _flat(key: str, value: Any) -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for name, inner in value.items() for pair in _flat(f"{key}.{name}", inner)]
    if isinstance(value, list):
        return [pair for n, inner in enumerate(value) for pair in _flat(f"{key}[{n}]", inner)]
    return [(key, str(value))]
