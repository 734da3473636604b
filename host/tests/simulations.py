"""Error rates of intervals, bounds and tests, from samples whose truth is known.

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
    """Decides the fate of stimuli: those above ``timeout`` time out, and some of all coalesce.

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
        expected = run[chance >= self.coalesced]
        served = expected[expected <= self.timeout]
        return served, len(expected) - len(served), len(run) - len(expected)


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

    ``counts_unknown`` False: ignores coalesced stimuli, which must give wrong results.
    """
    generator = np.random.default_rng([n, repeats])
    actual = Coverage()
    for _ in range(repeats):
        served, timed_out, coalesced = censoring.served(generator, latencies(generator, n))
        if not counts_unknown:
            coalesced = 0
        expected = stats.of_samples(served).censored(censoring.timeout, timed_out, coalesced)
        limit = censoring.timeout if timed_out else int(served.max())
        lower, upper = stats.share_longer(expected.n, timed_out, coalesced)
        reported, truth = expected.quantile(p), quantile(p)
        actual.runs += 1
        actual.upper += upper >= share_longer(limit)
        actual.lower += lower <= share_longer(limit)
        actual.above += reported.upper is None or reported.upper >= truth
        actual.below += reported.lower is None or reported.lower <= truth
    return actual


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
    """Lengthens latencies by a tick with the given chance, from one share of the run to another."""

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


def _clusters(size: int, rate: float) -> Maker:
    """Disturbances at a rate, each of which makes ``size`` stimuli in a row long."""

    def make(generator: np.random.Generator, n: int) -> Ticks:
        values, begins = latencies(generator, n), np.flatnonzero(generator.random(n) < rate)
        for begin in begins:
            end = min(begin + size, n)
            values[begin:end] = 400 + generator.geometric(1 / TAIL_FOLD, end - begin)
        return values

    return make


def _volatile(generator: np.random.Generator, n: int) -> Ticks:
    """Blocks of 50, every other one with an eighth of the spread."""
    wide = (np.arange(n) // 50 + generator.integers(2)) % 2 == 0
    return np.round(1000 + 80 * generator.normal(0, np.where(wide, 1, 1 / 8), n)).astype(np.int64)


def _echo(lag: int, share: float) -> Maker:
    """A share of the latencies repeats that of an earlier stimulus, at a fixed distance."""

    def make(generator: np.random.Generator, n: int) -> Ticks:
        values = latencies(generator, n + lag)
        copied = generator.random(n) < share
        for place in np.flatnonzero(copied):
            values[lag + place] = values[place]
        return values[lag:]

    return make


def _maxima(generator: np.random.Generator, n: int) -> Ticks:
    """Maxima of two neighbours: long ones come in pairs, extremal index 1/2."""
    values = latencies(generator, n + 1)
    return np.maximum(values[1:], values[:-1])


NOT_ALIKE |= {
    "clusters of 5, 1 in 2000": _clusters(5, 1 / 2000),
    "clusters of 20, 1 in 2000": _clusters(20, 1 / 2000),
    "maxima of two neighbours": _maxima,
    "spread by blocks of 50": _volatile,
    "a copy from lag 900, 1 in 2": _echo(900, 0.5),
}


@dataclass(frozen=True)
class Interfered:
    """Latencies that a periodic activity lengthens, and when their edges come.

    Attributes:
        periods: Of the activities, in stimuli.
        width: Time in which each lengthens what comes, in stimuli.
        dither: Time by which each stimulus comes later by chance, in stimuli.
    """

    periods: tuple[float, ...]
    width: float
    dither: float

    #: Ticks between two stimuli.
    EACH = 25_000

    def make(self, generator: np.random.Generator, n: int) -> tuple[Ticks, Ticks]:
        """Latencies and edges, ticks."""
        late = np.cumsum(generator.random(n) * self.dither * self.EACH)
        times = (np.arange(n) * self.EACH + late).astype(np.int64)
        values, width = latencies(generator, n), self.width * self.EACH
        for period in self.periods:
            length = period * self.EACH
            phase = (times + generator.random() * length) % length
            values += np.where(phase < width, (width - phase) / 2 + 20, 0).astype(np.int64)
        return values, times


INTERFERED = {
    "none": Interfered((), 0, 0.01),
    "none, locked": Interfered((), 0, 0),
    "10.7 stimuli, dithered": Interfered((10.7,), 0.08, 0.01),
    "10.7 stimuli, locked": Interfered((10.7,), 0.08, 0),
    "1.013 stimuli, locked": Interfered((1.013,), 0.08, 0),
    "0.37 stimuli, dithered": Interfered((0.37,), 0.03, 0.01),
    "81.3 stimuli, dithered": Interfered((81.3,), 0.5, 0.01),
    "10.7 and 7.31 stimuli, dithered": Interfered((10.7, 7.31), 0.08, 0.01),
}


def interference(kind: Interfered, n: int, repeats: int) -> tuple[float, float]:
    """Share of runs in which the test of periods fails, and in which it names one of them.

    Each has to be named within 1 %; of a locked line also a whole multiple, or a mirrored one.
    """
    generator = np.random.default_rng([n, repeats])
    actual = named = 0
    for _ in range(repeats):
        values, times = kind.make(generator, n)
        answers = independence.examine_interference(values, times)
        actual += answers.fails
        lengths = [one.length / kind.EACH for one in answers.periods]
        named += all(any(_alike(one, length, kind) for length in lengths) for one in kind.periods)
    return actual / repeats, named / repeats


def _alike(period: float, length: float, kind: Interfered) -> bool:
    """Whether a length is the period, or what stimuli show of it that are ``EACH`` ticks apart."""
    mirrored = abs(1 / period - round(1 / period))
    whole = period / length if kind.dither else length * mirrored
    near = abs(length - period) <= 0.01 * period or abs(length * mirrored - 1) <= 0.01
    return near or (not kind.dither and abs(whole - round(whole)) < 0.01)


#: Kinds of dependence whose intervals and bounds are looked at.
DEPENDENT: dict[str, Maker] = {
    "three values and a tail": latencies,
    **{
        name: NOT_ALIKE[name]
        for name in (
            "AR(1), 0.1",
            "AR(1), 0.4",
            "a drift, 0 to 35 %",
            "from the middle on, 1 in 4",
            "a beat of 5 ms and 203 us",
            "4 of every 24.6, 1 in 2",
            "clusters of 5, 1 in 2000",
            "clusters of 20, 1 in 2000",
            "maxima of two neighbours",
            "spread by blocks of 50",
            "a copy from lag 900, 1 in 2",
        )
    },
}


@dataclass
class Printed:
    """Counts printed intervals in ``runs`` simulations, and those that hold the truth."""

    runs: int = 0
    printed: int = 0
    clusters: int = 0  #: the bound, a cluster counted once
    each: int = 0  #: the bound, if it were of each stimulus
    median: int = 0  #: the interval of p50
    p99: int = 0


def printed(make: Maker, n: int, repeats: int) -> Printed:
    """Coverage of the bound and of two intervals in the runs whose tests do not fail."""
    generator = np.random.default_rng([n, repeats, 1])
    every = np.sort(np.concatenate([make(generator, n) for _ in range(400)]))
    started = np.sort(np.concatenate([_begins(make(generator, n)) for _ in range(400)]))
    actual = Printed()
    for _ in range(repeats):
        values = make(generator, n)
        actual.runs += 1
        if independence.failing(values, np.arange(n) % (n // 6) == 0):
            continue
        actual.printed += 1
        expected, maximum = stats.of_samples(values), int(values.max())
        _, upper = stats.share_longer(n)
        actual.each += upper >= (every > maximum).mean()
        actual.clusters += upper >= (started > maximum).sum() / (400 * n)
        for p, name in ((0.5, "median"), (0.99, "p99")):
            reported, truth = expected.quantile(p), every[int(np.ceil(p * len(every))) - 1]
            holds = (reported.lower or 0) <= truth and (
                reported.upper is None or reported.upper >= truth
            )
            setattr(actual, name, getattr(actual, name) + holds)
    return actual


def _begins(values: Ticks, apart: int = 30) -> Ticks:
    """The greatest of each cluster: long ones less than so many stimuli apart are of one."""
    stored = values.copy()
    for place in np.argsort(-values, kind="stable")[: len(values) // 20]:
        if stored[place] >= 0:
            around = slice(max(0, place - apart), place + apart + 1)
            smaller = stored[around] <= values[place]
            stored[around] = np.where(smaller, -1, stored[around])
            stored[place] = values[place]
    return stored


def alarms(make: Maker, n: int, repeats: int) -> dict[str, float]:
    """Share of runs of six batches in which each test fails, and in which any does."""
    generator = np.random.default_rng([n, repeats])
    counts = dict.fromkeys((*independence.TESTS, "any"), 0)
    for _ in range(repeats):
        starts = np.arange(n) % (n // 6) == 0
        failing = independence.failing(make(generator, n), starts)
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
        actual = coverage(censoring, 2400, 0.99, repeats)
        shares = (actual.upper, actual.lower, actual.above, actual.below)
        print(f"  {censoring.name:30}", *(f"{100 * s / actual.runs:6.1f}" for s in shares))
    names = ", ".join((*independence.TESTS, "any"))
    print(f"alarms, %, of {repeats // 4} runs that are alike, N = 2400: {repeats // 20}: {names}")
    for name, make in ALIKE.items():
        for n in (60, 240, 2400):
            _print(f"{name}, N = {n}", alarms(make, n, repeats // (20 if n == 2400 else 4)))
    print(f"found, %, of {repeats // 40} runs that are not alike, by the same tests")
    for name, make in NOT_ALIKE.items():
        for n in (240, 2400):
            _print(f"{name}, N = {n}", alarms(make, n, repeats // 40))
    print(f"periods, %, of {repeats // 40} runs of N = 2400: test fails, period named")
    for name, kind in INTERFERED.items():
        shares = interference(kind, 2400, repeats // 40)
        print(f"  {name:40}", *(f"{100 * share:6.1f}" for share in shares), flush=True)
    print(f"coverage, %, of {repeats // 20} runs of N = 2400: intervals and bounds are printed;")
    print("of these hold: bound of clusters, of each stimulus; interval of p50, of p99")
    for name, make in DEPENDENT.items():
        reported = printed(make, 2400, repeats // 20)
        counts = (reported.clusters, reported.each, reported.median, reported.p99)
        shares = [reported.printed / reported.runs, *(c / max(1, reported.printed) for c in counts)]
        print(f"  {name:40}", *(f"{100 * share:6.1f}" for share in shares), flush=True)


def _print(what: str, rates: dict[str, float]) -> None:
    print(f"  {what:50}", *(f"{100 * rate:6.1f}" for rate in rates.values()), flush=True)


if __name__ == "__main__":
    main()
