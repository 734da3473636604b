"""The curves of a distribution, as reports, cards and the window draw them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from irqscope.analysis.stats import OPEN, Distribution

Values = npt.NDArray[np.float64]
#: Where a logarithmic axis of counts begins: half of one stimulus, so that a single one is seen.
LEAST_COUNT = 0.5


def tail(distribution: Distribution) -> tuple[Values, Values]:
    """Latencies, ticks, ascending, and how many stimuli took at least as long; both shape (n,).

    The last entry ends the curve: after the longest latency only those without an answer are left,
    or none. Latencies that are not known are not drawn.
    """
    ticks, counts = distribution.at_least()
    if not len(ticks):
        return np.empty(0), np.empty(0)
    visible = ticks > 0
    open_ended = (
        (distribution.upper == OPEN) & (distribution.lower == ticks[-1]) & (distribution.counts > 0)
    )
    left = counts[-1] if open_ended.any() else 0
    ends = np.append(ticks[visible], ticks[-1]), np.append(counts[visible], left)
    return ends[0].astype(np.float64), ends[1].astype(np.float64)


def steps(distribution: Distribution) -> tuple[Values, Values]:
    """Edges of a histogram's bars, ticks, shape (n + 1,), and their counts, shape (n,).

    Gaps between bins become empty bars; unbounded bins have no bar. No edge is
    0, which a logarithmic axis has not.
    """
    inside = (distribution.upper != OPEN) & (
        distribution.upper >= np.maximum(distribution.lower, 1)
    )
    lower, upper = np.maximum(distribution.lower[inside], 1), distribution.upper[inside] + 1
    counts = distribution.counts[inside]
    if not len(lower):
        return np.array([0.0, 1.0]), np.array([0.0])
    order = np.argsort(lower)
    edges = [float(lower[order[0]]) - 0.5]
    heights: list[float] = []
    for place in order.tolist():
        if lower[place] - 0.5 > edges[-1]:
            edges.append(float(lower[place]) - 0.5)
            heights.append(0.0)
        edges.append(float(upper[place]) - 0.5)
        heights.append(float(counts[place]))
    return np.array(edges), np.array(heights)
