"""Sets of the longest latencies of a run: those above a threshold, for several thresholds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

#: Most latencies of a set, and fewest.
MOST, FEWEST = 512, 3
#: A set has at most this share of all.
_SHARE = 4


def sets_of(latencies: Numbers, fewest: int = FEWEST) -> list[Numbers]:
    """Return the places of the longest latencies, ascending, the smallest set first.

    Each set holds all latencies above a threshold, and at least twice as many as the set before, as
    far as ties allow. Without rare long ones the list is empty.

    Args:
        latencies: Shape (n,), ticks, in the order of the stimuli.
        fewest: Smallest size of a set.
    """
    order = np.argsort(-latencies, kind="stable")
    ranked = latencies[order]
    ends = np.flatnonzero(ranked[1:] < ranked[:-1]) + 1  # sizes at which no tie is cut
    sizes, limit = list[int](), min(MOST, len(latencies) // _SHARE)
    for size in ends[(ends >= fewest) & (ends <= limit)].tolist():
        if len(sizes) > 1 and size < 2 * sizes[-2]:
            sizes[-1] = size  # so that the last one of a doubling stays
        else:
            sizes.append(size)
    return [np.sort(order[:size]) for size in sizes]


def draws(n: int, sizes: list[int], number: int) -> list[Numbers]:
    """Return sets of the same sizes by chance, for each size an array of shape (number, size).

    Each row of a larger set holds that of a smaller one. The same every time.
    """
    generator = np.random.default_rng(0)
    largest = max(sizes)
    rows = np.stack([generator.choice(n, largest, replace=False) for _ in range(number)])
    return [np.sort(rows[:, :size], axis=1) for size in sizes]
