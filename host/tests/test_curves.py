"""The curves that reports, cards and the window draw."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from irqscope.analysis.stats import of_histogram
from irqscope.results import curves


def test_bars_stand_around_the_latencies_of_their_bins():
    expected = of_histogram([3, 0, 2], origin=100, width=4)
    edges, counts = curves.steps(expected)
    assert edges.tolist() == [99.5, 103.5, 107.5, 111.5]
    assert counts.tolist() == [3, 0, 2]


@given(
    bins=st.lists(st.integers(0, 5), min_size=1, max_size=12),
    origin=st.integers(1, 60),
    width=st.sampled_from([1, 2, 8]),
    underflow=st.integers(0, 3),
    overflow=st.integers(0, 3),
)
def test_each_stimulus_with_two_ends_is_in_a_bar(bins, origin, width, underflow, overflow):
    expected = of_histogram(
        bins,
        origin=origin,
        width=width,
        underflow=underflow if origin > 1 else 0,
        overflow=overflow,
    ).censored(1000, 2, 1)
    edges, counts = curves.steps(expected)
    assert counts.sum() == sum(bins) + (underflow if origin > 1 else 0)
    assert np.all(np.diff(edges) > 0) and len(edges) == len(counts) + 1
    assert edges[0] > 0 or not counts.sum()
