"""Quantiles that never overclaim. Works on single samples and on histograms alike.

A latency is known to an interval of ticks: exactly, to a bin, or not from above (a timed-out
stimulus, the overflow bin). The r-th smallest latency then lies between the r-th smallest lower end
and the r-th smallest upper end. Intervals of quantiles are order statistics with exact binomial
ranks (distribution-free); their ends are sample values, never interpolated. Shares of stimuli are
bounded after Clopper and Pearson. Unknown parts of a stimulus count for the worse at each end, so
intervals and bounds hold whatever they were.

All of this assumes stimuli that are alike and independent: see :mod:`.independence`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

#: Confidence of quantile intervals, two-sided, and of each of the two bounds of a share.
CONFIDENCE = 0.95
QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999)
#: "Not bounded from above" in arrays of upper ends.
OPEN = int(np.iinfo(np.int64).max)

Ticks = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Quantile:
    """Quantile ``p``, in ticks.

    ``value``: bounds of the sample quantile, equal if it is one sample's value. ``lower``,
    ``upper``: confidence interval. None if unbounded. ``missing``: samples still needed before N
    samples can bound it; 0 if none.
    """

    p: float
    value: tuple[int, int | None]
    lower: int | None
    upper: int | None
    missing: int

    @property
    def name(self) -> str:
        """The quantile as people write it: p50, p99.9."""
        return f"p{100 * self.p:.6g}"

    @property
    def exact(self) -> int | None:
        """The quantile, where it is one number that N samples can carry."""
        low, high = self.value
        return low if low == high and not self.missing else None


@dataclass(frozen=True)
class Distribution:
    """Latencies as intervals with counts.

    ``lower``, ``upper``: shape (n,), ticks, least and greatest latency of entry i, ``OPEN`` where
    not bounded. ``counts``: shape (n,), how many there are of it. ``resolution``: each latency may
    be less or more by so many ticks; intervals and bounds allow for it, values are as measured.
    """

    lower: Ticks
    upper: Ticks
    counts: Ticks
    resolution: int = 0

    @property
    def n(self) -> int:
        """Number of latencies, censored ones included."""
        return int(self.counts.sum())

    def censored(self, timeout: int, timed_out: int, coalesced: int) -> Distribution:
        """Returns the distribution with the unanswered stimuli added.

        They are longer than the timeout, or of any length.
        """
        return Distribution(
            np.append(self.lower, [timeout + 1, 0]),
            np.append(self.upper, [OPEN, OPEN]),
            np.append(self.counts, [timed_out, coalesced]),
            self.resolution,
        )

    def widened(self) -> Distribution:
        """The distribution with the resolution in the ends of each latency."""
        closed = self.upper != OPEN
        upper = np.where(closed, np.minimum(self.upper, OPEN - 1 - self.resolution), self.upper)
        return Distribution(
            np.maximum(self.lower - self.resolution, 0),
            np.where(closed, upper + self.resolution, OPEN),
            self.counts,
        )

    def in_clock(self, hz: int, clock: int) -> Distribution:
        """The distribution in ticks of another clock, each end rounded outwards.

        Args:
            hz: Rate of the ticks here.
            clock: Rate of the ticks to return.
        """

        def up(ticks: int) -> int:
            return OPEN if ticks == OPEN else min(-(-ticks * clock // hz), OPEN - 1)

        return Distribution(
            np.array([min(t * clock // hz, OPEN - 1) for t in self.lower.tolist()], np.int64),
            np.array([up(t) for t in self.upper.tolist()], np.int64),
            self.counts,
            up(self.resolution),
        )

    def quantile(self, p: float, confidence: float = CONFIDENCE) -> Quantile:
        """A quantile with its interval. Raises ValueError without any latency."""
        n = self.n
        if not n:
            raise ValueError("without a sample there is no quantile")
        tail = (1 - confidence) / 2
        low = _binomial(tail, n, p)
        high = _binomial(1 - tail, n, p) + 1
        return Quantile(
            p,
            self.value(p),
            max(0, self._order(self.lower, low) - self.resolution) if low >= 1 else None,
            _bounded(self.greatest_of_rank(high)) if high <= n else None,
            max(0, needed(p, confidence) - n),
        )

    def value(self, p: float) -> tuple[int, int | None]:
        """Bounds of the sample quantile, equal if it is one sample's value; None if unbounded."""
        # 0.99 x 100 is 99.00000000000001 in binary: round before the next whole rank is taken.
        rank = max(1, math.ceil(round(p * self.n, 6)))
        return self._order(self.lower, rank), _bounded(self._order(self.upper, rank))

    def at_least(self) -> tuple[Ticks, Ticks]:
        """Ascending latencies (ticks), and how many are known to have taken at least as long."""
        some = self.counts > 0
        ticks, place = np.unique(self.lower[some], return_inverse=True)
        counts = np.zeros(len(ticks), np.int64)
        np.add.at(counts, place, self.counts[some])
        return ticks, np.cumsum(counts[::-1])[::-1]

    def longer_than(self, ticks: int) -> int:
        """Number of latencies known to exceed ``ticks``."""
        return int(self.counts[self.lower > ticks + self.resolution].sum())

    def perhaps_longer_than(self, ticks: int) -> int:
        """Number of latencies that may or may not exceed ``ticks``."""
        perhaps = self.lower <= ticks + self.resolution
        return int(self.counts[perhaps & (self.upper > ticks - self.resolution)].sum())

    def greatest_of_rank(self, rank: int) -> int:
        """The greatest value, ticks, that the ``rank``-th smallest latency may have.

        Ranks count from 1. OPEN: it has no limit.
        """
        bound = self._order(self.upper, rank)
        return bound if bound == OPEN else bound + self.resolution

    def _order(self, ends: Ticks, rank: int) -> int:
        """The ``rank``-th smallest of the ends, ticks; ranks count from 1."""
        order = np.argsort(ends, kind="stable")
        place = np.searchsorted(np.cumsum(self.counts[order]), rank)
        return int(ends[order][place])


