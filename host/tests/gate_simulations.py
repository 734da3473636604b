"""Error rates of a gate's tests, from samples whose truth is known.

``python host/tests/gate_simulations.py`` prints the rates that docs/ci.md states; the tests run
the same with fewer repeats. Every rate has its own seed, so it comes out the same every time.

Latencies are drawn as histograms, so that N costs nothing: three usual values and a tail of one in
fifty, or a path of a few cache misses, each of which comes or not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.analysis import exceedance, stats
from irqscope.analysis.stats import Distribution

Shares = npt.NDArray[np.float64]
QUANTILES = (0.5, 0.99, 0.999)
LEVEL, MARGIN, DETECT = 0.01, 0.01, 2.0
#: Ticks that any latency here stays below.
LONGEST = 2_000


def geometric() -> Shares:
    """Share of each tick: 89 to 91, and one in fifty from 92 on, fading with a scale of 60."""
    shares = np.zeros(LONGEST)
    shares[89:92] = np.array((0.2, 0.4, 0.38))
    tail = (1 / 60) * (1 - 1 / 60) ** np.arange(LONGEST - 92)
    shares[92:] += 0.02 * tail / tail.sum()
    return shares / shares.sum()


def misses() -> Shares:
    """Returns the share of each tick: 80, and 12 lines that may each cost 25 more.

    Each does with a chance of 4 %; all have a jitter of 0 to 4.
    """
    shares = np.zeros(LONGEST)
    lines = np.array([1.0])
    for _ in range(12):
        lines = np.convolve(lines, (0.96, 0.04))
    for count, share in enumerate(lines):
        shares[80 + 25 * count : 85 + 25 * count] += share / 5
    return shares


def quantile(shares: Shares, p: float) -> int:
    """True quantile, ticks."""
    return int(np.searchsorted(np.cumsum(shares), p - 1e-12))


def slower_tail(shares: Shares, p: float, share: float) -> Shares:
    """Moves quantile ``p`` and all longer latencies by ``share`` of it.

    Those between the median and it move in proportion.
    """
    middle, at = quantile(shares, 0.5), quantile(shares, p)
    moved = np.zeros_like(shares)
    for tick in np.flatnonzero(shares):
        part = 0.0 if tick <= middle else min(1.0, (tick - middle) / (at - middle))
        by = part * share * at
        low = int(np.floor(tick + by))
        moved[min(low, LONGEST - 1)] += shares[tick] * (1 - (tick + by - low))
        moved[min(low + 1, LONGEST - 1)] += shares[tick] * (tick + by - low)
    return moved


def draw(generator: np.random.Generator, shares: Shares, n: int) -> Distribution:
    """Latencies of one run."""
    counts = generator.multinomial(n, shares / shares.sum())
    ticks = np.flatnonzero(counts).astype(np.int64)
    return Distribution(ticks, ticks, counts[ticks].astype(np.int64))


@dataclass(frozen=True)
class Plan:
    """``runs`` of each side, of ``n`` each.

    ``between``: spread of the difference between runs, ticks.
    """

    n: int
    runs: int = 1
    between: float = 0.0


def fails(first: list[Distribution], second: list[Distribution]) -> bool:
    """Whether a gate of these two sides alone fails."""
    whole = stats.pooled(first), stats.pooled(second)
    if len(first) > 1:
        actual, level = exceedance.permuted(first, second, QUANTILES), LEVEL
    else:
        actual = [exceedance.precedence(*whole, p) for p in QUANTILES]
        level = LEVEL / len(QUANTILES)
    return any(
        one.chance <= level
        and one.threshold is not None
        and whole[1].quantile(one.p).value[0] > one.threshold * (1 + MARGIN)
        for one in actual
    )


def rate(
    old: Callable[[], Shares], new: Shares | None, plan: Plan, pairs: int, *, pool: bool = False
) -> float:
    """Share of pairs that fail.

    ``new`` is None for equal sides. ``pool``: whether runs count as one.
    """
    generator = np.random.default_rng([plan.n, plan.runs, pairs])
    before = old()
    alarms = 0
    for _ in range(pairs):
        sides = [
            [_shifted(generator, shares, plan) for _ in range(plan.runs)]
            for shares in (before, before if new is None else new)
        ]
        if pool:
            sides = [[stats.pooled(side)] for side in sides]
        alarms += fails(*sides)
    return alarms / pairs


def _shifted(generator: np.random.Generator, shares: Shares, plan: Plan) -> Distribution:
    by = max(-50, round(generator.normal(0, plan.between))) if plan.between else 0
    return draw(generator, np.roll(shares, by), plan.n)


def main() -> None:
    """Prints all rates."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(f"share of {pairs} pairs that fail, %; level 1 %, margin 1 %, p50, p99 and p99.9")
    print("both sides equal:")
    for name, shares in (("fading tail", geometric), ("misses", misses)):
        for plan in (
            Plan(10_000), Plan(100_000), Plan(1_000_000),
            Plan(20_000, 5), Plan(20_000, 5, 1.0), Plan(20_000, 5, 3.0),
        ):  # fmt: skip
            expected = f"{name}, {plan.runs} x {plan.n}, runs differ by {plan.between:g} ticks"
            print(f"  {expected:55} {100 * rate(shares, None, plan, pairs):6.1f}")
    plan = Plan(20_000, 5, 1.0)
    actual = rate(geometric, None, plan, pairs, pool=True)
    expected = "the same 5 x 20000 at 1 tick, taken for one run"
    print(f"  {expected:55} {100 * actual:6.1f}")
    print("p99.9 is 2 % longer:")
    for name, shares in (("fading tail", geometric), ("misses", misses)):
        new = slower_tail(shares(), 0.999, 0.02)
        for plan in (Plan(100_000), Plan(1_000_000), Plan(10_000_000), Plan(1_000_000, 5)):
            expected = f"{name}, {plan.runs} x {plan.n}"
            print(f"  {expected:55} {100 * rate(shares, new, plan, pairs):6.1f}")
    print("twice as many above p99.9, at the N that the gate asks for:")
    n = exceedance.needed(0.999, LEVEL / len(QUANTILES), DETECT)
    assert n is not None  # such a number is small
    doubled = geometric()
    at = quantile(doubled, 0.999)
    more = doubled[at + 1 :].sum()
    doubled[at + 1 :] *= 2
    doubled[: at + 1] *= (1 - 2 * more) / (1 - more)
    expected = f"fading tail, 1 x {n}"
    print(f"  {expected:55} {100 * rate(geometric, doubled, Plan(n), pairs):6.1f}")


if __name__ == "__main__":
    main()
