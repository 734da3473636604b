"""Recomputes statistics of ``run.json`` from the histogram and the counters."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator

from irqscope.analysis import stats
from irqscope.analysis.stats import OPEN, Distribution
from irqscope.results.counters import ChannelCounters
from irqscope.results.record import RunRecord
from irqscope.results.statistics import Longer, QuantileStats, Stats, Throughput

#: Digits of a float that two versions of a library may not share.
_CLOSE = 1e-9


def differences(run: RunRecord, distribution_of: Callable[[int], Distribution]) -> Iterator[str]:
    """Yields the statistics of a valid run that its histogram contradicts: field, found, expected.

    ``distribution_of`` returns the histogram of a channel. Figures of the samples alone (phases,
    stages, rate, independence) are not looked at.
    """
    counters = {one.channel: one for one in run.counters}
    timeouts = {c.index: c.timeout.ticks(run.tick_hz) for c in run.experiment.channels}
    every = run.experiment.samples.which == "all"
    for place, recorded in enumerate(run.stats):
        index = recorded.channel
        of_it = _Channel(counters[index], timeouts[index], distribution_of(index), every)
        for name, here, recounted in of_it.differences(recorded):
            yield f"run.json: stats[{place}].{name} is {here}, {recounted} by the histogram"
    if run.throughput:
        high = run.experiment.lines[0].high.ticks(run.tick_hz)
        for place, one in enumerate(run.throughput):
            for name, here, recounted in _of_throughput(one, high, run.tick_hz):
                yield f"run.json: throughput[{place}].{name} is {here}, {recounted} by its stops"


_Difference = tuple[str, object, object]


class _Channel:
    """Expected statistics of one channel. ``every``: they may be of the samples, to a tick."""

    def __init__(
        self, counters: ChannelCounters, timeout: int, distribution: Distribution, every: bool
    ) -> None:
        self._counters = counters
        self._timeout = timeout
        some = distribution.counts > 0
        self._known = Distribution(
            distribution.lower[some],
            distribution.upper[some],
            distribution.counts[some],
            distribution.resolution,
        )
        self._all = distribution.censored(timeout, counters.timed_out, counters.coalesced)
        self._wide = every and bool((self._known.lower != self._known.upper).any())

    def differences(self, recorded: Stats) -> Iterator[_Difference]:
        counters = self._counters
        counts = {
            "n": self._all.n,
            "served": self._known.n,
            "timed_out": counters.timed_out,
            "coalesced": counters.coalesced,
            "timeout_ticks": self._timeout,
            "sum_ticks": counters.sum_ticks,
            "confidence": stats.CONFIDENCE,
        }
        for name, recounted in counts.items():
            if (here := getattr(recorded, name)) != recounted:
                yield name, here, recounted
        yield from self._extremes(recorded)
        yield from self._deviation(recorded)
        yield from self._quantiles(recorded.quantiles)
        yield from self._longer(recorded)

    def _extremes(self, recorded: Stats) -> Iterator[_Difference]:
        """Least, greatest and sum lie in the bins where they must."""
        distribution, shortest, longest = self._known, recorded.min_ticks, recorded.max_ticks
        if not distribution.n:
            ends = (("min_ticks", shortest), ("max_ticks", longest))
            yield from ((name, value, None) for name, value in ends if value is not None)
            return
        for name, value, place in (("min_ticks", shortest, 0), ("max_ticks", longest, -1)):
            low, high = int(distribution.lower[place]), int(distribution.upper[place])
            if value is None or not low <= value <= high:
                yield name, value, _span(low, high)
                return
        assert longest is not None  # it lies in a bin
        counts = [int(count) for count in distribution.counts]
        low = sum(n * int(ticks) for n, ticks in zip(counts, distribution.lower, strict=True))
        high = sum(
            n * min(int(t), longest) for n, t in zip(counts, distribution.upper, strict=True)
        )
        if not low <= recorded.sum_ticks <= high:
            yield "sum_ticks", recorded.sum_ticks, _span(low, high)

    def _deviation(self, recorded: Stats) -> Iterator[_Difference]:
        here, moments = recorded.deviation_ticks, stats.moments(self._all)
        recounted = None if moments is None else moments.deviation
        if self._wide and recorded.served == recorded.n and here is not None:
            limit = ((recorded.max_ticks or 0) - (recorded.min_ticks or 0)) / 2
            if here > limit * (1 + _CLOSE):  # Popoviciu: no more than half the range
                yield "deviation_ticks", here, f"at most {limit}"
        elif not _close(here, recounted):
            yield "deviation_ticks", here, recounted

    def _quantiles(self, recorded: tuple[QuantileStats, ...]) -> Iterator[_Difference]:
        shares = stats.QUANTILES if self._known.n else ()
        if tuple(one.p for one in recorded) != shares:
            yield "quantiles", [one.p for one in recorded], list(shares)
            return
        for place, one in enumerate(recorded):
            recounted = self._all.quantile(one.p)
            name = f"quantiles[{place}]"
            if (one.note is None) != (not recounted.missing):
                yield f"{name}.note", one.note, f"{recounted.missing} samples too few"
            values = {
                "sample_ticks": (one.sample_ticks, recounted.value),
                "lower_ticks": (one.lower_ticks, recounted.lower),
                "upper_ticks": (one.upper_ticks, recounted.upper),
            }
            for key, (here, expected) in values.items():
                if here != expected and not (self._wide and self._within(key, one, recounted)):
                    yield f"{name}.{key}", here, expected
            low, high = one.sample_ticks
            exact = low if low == high and not recounted.missing else None
            if one.value_ticks != exact:
                yield f"{name}.value_ticks", one.value_ticks, exact

    @staticmethod
    def _within(key: str, one: QuantileStats, recounted: stats.Quantile) -> bool:
        """Whether a figure of the samples lies in the bin that the histogram has for it."""
        if key == "sample_ticks":
            low, high = one.sample_ticks
            end = OPEN if recounted.value[1] is None else recounted.value[1]
            return recounted.value[0] <= low <= (OPEN if high is None else high) <= end
        if key == "lower_ticks":
            if one.lower_ticks is None or recounted.lower is None:
                return False
            return recounted.lower <= one.lower_ticks <= one.sample_ticks[0]
        if one.upper_ticks is None:
            return False
        end = OPEN if recounted.upper is None else recounted.upper
        return one.sample_ticks[0] <= one.upper_ticks <= end

    def _longer(self, recorded: Stats) -> Iterator[_Difference]:
        ticks = self._timeout if self._counters.timed_out else recorded.max_ticks
        recounted = None
        if ticks is not None:
            lower, upper = stats.share_longer(
                self._all.n, self._counters.timed_out, self._counters.coalesced
            )
            recounted = Longer(ticks=ticks, at_least=lower, at_most=upper)
        here = recorded.longer
        if here is None or recounted is None:
            if here is not recounted:
                yield "longer", here, recounted
            return
        for name in Longer.model_fields:
            if not _close(getattr(here, name), getattr(recounted, name)):
                yield f"longer.{name}", getattr(here, name), getattr(recounted, name)


def _of_throughput(throughput: Throughput, high: int, tick_hz: int) -> Iterator[_Difference]:
    hz = [count * tick_hz / high for count in throughput.stops]
    recounted = {
        "high_ticks": high,
        "median_hz": statistics.median(hz),
        "min_hz": min(hz),
        "max_hz": max(hz),
    }
    for name, value in recounted.items():
        if not _close(getattr(throughput, name), value):
            yield name, getattr(throughput, name), value


def _close(here: float | None, recounted: float | None) -> bool:
    if here is None or recounted is None:
        return here is recounted
    return math.isclose(here, recounted, rel_tol=_CLOSE, abs_tol=_CLOSE)


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} or more" if high == OPEN else f"{low} to {high}"