@dataclass(frozen=True)
class Difference:
    """Second less first of a quantile, in ticks: an interval whose ends may be open (None).

    It holds where both quantiles lie in their own intervals at once.
    """

    lower: int | None
    upper: int | None

    @property
    def verdict(self) -> str:
        """Describes the second in comparison with the first."""
        return verdict(self.lower, self.upper)


def verdict(lower: float | None, upper: float | None) -> str:
    """Describes the interval of a difference, second less first. An end is None if open."""
    if lower is not None and lower > 0:
        return "slower"
    if upper is not None and upper < 0:
        return "faster"
    if lower is None or upper is None:
        return "cannot tell, N too small"
    return "equal" if lower == upper == 0 else "no difference shown"


@dataclass(frozen=True)
class Moments:
    """Moments of latencies as they are, in ticks: nothing about others. ``deviation``: standard."""

    mean: float
    deviation: float


def moments(distribution: Distribution) -> Moments | None:
    """Returns mean and standard deviation, or None without latencies known to the tick."""
    some = distribution.counts > 0
    if not some.any() or (distribution.upper[some] != distribution.lower[some]).any():
        return None
    ticks, counts = distribution.lower[some].astype(np.float64), distribution.counts[some]
    mean = float(np.average(ticks, weights=counts))
    return Moments(mean, float(np.sqrt(np.average((ticks - mean) ** 2, weights=counts))))


def rate(edges: int, span_ticks: int, tick_hz: int) -> float | None:
    """Edges in a second of target time; ``span_ticks``: from the first to the last of them."""
    return (edges - 1) * tick_hz / span_ticks if edges > 1 and span_ticks > 0 else None


def difference(first: Quantile, second: Quantile) -> Difference:
    """Difference of the same quantile of two distributions."""
    return Difference(_minus(second.lower, first.upper), _minus(second.upper, first.lower))


def _minus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one - other


def of_samples(latencies: npt.ArrayLike) -> Distribution:
    """Distribution of latencies known one by one; shape (n,), ticks."""
    values, counts = np.unique(np.asarray(latencies), return_counts=True)
    ticks = values.astype(np.int64)  # only now: there may be millions of latencies
    return Distribution(ticks, ticks, counts.astype(np.int64))


def of_counts(counts: Mapping[int, int]) -> Distribution:
    """The distribution of known latencies, ticks, each with how often it came."""
    values = np.array(sorted(counts), np.int64)
    times = np.array([counts[int(value)] for value in values], np.int64)
    return Distribution(values, values, times)


