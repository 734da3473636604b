"""What Horst et al. 2020 say in words, each claim with the threshold that decides it here.

The paper gives no threshold and no test. Ours are chosen once, for all claims alike:

* Two medians are compared by their intervals: 95 % of order statistics (for a throughput the least
  to the greatest phase), each end moved out by the uncertainty of one value.
* ``CONSIDERABLE``: "considerable" is beyond a tenth of the other value; "marginal", "slight",
  "similar", "close" and "a little" are within it.
* ``FAR``: "by far" is beyond half as much again. ``FEW``: "a few" are at most one in a hundred.
* A claim without such a word (higher, lower, narrower) needs a difference beyond both intervals.

Where an interval reaches over a threshold, the claim is not decided.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from scipy import stats as distributions

from irqscope.stack import DEFAULT_STACK

CONSIDERABLE = 1.10
FAR = 1.5
FEW = 0.01
CONFIDENCE = 0.95
THRESHOLDS = (
    "Medians are compared by their intervals: 95 % of order statistics (for a throughput the least "
    "to the greatest phase), with the uncertainty of one value on either side. Considerable: by "
    "more than 10 %; marginal, slight, similar, close, a little: by at most 10 %; by far: by more "
    "than 50 %; a few: at most 1 %. Where an interval reaches over the threshold, or a run is "
    "missing, nothing is decided. Least values and ranges are those of samples of equal N."
)


class Verdict(StrEnum):
    """What the runs say of a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "not decided"


@dataclass(frozen=True)
class Interval:
    """A value with the least and the greatest that it may be."""

    low: float
    value: float
    high: float


@dataclass(frozen=True)
class Figures:
    """Figures of one run: ns of a latency case, Hz of a throughput case.

    ``uncertainty``: of one value, in the same unit. ``outlying``: latencies beyond 1.5
    interquartile ranges.
    """

    n: int
    median: Interval
    least: float
    greatest: float
    uncertainty: float
    outlying: int = 0

    @property
    def minimum(self) -> Interval:
        """Least value of the sample."""
        u = self.uncertainty
        return Interval(self.least - u, self.least, self.least + u)

    @property
    def range(self) -> Interval:
        """Greatest less least value of the sample."""
        width, u = self.greatest - self.least, 2 * self.uncertainty
        return Interval(max(0.0, width - u), width, width + u)


def every(*verdicts: Verdict) -> Verdict:
    """Holds if all do; does not if one does not."""
    for verdict in (Verdict.FAILS, Verdict.OPEN):
        if verdict in verdicts:
            return verdict
    return Verdict.HOLDS


def some(*verdicts: Verdict) -> Verdict:
    """Holds if one does; does not if none does."""
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
    apart = some(above(a, b, factor), above(b, a, factor))
    return Verdict.FAILS if apart is Verdict.HOLDS else Verdict.OPEN


def differs(a: Interval, b: Interval) -> Verdict:
    """Whether they differ considerably."""
    opposite = {Verdict.HOLDS: Verdict.FAILS, Verdict.FAILS: Verdict.HOLDS}
    found = within(a, b)
    return opposite.get(found, found)


def few(figures: Figures) -> Verdict:
    """Whether at most one in a hundred stimuli is an outlier (Clopper-Pearson)."""
    k, n, alpha = figures.outlying, figures.n, 1 - CONFIDENCE
    low = distributions.beta.ppf(alpha / 2, k, n - k + 1) if k else 0.0
    high = distributions.beta.ppf(1 - alpha / 2, k + 1, n - k) if k < n else 1.0
    if high <= FEW:
        return Verdict.HOLDS
    return Verdict.FAILS if low > FEW else Verdict.OPEN


def narrower(one: Figures, other: Figures, factor: float = 1.0) -> Verdict:
    """Whether the range of the first is narrower."""
    return above(other.range, one.range, factor) if one.n == other.n else Verdict.OPEN


def smaller_minimum(one: Figures, other: Figures) -> Verdict:
    """Whether the least value of the first is smaller."""
    return above(other.minimum, one.minimum) if one.n == other.n else Verdict.OPEN


def _rising(*figures: Figures) -> Verdict:
    return every(*(above(b.median, a.median) for a, b in zip(figures, figures[1:], strict=False)))


def _all_above(one: Figures, others: tuple[Figures, ...], factor: float = 1.0) -> Verdict:
    return every(*(above(one.median, other.median, factor) for other in others))


def _all_below(one: Figures, others: tuple[Figures, ...], factor: float = 1.0) -> Verdict:
    return every(*(above(other.median, one.median, factor) for other in others))


