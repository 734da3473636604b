"""Whether one set of latencies has more long ones than another: exact tests, and how much they see.

The threshold is a quantile of the first set: its r-th smallest latency. If both sets are alike and
independent, every order of all latencies together is equally likely, so the number of the second
that lie above it has a known distribution, whatever that of the latencies is (a precedence test).
Ties make it err towards "no difference". Runs differ among themselves by more than chance within
a run; where each side has several, whole runs change sides instead (a permutation test).

Unknown parts of a latency count against an alarm: as longest in the first set, as shortest in the
second.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.analysis.stats import OPEN, Distribution

#: Chance to see what shall be seen, below which a comparison says nothing.
POWER = 0.9
#: Ways to divide runs among two sides that are tried at most.
_MOST_WAYS = 5_000
#: No run has more stimuli: beyond it no number is named.
_MOST_SAMPLES = 10**12


@dataclass(frozen=True)
class Exceedances:
    """Number of latencies of two sets above quantile ``p`` of the first set.

    ``threshold``: the greatest value that this quantile may have, ticks, or None without a limit.
    ``first``, ``second``: how many latencies of each set lie above the threshold. ``chance``: how
    likely the second set has that many or more, if both sets come from one distribution.
    """

    p: float
    threshold: int | None
    first: int
    second: int
    chance: float


def precedence(first: Distribution, second: Distribution, p: float) -> Exceedances:
    """The exact test of one quantile; ``p`` of it in (0, 1), both sets not empty."""
    rank = _rank(p, first.n)
    threshold = first.greatest_of_rank(rank)
    if threshold == OPEN:
        return Exceedances(p, None, 0, 0, 1.0)
    longer = second.longer_than(threshold)
    return Exceedances(
        p,
        threshold,
        first.n - rank,
        longer,
        _precedence_chance(first.n, second.n, rank, longer),
    )


def _rank(p: float, n: int) -> int:
    """The rank at which quantile ``p`` of ``n`` latencies is in ascending order, from 1."""
    return max(1, math.ceil(round(p * n, 6)))


def _precedence_chance(first: int, second: int, rank: int, longer: int) -> float:
    """Chance of ``longer`` or more of the second above the first's ``rank``-th smallest.

    That is so if among the smallest ``rank + second - longer`` of all are ``rank`` of the first.
    """
    from scipy.stats import hypergeom  # here: it takes two seconds to load

    exceedances = rank + second - longer
    return float(hypergeom.sf(rank - 1, first + second, first, exceedances))


def sees(p: float, first: int, second: int, level: float, factor: float) -> bool:
    """Whether the test finds ``factor`` times as many above quantile ``p`` with a chance of POWER.

    ``level``: chance of a false alarm. A normal approximation; simulations say how well it holds.
    """
    share = 1 - p
    if first * share < 1 or second * share < 1:
        return False
    rank = _rank(p, first)
    low, high = 0, second + 1  # least count that raises an alarm
    while low < high:
        middle = (low + high) // 2
        if middle <= second and _precedence_chance(first, second, rank, middle) > level:
            low = middle + 1
        else:
            high = middle
    if low > second:
        return False
    more = min(1.0, factor * share)
    mean = second * more
    spread = second * more * (1 - more) + (second * factor) ** 2 * share * p / first
    if more == 1.0:
        return low <= second
    from scipy.special import ndtr  # here: it takes as long to load as all else

    return bool(ndtr((mean - low + 0.5) / math.sqrt(spread)) >= POWER)


def needed(p: float, level: float, factor: float, first: int | None = None) -> int | None:
    """Returns the samples of each side from which on :func:`sees` is true, or None.

    ``first``: samples of the first side, if they are given and fixed.
    """

    def enough(n: int) -> bool:
        return sees(p, first or n, n, level, factor)

    return smallest(enough)


def smallest(enough: Callable[[int], bool], above: int = 8) -> int | None:
    """Returns the least number of samples, to 1 %, for which ``enough(n)`` is true, or None.

    It is not for ``above`` samples.
    """
    low, high = above, 2 * above
    while not enough(high):
        low, high = high, 2 * high
        if high > _MOST_SAMPLES:
            return None
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def ways(first: int, second: int) -> int:
    """Number of ways to divide so many runs among two sides."""
    return math.comb(first + second, second)


def needed_runs(level: float) -> int:
    """Runs of each side that a permutation needs to raise an alarm at all."""
    return next(n for n in itertools.count(1) if 1 / ways(n, n) <= level)


def permuted(
    first: Sequence[Distribution], second: Sequence[Distribution], quantiles: Sequence[float]
) -> list[Exceedances]:
    """The test by whole runs, for all quantiles at once.

    ``chance``: of any quantile to stand out so far, over all ways of dividing the runs: corrected
    for the number of quantiles by itself (Westfall and Young, single step).
    """
    runs = [*first, *second]
    table = _Table(runs)
    sides = _sides(len(first), len(second))
    standing = np.stack([table.standing(sides, p) for p in quantiles])  # (quantiles, ways)
    greatest = standing.max(axis=0)
    chances = []
    for place, p in enumerate(quantiles):
        threshold, above, longer = table.observed(sides[0], p)
        observed = standing[place, 0] - 1e-9  # equal but for rounding is as far
        chance = float(np.mean(greatest >= observed)) if threshold is not None else 1.0
        chances.append(Exceedances(p, threshold, above, longer, chance))
    return chances


def _sides(first: int, second: int) -> npt.NDArray[np.bool_]:
    """Shape (ways, runs): which runs are the first side; row 0 is as they were measured."""
    runs = first + second
    if ways(first, second) <= _MOST_WAYS:
        choices = list(itertools.combinations(range(runs), first))
    else:
        generator = np.random.default_rng(0)  # the same ones every time: judged alike by everybody
        choices = [tuple(range(first))]
        choices += [tuple(generator.permutation(runs)[:first]) for _ in range(_MOST_WAYS - 1)]
    sides = np.zeros((len(choices), runs), np.bool_)
    for row, members in enumerate(choices):
        sides[row, list(members)] = True
    return sides


class _Table:
    """Counts of all runs by the ends of the known intervals: shape (runs, ends)."""

    def __init__(self, runs: Sequence[Distribution]) -> None:
        self._sizes = np.array([run.n for run in runs], np.int64)
        self._uppers, self._by_upper = _counted([run.upper for run in runs], runs)
        self._lowers, self._by_lower = _counted([run.lower for run in runs], runs)

    def standing(self, sides: npt.NDArray[np.bool_], p: float) -> npt.NDArray[np.float64]:
        """Returns how far the second's count above the first's quantile is from the expected one.

        By side.
        """
        sizes, others, ranks, thresholds, longer = self._at(sides, p)
        expected = others * (sizes - ranks) / sizes
        return np.asarray((longer - expected) / np.sqrt(np.maximum(1.0, others * (1 - p))))

    def observed(self, side: npt.NDArray[np.bool_], p: float) -> tuple[int | None, int, int]:
        """The threshold, ticks, and how many latencies of each side lie above it.

        The threshold is None if it has no limit.
        """
        sizes, _, ranks, thresholds, longer = self._at(side[None, :], p)
        if thresholds[0] == OPEN:
            return None, 0, 0
        return int(thresholds[0]), int(sizes[0] - ranks[0]), int(longer[0])

    def _at(self, sides: npt.NDArray[np.bool_], p: float) -> tuple[npt.NDArray[np.int64], ...]:
        sizes = sides @ self._sizes
        ranks = np.array([_rank(p, int(n)) for n in sizes], np.int64)
        below = np.cumsum(sides.astype(np.int64) @ self._by_upper, axis=1)
        places = (below < ranks[:, None]).sum(axis=1)
        thresholds = self._uppers[places]
        reach = np.searchsorted(self._lowers, thresholds, "right")
        not_longer = np.cumsum((~sides).astype(np.int64) @ self._by_lower, axis=1)
        padded = np.concatenate((np.zeros((len(sides), 1), np.int64), not_longer), axis=1)
        others = (~sides) @ self._sizes
        longer = others - padded[np.arange(len(sides)), reach]
        return sizes, others, ranks, thresholds, longer


def _counted(
    ends: Sequence[npt.NDArray[np.int64]], runs: Sequence[Distribution]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Distinct ends, ascending, and counts of each run, shape (runs, ends)."""
    distinct = np.unique(np.concatenate(ends))
    counts = np.zeros((len(runs), len(distinct)), np.int64)
    for row, (run, of_run) in enumerate(zip(runs, ends, strict=True)):
        np.add.at(counts[row], np.searchsorted(distinct, of_run), run.counts)
    return distinct, counts
