"""Whether latencies look alike and independent, as intervals and bounds assume.

Three questions are asked of the ranks of the latencies in the order of their stimuli:

- trend: do they grow or fall over the run? Spearman's correlation with the stimulus number.
- lag 1: does each resemble the one before? Correlation of neighbours.
- first of batch: do first stimuli of a batch, which come after talking on the link, differ from
  the rest? Mann and Whitney's statistic.

Each is answered by shuffling: were all latencies alike and independent, every order of them would
be equally likely. That holds for any ties and for a few rare values among thousands, where the
usual approximations, SciPy's among them, do not: latencies have three or four distinct values.
In a long run the tests look at stretches spread evenly over it, and at first stimuli of batches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

#: Chance that one of the three tests fails though latencies are alike and independent.
LEVEL = 0.01
#: Orders that are tried; the same ones every time, so that a run is judged alike by everybody.
SHUFFLES = 999
#: With so many shuffles as extreme as what was seen, more of them cannot make a test fail.
_ENOUGH = 10
#: Fewer samples could miss a correlation of one half.
LEAST = 60
#: If there are more, the tests look at about so many: stretches of ``_STRETCH``, and first ones
#: of batches.
MOST = 8_000
_STRETCH, _FIRSTS = 100, 1_000
#: Normal quantiles: of the level of one two-sided test, and of a chance of 80 % to see it.
_REACH = 2.935 + 0.842

TREND, LAG_1, FIRST = "trend", "lag 1", "first of batch"

Numbers = npt.NDArray[np.int64]
Ranks = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Answer:
    """Answer of one test. ``effect``: rank correlation; for the first of a batch, the chance that
    one is longer than one of the rest, less the chance that it is shorter. ``p``: None where there
    is nothing to test.
    """

    test: str
    effect: float
    p: float | None

    @property
    def fails(self) -> bool:
        """Latencies do not look so, at LEVEL for the three tests together."""
        return self.p is not None and self.p <= LEVEL / 3


def detectable(n: int) -> float:
    """Correlation that a test sees in ``n`` latencies with a chance of 80 %, about."""
    return float(min(1.0, _REACH / np.sqrt(min(n, MOST)))) if n else 1.0


def examine(latencies: Numbers, starts: npt.NDArray[np.bool_]) -> list[Answer]:
    """The three answers; none with fewer than LEAST latencies.

    ``latencies``: shape (n,), ticks, in the order of the stimuli; one that timed out stands as the
    longest. ``starts``: shape (n,), whether each is that of the first stimulus of its batch.
    """
    if len(latencies) < LEAST:
        return []
    chosen = _chosen(starts)
    n, ranks = len(chosen), _centred_ranks(latencies[chosen])
    numbers = chosen - chosen.mean()
    pairs = np.flatnonzero(np.diff(chosen) == 1)
    first = np.flatnonzero(starts[chosen])
    squares = float(ranks @ ranks)
    expected = -len(pairs) * squares / (n * (n - 1))  # of neighbours that are not alike

    def statistics(x: Ranks) -> Ranks:
        """Each of mean 0 over all orders."""
        return np.array([numbers @ x, x[pairs] @ x[pairs + 1] - expected, x[first].sum()])

    seen = statistics(ranks)
    rest = len(first) * (n - len(first))
    scales = np.array([np.sqrt(squares * (numbers @ numbers)), squares * len(pairs) / n, rest / 2])
    effects = np.divide(seen, scales, out=np.zeros(3), where=scales > 0)
    chances = _chances(ranks, np.abs(seen), statistics) if squares else np.ones(3)
    return [
        Answer(name, float(effect), float(chance) if scale or not squares else None)
        for name, effect, chance, scale in zip(
            (TREND, LAG_1, FIRST), effects, chances, scales, strict=True
        )
    ]


def _chosen(starts: npt.NDArray[np.bool_]) -> Numbers:
    """Which latencies are looked at, ascending. ``starts``: those that are the first of a batch."""
    n = len(starts)
    if n <= MOST:
        return np.arange(n)
    begins = np.linspace(0, n - _STRETCH, MOST // _STRETCH).astype(np.int64)
    first = np.flatnonzero(starts)
    some = np.linspace(0, len(first) - 1, min(len(first), _FIRSTS)).astype(np.int64)
    return np.union1d((begins[:, None] + np.arange(_STRETCH)).ravel(), first[some])


def _chances(ranks: Ranks, seen: Ranks, statistics: Callable[[Ranks], Ranks]) -> Ranks:
    """Chances of statistics as far from 0 as those that were seen, shape (3,)."""
    generator = np.random.default_rng(0)
    limit = seen * (1 - 1e-9)  # equal but for rounding is as extreme
    extreme, tried = np.zeros(3), 0
    while tried < SHUFFLES and extreme.min() < _ENOUGH:
        extreme += np.abs(statistics(generator.permutation(ranks))) >= limit
        tried += 1
    return (extreme + 1) / (tried + 1)


def _centred_ranks(values: Numbers) -> Ranks:
    """Ranks of mean 0; equal values share the middle of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middles[place] - (len(values) + 1) / 2, np.float64)
