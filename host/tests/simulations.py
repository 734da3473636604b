"""How often intervals, bounds and tests are wrong where the truth is known.

``python host/tests/simulations.py`` prints the rates that docs/measured.md states; the tests run
the same with fewer repeats. Every rate has its own seed, so it comes out the same every time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from irqscope.analysis import independence, stats

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


def _longer(generator: np.random.Generator, chances: npt.NDArray[np.floating[Any]]) -> Ticks:
    """Three values; each latency is a tick longer with its chance, shape (n,)."""
    n = len(chances)
    return _phases(generator, n) + (generator.random(n) < chances)


def _periodic(period: float, width: float, chance: float) -> Maker:
    """``width`` stimuli of every ``period`` are a tick longer with that chance."""

    def make(generator: np.random.Generator, n: int) -> Ticks:
        phase = (np.arange(n) + generator.random() * period) % period
        return _longer(generator, chance * (phase < width))

    return make


def _beat(generator: np.random.Generator, n: int) -> Ticks:
    """Interrupts every 203 us delay what comes within 8 us: stimuli every 5 ms, in turn or not."""
    phase = (np.arange(n) * 5000 + generator.random() * 203) % 203
    return np.where(phase < 8, 130, _phases(generator, n)).astype(np.int64)


def _rarely_long(generator: np.random.Generator, n: int) -> Ticks:
    """Every 60th is long."""
    return np.where(np.arange(n) % 60 == 30, 178, _phases(generator, n)).astype(np.int64)


def _memory(correlation: float) -> Maker:
    """Whole ticks of an autoregression of order 1."""

    def make(generator: np.random.Generator, n: int) -> Ticks:
        steps = generator.normal(0, np.sqrt(1 - correlation**2), n)
        for place in range(1, n):
            steps[place] += correlation * steps[place - 1]
        return np.round(90 + steps).astype(np.int64)

    return make


def _drift(generator: np.random.Generator, n: int) -> Ticks:
    return _longer(generator, 0.35 * np.arange(n) / n)


def _regime(begin: float, end: float, chance: float) -> Maker:
    """From one share of the run to another, latencies are a tick longer with that chance."""

    def make(generator: np.random.Generator, n: int) -> Ticks:
        place = np.arange(n) / n
        return _longer(generator, chance * ((place >= begin) & (place < end)))

    return make


def _cold(chance: float) -> Maker:
    """The first of each of six batches is long with that chance."""

    def make(generator: np.random.Generator, n: int) -> Ticks:
        values = _phases(generator, n)
        first = values[:: n // 6]
        first[generator.random(len(first)) < chance] = 178
        return values

    return make


NOT_ALIKE: dict[str, Maker] = {
    "every 2nd a tick longer, 1 in 4": _periodic(2, 1, 0.25),
    "every 8th a tick longer, 3 in 5": _periodic(8, 1, 0.6),
    "every 19th a tick longer": _periodic(19, 1, 1),
    "every 60th long": _rarely_long,
    "4 of every 24.6, 1 in 2": _periodic(24.63, 4, 0.5),
    "half of every 300, 1 in 4": _periodic(300, 150, 0.25),
    "a beat of 5 ms and 203 us": _beat,
    "AR(1), 0.1": _memory(0.1),
    "AR(1), 0.2": _memory(0.2),
    "AR(1), 0.4": _memory(0.4),
    "a drift, 0 to 35 %": _drift,
    "from the middle on, 1 in 4": _regime(0.5, 1, 0.25),
    "the middle third, 1 in 4": _regime(1 / 3, 2 / 3, 0.25),
    "one tenth, 1 in 2": _regime(0.6, 0.7, 0.5),
    "the first of 6 batches cold": _cold(1),
    "each first cold with 1 in 2": _cold(0.5),
}


def alarms(make: Maker, n: int, repeats: int) -> dict[str, float]:
    """Share of runs of six batches in which each test fails, and in which any does."""
    generator = np.random.default_rng([n, repeats])
    counts = dict.fromkeys((*independence.TESTS, "any"), 0)
    for _ in range(repeats):
        starts = np.arange(n) % (n // 6) == 0
        answers = independence.examine(make(generator, n), starts)
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
    names = ", ".join((*independence.TESTS, "any"))
    print(f"alarms, %, of {repeats // 2} runs that are alike: {names}; at most 1")
    for name, make in ALIKE.items():
        for n in (60, 240, 2400):
            _print(f"{name}, N = {n}", alarms(make, n, repeats // 2))
    print(f"found, %, of {repeats // 40} runs that are not alike, by the same tests")
    for name, make in NOT_ALIKE.items():
        for n in (240, 2400, 24_000):
            _print(f"{name}, N = {n}", alarms(make, n, repeats // 40))


def _print(what: str, rates: dict[str, float]) -> None:
    print(f"  {what:58}", *(f"{100 * rate:6.1f}" for rate in rates.values()), flush=True)


if __name__ == "__main__":
    main()
