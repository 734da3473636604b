"""Error rates of the tail page, from samples whose truth is known.

``python host/tests/tail_simulations.py [RUNS]`` prints what docs/measured.md states: how often a
fit of the first 10,000 stimuli is refused, and how often its interval holds the truth. Every row
has its own seed, so it comes out the same every time.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from irqscope.analysis import stats
from irqscope.report import tail

Numbers = npt.NDArray[np.int64]
Draw = Callable[[np.random.Generator, int], Numbers]
#: All stimuli that are foretold.
ALL = 10**8


def generalised(shape: float, scale: float) -> Draw:
    """80 to 82 ticks, and of one in twenty an excess over 82 that is generalised Pareto."""

    def draw(generator: np.random.Generator, n: int) -> Numbers:
        actual = generator.integers(80, 83, n)
        above = generator.random(n) < 0.05
        chance = 1 - generator.random(int(above.sum()))
        excess = -np.log(chance) if shape == 0 else (chance**-shape - 1) / shape
        actual[above] = 82 + np.ceil(scale * excess)
        return actual

    return draw


def truth(shape: float, scale: float, share: float) -> int:
    """Latency that ``share`` of these exceed, whole ticks upwards."""
    ratio = 0.05 / share
    excess = math.log(ratio) if shape == 0 else (ratio**shape - 1) / shape
    return 82 + math.ceil(scale * excess - 1e-9)


def steps(generator: np.random.Generator, n: int) -> Numbers:
    """80 ticks, and 12 lines that each cost 25 more with a chance of 4 %."""
    return 80 + 25 * generator.binomial(12, 0.04, n)


def two_kinds(generator: np.random.Generator, n: int) -> Numbers:
    """An exponential tail, and one in 150 that is 300 to 400 longer."""
    actual = generalised(0.0, 6.0)(generator, n)
    return actual + generator.integers(300, 400, n) * (generator.random(n) < 1 / 150)


def foretold(generator: np.random.Generator, draw: Draw) -> tail.Tail:
    """The tail as predicted from the first ones only, however many there are."""
    first = draw(generator, tail.FIRST)
    many = stats.of_samples(first)
    whole = stats.Distribution(many.lower, many.upper, many.counts * (ALL // tail.FIRST))
    return tail.foretell(first, np.zeros(len(first), np.bool_), whole)


def main() -> None:
    """Prints all rates."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(f"of {runs} runs, %: refused; the interval holds the truth at 1 in 10^4, 10^6, 10^8")
    for shape, scale in ((-0.2, 40.0), (0.0, 12.0), (0.2, 10.0)):
        generator = np.random.default_rng([runs, round(10 * shape + 10)])
        refused, held = 0, dict.fromkeys((1e-4, 1e-6, 1e-8), 0)
        for _ in range(runs):
            actual = foretold(generator, generalised(shape, scale))
            refused += bool(actual.refused)
            for row in actual.rows:
                if (share := float(f"{row.share:.0e}")) in held and row.fitted is not None:
                    _, low, high = row.fitted
                    held[share] += low <= truth(shape, scale, share) <= high
        reported = " ".join(f"{100 * count / runs:6.1f}" for count in (refused, *held.values()))
        print(f"  generalised Pareto, shape {shape:4.1f}, scale {scale:g}: {reported}")
    for name, draw in (("steps", steps), ("two kinds of long ones", two_kinds)):
        generator = np.random.default_rng([runs, len(name)])
        refused = sum(bool(foretold(generator, draw).refused) for _ in range(runs))
        print(f"  {name}: {100 * refused / runs:6.1f}")


if __name__ == "__main__":
    main()
