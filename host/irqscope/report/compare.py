"""Runs compared with each other: differences with their intervals, and different settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from irqscope.analysis import stats
from irqscope.analysis.stats import Quantile
from irqscope.errors import ExperimentError
from irqscope.report import layout_text, summary, wording
from irqscope.results.capture import span
from irqscope.results.reader import Run
from irqscope.results.statistics import Stats
from irqscope.units import NS_PER_S, NominalHz, digits, unit_of

#: Runs that can be compared at once.
MOST = 8
#: Parts of run.json whose differences are shown.
_PROVENANCE = ("source", "identity", "stack", "experiment", "batch_s", "program", "host")
#: Differ between any two runs and explain nothing.
_IDLE = {"experiment.name", "experiment.description"}


@dataclass(frozen=True)
class Cell:
    """A quantile of one run: its value always, its interval where the run allows one.

    Attributes:
        value: Ends of the sample quantile in ``unit``, equal where it is one sample's value; the
            upper one None where it is open.
        unit: ns, or cycles where the run's clock is nominal.
        difference: The value less that of the first run, or None for the first run and where
            either is not one number or the clocks differ.
        lower: Lower end of the interval, of the value in the first run and of the difference in
            the others; None if open.
        upper: Upper end of the same interval; None if open.
        verdict: Meaning of the interval, or why it is missing.
        interval: Whether there is an interval.
    """

    value: tuple[float, float | None]
    unit: str
    difference: float | None = None
    lower: float | None = None
    upper: float | None = None
    verdict: str = ""
    interval: bool = True

    def __str__(self) -> str:
        low, high = self.value
        size, name = self._unit(low)
        text = _in(size, low)
        if high is None:
            text = f"{text} {name} or more"
        elif high != low:
            text = f"{text} to {_in(size, high)} {name}"
        else:
            text = f"{text} {name}"
        ends = (self.lower, self.upper)
        if self.difference is not None:
            size, name = self._unit(max(abs(end or 0) for end in (self.difference, *ends)))
            sign = "-" if self.difference < 0 else "+"
            text += f", {sign}{_in(size, abs(self.difference))} {name}"
        if self.interval:
            first, last = ("open" if end is None else _in(size, end) for end in ends)
            text += f" [{first}, {last}]"
        return f"{text}: {self.verdict}" if self.verdict else text

    def _unit(self, value: float) -> tuple[int, str]:
        """Returns the unit that a value is shown in: its length in `unit`, and its name."""
        return unit_of(value) if self.unit == "ns" else (1, self.unit)

    def as_dict(self) -> dict[str, Any]:
        """Returns the cell as programs read it: a value has at most three decimals."""
        low, high = self.value
        of_ticks = {name: getattr(self, name) for name in ("difference", "lower", "upper")}
        return {
            **vars(self),
            "value": (_thousandths(low), _thousandths(high)),
            **{name: _thousandths(value) for name, value in of_ticks.items()},
        }


def _in(size: int, value: float) -> str:
    """Return a value in units of `size`: as a whole number of ns or cycles, else in four digits."""
    return f"{value:.0f}" if size == 1 else digits(value / size)


def _thousandths(value: float | None) -> float | None:
    return value if value is None or value == int(value) else round(value, 3)


@dataclass(frozen=True)
class Comparison:
    """Comparison of one channel of runs, each with that of the first run.

    ``quantiles``: for each, a cell of each run; ``unit``: wording.unit of the first run's clock.
    ``remarks``: their assumptions, and the runs that violate them. ``differs``: for each key of
    run.json that is not the same in all, its value in each.
    """

    names: tuple[str, ...]
    unit: str
    quantiles: dict[str, tuple[Cell, ...]]
    differs: dict[str, tuple[str, ...]]
    remarks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The comparison as programs read it: what ``--json`` prints."""
        return {
            "runs": list(self.names),
            "unit": self.unit,
            "quantiles": {
                name: [cell.as_dict() for cell in cells] for name, cells in self.quantiles.items()
            },
            "remarks": list(self.remarks),
            "differs": {key: list(values) for key, values in self.differs.items()},
        }


def kinds(runs: Sequence[Run]) -> set[str]:
    """Kinds of target that the runs come from.

    A twin predicts no board: the question needs more than one.
    """
    return {run.run.source.target for run in runs if run.run.source}


