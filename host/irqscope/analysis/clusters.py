"""Whether the longest latencies come in clusters: by the times between exceedances.

If latencies are alike and independent, those above a threshold lie anywhere in the run, and the
gaps between them follow. Moran's statistic, the sum of the logarithms of the gaps, is smaller where
they cluster. It is compared with that of places by chance, for several thresholds at once.

The extremal index, the inverse of their mean size, gives the size of clusters: by the intervals
estimator, or, if that fails, by the runs estimator.

References:
    P. A. P. Moran, The random division of an interval, part II, J. R. Stat. Soc. B 13 (1951).
    C. A. T. Ferro and J. Segers, Inference for clusters of extreme values, J. R. Stat. Soc. B 65
    (2003).
    R. L. Smith and I. Weissman, Estimating the extremal index, J. R. Stat. Soc. B 56 (1994).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from irqscope.analysis.longones import draws, sets_of

Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

#: Fewest gaps that the intervals estimator is asked about.
_TELLING = 10
#: Runs end at a gap of this share of the mean one.
_RUN = 0.1


@dataclass(frozen=True)
class Clustering:
    """Whether the longest latencies cluster.

    Attributes:
        p: Chance of such short gaps if latencies are alike and independent.
        size: Mean size of a cluster, stimuli.
        longest: Number of latencies above the threshold that shows it best.
    """

    p: float
    size: float
    longest: int


def clustering(latencies: Numbers, orders: int) -> Clustering | None:
    """Test whether the longest latencies cluster, or return None without rare long ones.

    Args:
        latencies: Shape (n,), ticks, in the order of the stimuli.
        orders: Number of places by chance that are tried.
    """
    n = len(latencies)
    sets = sets_of(latencies)
    if not sets:
        return None
    by_chance = np.stack([_moran(rows, n) for rows in draws(n, [len(s) for s in sets], orders)])
    observed = np.array([_moran(one[None], n)[0] for one in sets])
    mean, deviation = by_chance.mean(1), by_chance.std(1)
    scores = (by_chance - mean[:, None]) / deviation[:, None]
    z_scores = (observed - mean) / deviation
    best = int(np.argmax(z_scores))
    reached = (scores.max(0) >= z_scores[best] * (1 - 1e-9)).sum()
    longest = sets[best]
    return Clustering(
        float((1 + reached) / (orders + 1)), 1 / extremal_index(longest, n), len(longest)
    )


def extremal_index(places: Numbers, n: int) -> float:
    """Return the extremal index of exceedances, from 0 (one cluster) to 1 (each by itself).

    Args:
        places: Ascending stimulus numbers of the exceedances, at least one.
        n: Number of stimuli.
    """
    gaps = np.diff(places).astype(np.float64)
    if len(gaps) >= _TELLING and gaps.max() > 2:
        # Ferro and Segers, equation (5): moments of times that may be zero within a cluster.
        top, bottom = 2 * (gaps - 1).sum() ** 2, len(gaps) * ((gaps - 1) * (gaps - 2)).sum()
        if bottom > 0:
            return float(min(1.0, top / bottom))
    run = max(1.0, _RUN * n / len(places))
    return float((1 + (gaps > run).sum()) / len(places))


def _moran(rows: Numbers, n: int) -> Floats:
    """Moran's statistic of each row of ascending places, the ends of the run included."""
    ends = np.full((len(rows), 1), -1), np.full((len(rows), 1), n)
    gaps = np.diff(np.hstack([ends[0], rows, ends[1]]), axis=1)
    return np.asarray(-np.log(gaps).sum(1), np.float64)
