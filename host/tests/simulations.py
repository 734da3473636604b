"""How often intervals, bounds and tests are wrong where the truth is known.

``python host/tests/simulations.py`` prints the rates that docs/measured.md states; the tests run
the same with fewer repeats. Every rate has its own seed, so it comes out the same every time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope import independence, stats

Ticks = npt.NDArray[np.int64]

#: Latencies as a run has them: three values, and a tail of one in fifty that is anything.
VALUES, CHANCES = (89, 90, 91), (0.2, 0.4, 0.38)
TAIL_FROM, TAIL_FOLD = 92, 60.0


def latencies(generator: np.random.Generator, n: int) -> Ticks:
    """Latencies of one run, alike and independent, ticks."""
    usual = generator.choice(VALUES, n, p=np.array(CHANCES) / sum(CHANCES))
    tail = TAIL_FROM + generator.geometric(1 / TAIL_FOLD, n) - 1
    return np.where(generator.random(n) < 1 - sum(CHANCES), tail, usual).astype(np.int64)


def share_longer(ticks: int) -> float:
    """True share of latencies longer than ``ticks``, which is at least 91."""
    return (1 - sum(CHANCES)) * (1 - 1 / TAIL_FOLD) ** (ticks - TAIL_FROM + 1)


def quantile(p: float) -> int:
    """True quantile: the least latency that a share of at least ``p`` does not exceed."""
    for value, share in zip(VALUES, np.cumsum(CHANCES), strict=True):
        if p <= share:
            return value
    return next(t for t in range(TAIL_FROM, 10**6) if share_longer(t) <= 1 - p)


@dataclass(frozen=True)
class Censoring:
    """What becomes of stimuli: those above ``timeout`` time out, some of all coalesce.

    ``coalesced``: share of the stimuli; ``longest``: these are the longest ones, not any.
    """

    name: str
    timeout: int
    coalesced: float = 0.0
    longest: bool = False

    def served(self, generator: np.random.Generator, run: Ticks) -> tuple[Ticks, int, int]:
        """Latencies that are known; how many timed out, and how many coalesced."""
        chance = generator.random(len(run))
        if self.longest:
            chance = np.argsort(np.argsort(-run, kind="stable"), kind="stable") / len(run)
        known = run[chance >= self.coalesced]
        served = known[known <= self.timeout]
        return served, len(known) - len(served), len(run) - len(known)


CENSORINGS = (
    Censoring("none", 10**6),
    Censoring("timed out above 125 ticks", 125),
    Censoring("2 % coalesced at random", 10**6, 0.02),
    Censoring("2 % coalesced, the longest", 10**6, 0.02, longest=True),
    Censoring("both, at random", 125, 0.02),
    Censoring("both, the longest coalesced", 125, 0.005, longest=True),
)


@dataclass
class Coverage:
    """Shares of runs in which the truth lay on the right side."""

    runs: int = 0
    upper: int = 0  #: of the share's upper bound
    lower: int = 0
    above: int = 0  #: the quantile's upper end is not below the truth
    below: int = 0


def coverage(
    censoring: Censoring, n: int, p: float, repeats: int, *, counts_unknown: bool = True
) -> Coverage:
    """Coverage of the bounds of the share that is longer, and of the interval of quantile ``p``.

    ``counts_unknown`` False: as if what coalesced had never been: what must go wrong.
    """
    generator = np.random.default_rng([n, repeats])
    found = Coverage()
    for _ in range(repeats):
        served, timed_out, coalesced = censoring.served(generator, latencies(generator, n))
        if not counts_unknown:
            coalesced = 0
        known = stats.of_samples(served).censored(censoring.timeout, timed_out, coalesced)
        limit = censoring.timeout if timed_out else int(served.max())
        lower, upper = stats.share_longer(known.n, timed_out, coalesced)
        told, truth = known.quantile(p), quantile(p)
        found.runs += 1
        found.upper += upper >= share_longer(limit)
        found.lower += lower <= share_longer(limit)
        found.above += told.upper is None or told.upper >= truth
        found.below += told.lower is None or told.lower <= truth
    return found


# ---- alike and independent? ----------------------------------------------------------------------

Maker = Callable[[np.random.Generator, int], Ticks]


def _phases(generator: np.random.Generator, n: int) -> Ticks:
    return generator.choice([89, 90, 91], n).astype(np.int64)


def _rare(generator: np.random.Generator, n: int) -> Ticks:
    """Two values, the longer one six times in 2400."""
    return np.where(generator.random(n) < 6 / 2400, 178, 90).astype(np.int64)


def _continuous(generator: np.random.Generator, n: int) -> Ticks:
    return generator.integers(0, 10**9, n)


ALIKE: dict[str, Maker] = {
    "three values": _phases,
    "two values, one of them rare": _rare,
    "three values and a tail": latencies,
    "no two equal": _continuous,
}


def _drift(generator: np.random.Generator, n: int) -> Ticks:
    """The share of the longest value grows from a quarter to a half."""
    longest = generator.random(n) < 0.25 + 0.25 * np.arange(n) / n
    return np.where(longest, 91, generator.choice([89, 90], n)).astype(np.int64)


def _sticky(generator: np.random.Generator, n: int) -> Ticks:
    """One in six is as the one before."""
    values, again = _phases(generator, n), generator.random(n) < 1 / 6
    for place in range(1, n):
        if again[place]:
            values[place] = values[place - 1]
    return values


def _cold(generator: np.random.Generator, n: int) -> Ticks:
    """Every first one of a batch of 400 is long."""
    values = _phases(generator, n)
    values[::400] = 178
    return values


NOT_ALIKE: dict[str, tuple[str, Maker]] = {
    "a slow drift": (independence.TREND, _drift),
    "one in six as the one before": (independence.LAG_1, _sticky),
    "the first of each batch cold": (independence.FIRST, _cold),
}


def alarms(make: Maker, n: int, repeats: int, batch: int = 400) -> dict[str, float]:
    """Share of runs in which each test fails, and in which any does."""
    generator = np.random.default_rng([n, repeats])
    counts = dict.fromkeys((independence.TREND, independence.LAG_1, independence.FIRST, "any"), 0)
    for _ in range(repeats):
        answers = independence.examine(make(generator, n), np.arange(n) % batch == 0)
        failing = [answer.test for answer in answers if answer.fails]
        for name in failing:
            counts[name] += 1
        counts["any"] += bool(failing)
    return {name: count / repeats for name, count in counts.items()}


def main() -> None:
    """Prints all rates."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"coverage, %, of {repeats} runs of N = 2400 each: the upper and the lower bound of the")
    print("share that is longer, 95 % each; p99's upper and lower end, 97.5 % each")
    for censoring in CENSORINGS:
        found = coverage(censoring, 2400, 0.99, repeats)
        shares = (found.upper, found.lower, found.above, found.below)
        print(f"  {censoring.name:30}", *(f"{100 * s / found.runs:6.1f}" for s in shares))
    print(
        f"alarms, %, of {repeats} runs: trend, lag 1, first of batch, any; at most 1 % where alike"
    )
    for name, make in ALIKE.items():
        for n, batch in ((60, 10), (240, 40), (2400, 400), (2400, 4)):
            rates = alarms(make, n, repeats, batch).values()
            told = f"{name}, N = {n}, batches of {batch}"
            print(f"  {told:58}", *(f"{100 * rate:6.2f}" for rate in rates))
    for name, (_, make) in NOT_ALIKE.items():
        rates = alarms(make, 2400, max(1, repeats // 10)).values()
        print(f"  {f'{name}, N = 2400':58}", *(f"{100 * rate:6.2f}" for rate in rates))


if __name__ == "__main__":
    main()