def of_histogram(
    counts: npt.ArrayLike, *, origin: int, width: int, underflow: int = 0, overflow: int = 0
) -> Distribution:
    """Distribution of latencies known to a bin.

    ``counts``: shape (bins,). ``origin``: left edge of bin 0; ``width``: of a bin; both in ticks.
    """
    bins = np.asarray(counts, np.int64)
    lower = origin + width * np.arange(len(bins), dtype=np.int64)
    end = origin + width * len(bins)
    keep = np.concatenate(([underflow], bins, [overflow])) > 0
    return Distribution(
        np.concatenate(([0], lower, [end]))[keep],
        np.concatenate(([origin - 1], lower + width - 1, [OPEN]))[keep],
        np.concatenate(([underflow], bins, [overflow]))[keep],
    )


def needed(p: float, confidence: float = CONFIDENCE) -> int:
    """Samples from which on both ends of the interval of quantile ``p`` are bounded."""
    tail = (1 - confidence) / 2
    return math.ceil(math.log(tail) / math.log(max(p, 1 - p)))


def at_once(intervals: int) -> float:
    """Confidence of each of so many intervals that hold at once with CONFIDENCE (Bonferroni)."""
    return 1 - (1 - CONFIDENCE) / intervals


def pooled(several: Sequence[Distribution]) -> Distribution:
    """One distribution of the latencies of several."""
    return Distribution(
        np.concatenate([one.lower for one in several]),
        np.concatenate([one.upper for one in several]),
        np.concatenate([one.counts for one in several]),
        max((one.resolution for one in several), default=0),
    )


def share_longer(
    n: int, longer: int = 0, unknown: int = 0, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Bounds of the share of stimuli that take longer than something, from ``n`` of them.

    ``longer``: known to have taken longer; ``unknown``: of which nothing is known. Each bound holds
    with ``confidence`` by itself. The bounds also hold if the compared time is the longest known
    latency: then no stimulus is known to take longer, and the upper bound is that of the Beta
    distribution of its rank.
    """
    tail = 1 - confidence
    at_most = longer + unknown
    from scipy.special import betaincinv  # here: it takes as long to load as all else

    lower = float(betaincinv(longer, n - longer + 1, tail)) if longer else 0.0
    upper = float(betaincinv(at_most + 1, n - at_most, 1 - tail)) if at_most < n else 1.0
    return lower, upper


def too_small(quantile: Quantile, stimulus_s: float) -> str | None:
    """``N too small for p99.9, 24 s of target time more``; None where N is large enough."""
    if not quantile.missing:
        return None
    if not stimulus_s:
        return f"N too small for {quantile.name}, {quantile.missing} more"
    more = _time(quantile.missing * stimulus_s)
    return f"N too small for {quantile.name}, {more} of target time more"


def phase_coverage(edges: npt.ArrayLike, phases: int) -> list[int]:
    """Stimuli at each phase modulo ``phases`` ticks; ``edges``: shape (n,), absolute ticks."""
    counts = np.bincount(np.asarray(edges, np.int64) % phases, minlength=phases)
    return [int(count) for count in counts]


def load() -> None:
    """Loads the packages that intervals need.

    This takes as long as all others together, so call it while no user waits.
    """
    import scipy.special  # noqa: F401 - here: it takes long to load


def _binomial(q: float, n: int, p: float) -> int:
    """Least k with P(X <= k) >= q for X binomial (n, p).

    As ``scipy.stats.binom.ppf``, whose module takes two seconds to load.
    """
    from scipy.special import bdtr, bdtrik  # here: it takes long to load

    k = max(0, math.ceil(float(bdtrik(q, n, p))))
    return k - 1 if k and float(bdtr(k - 1, n, p)) >= q else k


def _bounded(ticks: int) -> int | None:
    return None if ticks == OPEN else ticks


def _time(seconds: float) -> str:
    """Two figures at most, rounded up: a promise of time must not be short."""
    for unit, size in (("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3)):
        if seconds >= 2 * size or unit == "ms":
            return f"{math.ceil(seconds / size)} {unit}"
    raise AssertionError
