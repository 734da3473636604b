"""Tests that decide a claim by the figures of runs, and thresholds for its wording.

The paper gives no threshold and no test. We chose one set for all claims:

* Two medians are compared by their intervals: 95 % of order statistics (for a throughput the least
  to the greatest phase), widened on a twin to the stored range over code layouts, then at each end
  by the uncertainty of one value.
* ``CONSIDERABLE``: "considerable" is beyond a tenth of the other value; "marginal", "slight",
  "similar", "close" and "a little" are within it.
* ``FAR``: "by far" is beyond half as much again. ``FEW``: "a few" are at most one in a hundred.
* A claim without such a word (higher, lower, narrower) needs a difference beyond both intervals.

If an interval includes a threshold, the claim is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

CONSIDERABLE = 1.10
FAR = 1.5
FEW = 0.01
CONFIDENCE = 0.95
THRESHOLDS = (
    "Medians are compared by their intervals: 95 % of order statistics (for a throughput the least "
    "to the greatest phase), on a twin the range over layouts of the code where it is stored, with "
    "the uncertainty of one value on either side. Considerable: by "
    "more than 10 %; marginal, slight, similar, close, a little: by at most 10 %; by far: by more "
    "than 50 %; a few: at most 1 %. Where an interval reaches over the threshold, or a run is "
    "missing, nothing is decided. Least values and ranges are those of samples of equal N."
)


class Verdict(StrEnum):
    """Outcome of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"


@dataclass(frozen=True)
class Interval:
    """A value with its lower and upper bound."""

    low: float
    value: float
    high: float


@dataclass(frozen=True)
class Figures:
    """Figures of one run: ns of a latency case, Hz of a throughput case.

    ``uncertainty``: of one value, in the same unit. ``outlying``: latencies beyond 1.5
    interquartile ranges. ``repeats``: phases are equal because the model is deterministic, so they
    do not sample a range.
    """

    n: int
    median: Interval
    least: float
    greatest: float
    uncertainty: float
    outlying: int = 0
    repeats: bool = False

    @property
    def minimum(self) -> Interval:
        """Minimum of the sample."""
        u = self.uncertainty
        return Interval(self.least - u, self.least, self.least + u)

    @property
    def range(self) -> Interval:
        """Range of the sample: maximum minus minimum."""
        width, u = self.greatest - self.least, 2 * self.uncertainty
        return Interval(max(0.0, width - u), width, width + u)


def every(*verdicts: Verdict) -> Verdict:
    """Holds if all parts hold; fails if one fails."""
    for verdict in (Verdict.FAILS, Verdict.OPEN):
        if verdict in verdicts:
            return verdict
    return Verdict.HOLDS


def some(*verdicts: Verdict) -> Verdict:
    """Holds if one part holds; fails if all fail."""
    for verdict in (Verdict.HOLDS, Verdict.OPEN):
        if verdict in verdicts:
            return verdict
    return Verdict.FAILS


def above(a: Interval, b: Interval, factor: float = 1.0) -> Verdict:
    """Whether a is more than ``factor`` times b."""
    if a.low > factor * b.high:
        return Verdict.HOLDS
    return Verdict.FAILS if a.high < factor * b.low else Verdict.OPEN


def within(a: Interval, b: Interval, factor: float = CONSIDERABLE) -> Verdict:
    """Whether neither is more than ``factor`` times the other."""
    if a.high <= factor * b.low and b.high <= factor * a.low:
        return Verdict.HOLDS
    differ = some(above(a, b, factor), above(b, a, factor))
    return Verdict.FAILS if differ is Verdict.HOLDS else Verdict.OPEN


def differs(a: Interval, b: Interval) -> Verdict:
    """Whether two intervals differ considerably: the opposite of :func:`within`."""
    opposite = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}
    alike_verdict = within(a, b)
    return opposite.get(alike_verdict, alike_verdict)


def few(figures: Figures) -> Verdict:
    """Whether at most one in a hundred stimuli is an outlier (Clopper-Pearson)."""
    from scipy.special import betaincinv  # here: it takes as long to load as all else

    k, n, alpha = figures.outlying, figures.n, 1 - CONFIDENCE
    low = betaincinv(k, n - k + 1, alpha / 2) if k else 0.0
    high = betaincinv(k + 1, n - k, 1 - alpha / 2) if k < n else 1.0
    if high <= FEW:
        return Verdict.HOLDS
    return Verdict.FAILS if low > FEW else Verdict.OPEN


def narrower(one: Figures, other: Figures, factor: float = 1.0) -> Verdict:
    """Whether the range of the first is narrower."""
    comparable = one.n == other.n and not (one.repeats or other.repeats)
    return above(other.range, one.range, factor) if comparable else Verdict.OPEN


def smaller_minimum(one: Figures, other: Figures) -> Verdict:
    """Whether the minimum of the first is smaller."""
    return above(other.minimum, one.minimum) if one.n == other.n else Verdict.OPEN


def rising(*figures: Figures) -> Verdict:
    """Whether each median is above the previous one."""
    return every(*(above(b.median, a.median) for a, b in zip(figures, figures[1:], strict=False)))


def all_above(one: Figures, others: tuple[Figures, ...], factor: float = 1.0) -> Verdict:
    """Whether the median of the first is above that of each other one."""
    return every(*(above(one.median, other.median, factor) for other in others))


def all_below(one: Figures, others: tuple[Figures, ...], factor: float = 1.0) -> Verdict:
    """Whether the median of the first is below that of each other one."""
    return every(*(above(other.median, one.median, factor) for other in others))


def alike(*figures: Figures) -> Verdict:
    """Whether all are within a tenth of each other, that is, the smallest and the greatest."""
    by_value = sorted((one.median for one in figures), key=lambda median: median.value)
    return within(by_value[0], by_value[-1])


def any_differs(base: Figures, *others: Figures) -> Verdict:
    """Whether the median of one differs considerably from that of ``base``."""
    return some(*(differs(base.median, other.median) for other in others))