def _alike(*figures: Figures) -> Verdict:
    """All of them within a tenth of each other: the least and the greatest are."""
    by_value = sorted((one.median for one in figures), key=lambda median: median.value)
    return within(by_value[0], by_value[-1])


def _any_differs(base: Figures, *others: Figures) -> Verdict:
    return some(*(differs(base.median, other.median) for other in others))


@dataclass(frozen=True)
class Claim:
    """One statement of the paper. ``names``: the runs whose Figures ``decide`` gets."""

    text: str
    where: str
    names: tuple[str, ...]
    decide: Callable[..., Verdict]

    def verdict(self, figures: dict[str, Figures]) -> tuple[Verdict, str]:
        """What the runs say, and why. ``figures``: by run."""
        missing = [name for name in self.names if name not in figures]
        if missing:
            return Verdict.OPEN, "no valid run of " + ", ".join(missing)
        found = [figures[name] for name in self.names]
        medians = (
            f"{name} {one.median.value:,.0f} [{one.median.low:,.0f}, {one.median.high:,.0f}], "
            f"{one.least:,.0f} to {one.greatest:,.0f}"
            for name, one in zip(self.names, found, strict=True)
        )
        return self.decide(*found), "; ".join(medians)

    def on(self, stack: str) -> Claim:
        """The same of the runs on another stack."""
        if stack == DEFAULT_STACK:
            return self
        names = tuple(f"{name}-{stack}" for name in self.names)
        return replace(self, text=f"{self.text} ({stack})", names=names)


_T4 = tuple(f"t4-{n}" for n in (180, 1, 36, 72, 108, 144))
_OFF = ("t1", "t4-180", "t5", "t6-4", "t7")
_GIC = ("t4-180", "t5", "t6-4")
_T6_THROUGHPUT = tuple(f"t6-{n}-throughput" for n in (2, 3, 4))
_COMBINED = ("b-lmax", "b-lmax-t4-144-t6-3", "b-lmax-t4-36-t7", "b-lmax-t4-36-t6-3-t7")
_TMAX = ("b-tmax", "b-tmax-3", "b-tmax-4")
#: Claims about each stack.
OF_EACH = (
    Claim("the T4 variants differ only marginally", "4.1, T4", _T4, _alike),
    Claim(
        "T4-180 provokes the highest latency of the T4 variants",
        "4.1, T4",
        _T4,
        lambda most, *others: _all_above(most, others),
    ),
    Claim(
        "the more cores, the higher the latency of T6",
        "4.1, T6",
        ("t6-2", "t6-3", "t6-4"),
        _rising,
    ),
    Claim(
        "the more cores, the lower the throughput of T6",
        "4.1, T6",
        _T6_THROUGHPUT[::-1],
        _rising,
    ),
    Claim(
        "caches have a considerable effect on the latency (T2, T3 beside T1)",
        "4.2",
        ("t1", "t2", "t3"),
        _any_differs,
    ),
    Claim(
        "the interrupt controller has a considerable effect on the latency "
        "(T4-180, T5, T6-4 beside T1)",
        "4.2",
        ("t1", *_GIC),
        _any_differs,
    ),
    Claim(
        "memory has a considerable effect on the latency (T7 beside T1)",
        "4.2",
        ("t1", "t7"),
        _any_differs,
    ),
    Claim(
        "caches have a considerable effect on the throughput (T2 beside T1)",
        "4.2",
        ("t1-throughput", "t2-throughput"),
        _any_differs,
    ),
    Claim(
        "the interrupt controller has a considerable effect on the throughput (T6 beside T1)",
        "4.2",
        ("t1-throughput", *_T6_THROUGHPUT),
        _any_differs,
    ),
    Claim(
        "latency with caches (T2, T3) and without (T1, T4 to T7) differs considerably",
        "4.2",
        ("t2", "t3", *_OFF),
        lambda t2, t3, *off: every(
            _all_below(t2, off, CONSIDERABLE), _all_below(t3, off, CONSIDERABLE)
        ),
    ),
    Claim(
        "throughput with caches (T2) and without (T1, T6) differs considerably",
        "4.2",
        ("t2-throughput", "t1-throughput", *_T6_THROUGHPUT),
        lambda t2, *off: every(*(differs(t2.median, other.median) for other in off)),
    ),
    Claim(
        "each way of stressing the controller (T4 to T6) has a noticeable effect on the latency",
        "4.2",
        ("t1", *_GIC),
        lambda t1, *others: every(*(differs(t1.median, other.median) for other in others)),
    ),
    Claim(
        "T2 has by far the shortest latency",
        "4.2",
        ("t2", "t3", *_OFF),
        lambda t2, *others: _all_below(t2, others, FAR),
    ),
    Claim("T2 has only a few outliers", "4.2", ("t2",), few),
    Claim(
        "B-Lmax, T4-36 with T6-3, has the highest latency of all cases and combinations",
        "4.2",
        ("b-lmax", *_COMBINED[1:], "b-lmax-t6-3-t7", "t2", "t3", *_OFF),
        lambda most, *others: _all_above(most, others),
    ),
    Claim(
        "the combinations of T4-36, T4-144, T6-3 and T7 differ only slightly, but for T6 with T7",
        "4.2",
        _COMBINED,
        _alike,
    ),
    Claim(
        "T6 with T7 is not like the other combinations",
        "4.2",
        ("b-lmax-t6-3-t7", *_COMBINED),
        lambda one, *others: every(*(differs(one.median, other.median) for other in others)),
    ),
    Claim(
        "T4-36 with T6-3 and T7 is close to B-Lmax",
        "4.2",
        ("b-lmax-t4-36-t6-3-t7", "b-lmax"),
        _alike,
    ),
    Claim(
        "with caches the throughput of T6 is similar for all numbers of cores",
        "4.2",
        ("t2-throughput", *_TMAX),
        _alike,
    ),
    Claim(
        "B-Tmax, T6-2 with caches, has the highest throughput of T6 with caches",
        "4.2",
        _TMAX,
        lambda most, *others: _all_above(most, others),
    ),
)