def compare(runs: Sequence[Run], channel: int | None = None) -> Comparison:
    """Compare runs with the first one.

    Args:
        runs: The runs.
        channel: The channel of each that is compared, or None for each run's first one.

    Raises:
        ExperimentError: There are not 2 to MOST runs, or one has no such channel or no latency.
        StorageError: A run cannot be read.
    """
    if not 2 <= len(runs) <= MOST:
        raise ExperimentError(f"{len(runs)} runs; name 2 to {MOST}")
    for run in runs:
        if not run.run.stats:
            raise ExperimentError(f"{run.path} holds no latency; leave it out")
        if channel is not None and channel not in (one.channel for one in run.run.stats):
            listed = ", ".join(str(one.channel) for one in run.run.stats)
            raise ExperimentError(f"{run.path} has no channel {channel}; its channels are {listed}")
        if not _of_channel(run, channel).served:
            raise ExperimentError(f"{run.path} holds no latency; leave it out")
    names = [f"{place}: {run.run.experiment.name}" for place, run in enumerate(runs, 1)]
    distributions = [run.distribution(_of_channel(run, channel).channel) for run in runs]
    measures = [_Measure.of(run) for run in runs]
    doubts = [_doubt(place, run, channel) for place, run in enumerate(runs, 1)]
    intervals = len(stats.QUANTILES) * len(runs)
    confidence = stats.at_once(intervals)
    quantiles = {}
    for p in stats.QUANTILES:
        first, *others = (one.quantile(p, confidence) for one in distributions)
        cells = [_of_first(first, measures[0].hz, doubts[0])]
        cells += [
            _against(first, q, measures[0], measure, doubts[0] or doubt)
            for q, measure, doubt in zip(others, measures[1:], doubts[1:], strict=True)
        ]
        quantiles[first.name] = tuple(cells)
    remarks = (
        f"All {intervals} intervals ({len(stats.QUANTILES)} quantiles of {len(runs)} runs), and so "
        f"all differences, hold at once with {100 * stats.CONFIDENCE:.3g} % confidence: each has "
        f"{100 * confidence:.4g} % (Bonferroni).",
        *_remarks(runs, channel),
    )
    unit = wording.unit(measures[0].hz)
    return Comparison(tuple(names), unit, quantiles, differences(runs), remarks)


@dataclass(frozen=True)
class _Measure:
    """Method of a run. ``resolution``: of a latency, ns; 0 where only the tick limits it."""

    hz: int
    resolution: float

    @classmethod
    def of(cls, run: Run) -> _Measure:
        capture, hz = run.run.capture, run.run.tick_hz
        ticks = 0 if capture is None else capture.bin_ticks or capture.resolution_ticks
        return cls(hz, ticks * NS_PER_S / hz)

    def comparable(self, other: _Measure) -> bool:
        """Whether times of both may be subtracted: ticks of one clock, or ns where one is foreign.

        Clocks of two runs of irqscope differ where the instrument does.
        """
        nominal = isinstance(self.hz, NominalHz) or isinstance(other.hz, NominalHz)
        foreign = self.resolution > 0 or other.resolution > 0
        return self.hz == other.hz or (foreign and not nominal)


def _of_channel(run: Run, channel: int | None) -> Stats:
    """Returns the statistics of the given channel, by default of the run's first one."""
    if channel is None:
        return run.run.stats[0]
    return next(one for one in run.run.stats if one.channel == channel)


def _doubt(place: int, run: Run, channel: int | None) -> str:
    """Reason why nothing can be inferred from a run, or an empty string."""
    if wording.grid(run.run):
        return f"the stimuli of run {place} are a grid"
    reason = wording.alike(_of_channel(run, channel))
    return f"in run {place} {reason}" if reason else ""


def _remarks(runs: Sequence[Run], channel: int | None) -> Iterator[str]:
    """Yields remarks that must accompany the differences."""
    if any(len(run.run.stats) > 1 for run in runs):
        spans = [wording.channel(run.run, _of_channel(run, channel).channel) for run in runs]
        compared = ", ".join(f"run {place} {span}" for place, span in enumerate(spans, 1))
        yield f"Compared is one channel of each run: {compared}; name another one by --channel."
    for place, run in enumerate(runs, 1):
        stats = _of_channel(run, channel)
        if not run.run.valid:
            yield f"Run {place} is {summary.verdict(run.run)}."
        if lacking := wording.unanswered(stats):
            yield f"Run {place}: {lacking}; they count as what is known of them."
        if reason := wording.grid(run.run):
            yield f"Run {place}: {reason}."
        elif wording.failing(stats) or stats.independence is None or stats.independence.untested:
            yield f"Run {place}, independence: {wording.independence(stats, run.run.tick_hz)}."
    if any(run.run.capture for run in runs):
        resolutions = (f"run {place} to {_resolution(run)}" for place, run in enumerate(runs, 1))
        by_run = ", ".join(resolutions)
        yield f"Latencies are known, {by_run}; a smaller difference is not resolved."
    if any(wording.simulated(run.run) for run in runs):
        yield (
            "A twin is a model: these intervals cover sampling alone, not what its profile assumes."
        )
    for place, run in enumerate(runs[1:], 2):
        if remark := layout_text.apart(runs[0].run, run.run):
            yield f"Runs 1 and {place}: {remark}."