#: Claims about a stack without a kernel.
OF_BARE_METAL = (
    Claim(
        "B-Tmax lags a little behind T2 alone on bare metal",
        "4.2",
        ("b-tmax", "t2-throughput"),
        lambda both, alone: every(
            above(alone.median, both.median), within(alone.median, both.median)
        ),
    ),
)

KERNEL = "freertos"
OF_FREERTOS = (
    Claim(
        "B-Tmax has by far a higher throughput than T2 alone on FreeRTOS",
        "4.2",
        ("b-tmax", "t2-throughput"),
        lambda both, alone: above(both.median, alone.median, FAR),
    ).on(KERNEL),
    Claim(
        "T4-144 with T6-3 is considerably more confined on FreeRTOS than the other ranges",
        "4.2",
        ("b-lmax-t4-144-t6-3", "b-lmax", *_COMBINED[2:]),
        lambda one, *others: every(*(narrower(one, other, CONSIDERABLE) for other in others)),
    ).on(KERNEL),
)


def _of_both(bare: str) -> tuple[Claim, ...]:
    """FreeRTOS beside a stack without a kernel."""
    beside = "" if bare == DEFAULT_STACK else f", beside {bare}"

    def names(run: str) -> tuple[str, str]:
        return f"{run}-{KERNEL}", run if bare == DEFAULT_STACK else f"{run}-{bare}"

    latency = ("t2", "t6-4")
    return (
        *(
            Claim(
                f"{run.upper()}: the least latency is smaller on FreeRTOS{beside}",
                "4.2",
                names(run),
                smaller_minimum,
            )
            for run in latency
        ),
        *(
            Claim(
                f"{run.upper()}: the range of the latency is narrower on FreeRTOS{beside}",
                "4.2",
                names(run),
                narrower,
            )
            for run in latency
        ),
        Claim(
            f"T6-2: the range of the throughput is narrower on FreeRTOS{beside}",
            "4.2",
            names("t6-2-throughput"),
            narrower,
        ),
        Claim(
            f"software stacks have a considerable impact (T2, T6-4 on FreeRTOS{beside})",
            "4.2, 6",
            tuple(name for run in latency for name in names(run)),
            lambda t2, t2_bare, t6, t6_bare: some(
                differs(t2.median, t2_bare.median), differs(t6.median, t6_bare.median)
            ),
        ),
    )


def claims(stacks: set[str]) -> tuple[Claim, ...]:
    """All that runs on these stacks can decide, those of the default stack first."""
    ordered = sorted(stacks | {DEFAULT_STACK}, key=lambda name: (name != DEFAULT_STACK, name))
    bare = [name for name in ordered if name != KERNEL]
    found = [claim.on(name) for name in ordered for claim in OF_EACH]
    found += [claim.on(name) for name in bare for claim in OF_BARE_METAL]
    if KERNEL in stacks:
        found += OF_FREERTOS
        found += [claim for name in bare for claim in _of_both(name)]
    return tuple(found)