def _of_first(first: Quantile, hz: int, doubt: str) -> Cell:
    value, unit = _value(first, hz), wording.unit(hz)
    if doubt:
        return Cell(value, unit, verdict=f"no interval: {doubt}", interval=False)
    lower, upper = _ends(first.lower, first.upper, hz)
    return Cell(value, unit, lower=lower, upper=upper)


def _resolution(run: Run) -> str:
    if run.run.capture is not None:
        return run.run.capture.resolution
    return "1 cycle" if run.run.is_rtl else span(1, run.run.tick_hz)


def _against(
    first: Quantile, other: Quantile, measure: _Measure, of_other: _Measure, doubt: str
) -> Cell:
    first_hz, other_hz = measure.hz, of_other.hz
    value, unit = _value(other, other_hz), wording.unit(other_hz)
    if not measure.comparable(of_other):
        verdict = "another clock: ticks do not compare"
        if unit != wording.unit(first_hz):
            verdict = f"in {unit}; {verdict}"
        return Cell(value, unit, verdict=verdict, interval=False)
    (low, high), (first_low, first_high) = value, _value(first, first_hz)
    exact = low == high and first_low == first_high
    difference = low - first_low if exact else None
    if doubt:
        return Cell(value, unit, difference, verdict=f"no interval: {doubt}", interval=False)
    if first_hz == other_hz:
        interval = stats.difference(first, other)
        lower, upper = _ends(interval.lower, interval.upper, first_hz)
        verdict = interval.verdict
    else:
        ends, first_ends = (
            _ends(q.lower, q.upper, hz) for q, hz in ((other, other_hz), (first, first_hz))
        )
        lower, upper = _less(ends[0], first_ends[1]), _less(ends[1], first_ends[0])
        verdict = stats.verdict(lower, upper)
    resolution = measure.resolution + of_other.resolution
    gap = max(low - (first_high or first_low), first_low - (high or low))
    if resolution and high is not None and first_high is not None and gap < resolution:
        verdict = f"not resolved, less than {resolution:.0f} ns apart"
    return Cell(value, unit, difference, lower, upper, verdict)


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _value(quantile: Quantile, hz: int) -> tuple[float, float | None]:
    low, high = quantile.value
    per_tick = wording.per_tick(hz)
    return low * per_tick, None if high is None else high * per_tick


def _ends(lower: int | None, upper: int | None, hz: int) -> tuple[float | None, float | None]:
    per_tick = wording.per_tick(hz)
    low, high = (None if end is None else end * per_tick for end in (lower, upper))
    return low, high


def differences(runs: Sequence[Run]) -> dict[str, tuple[str, ...]]:
    """Return the keys of run.json whose values differ, with a text for each run."""
    records = [run.run.model_dump(mode="json") for run in runs]
    rows = (row for part in _PROVENANCE for row in _apart(part, [one.get(part) for one in records]))
    return {key: values for key, values in sorted(rows) if key not in _IDLE}


def _apart(key: str, values: Sequence[Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields keys whose values differ, with a text for each run.

    A table that only some runs have is one row: its keys say nothing about the others.
    """
    if all(isinstance(value, dict) for value in values):
        for name in {name: None for value in values for name in value}:
            yield from _apart(f"{key}.{name}", [value.get(name) for value in values])
    elif all(isinstance(value, list) for value in values):
        for place in range(max(map(len, values))):
            each = [value[place] if place < len(value) else None for value in values]
            yield from _apart(f"{key}[{place}]", each)
    elif len(set(texts := tuple(map(_told, values)))) > 1:
        yield key, texts


def _told(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"{len(value)} values" if value else "-"
    return "-" if value is None else str(value)
