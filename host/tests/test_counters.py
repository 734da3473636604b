"""Gateware, histogram and samples must agree on the same latencies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irqscope.acquire.counters import (
    Counters,
    histogram_against_counters,
    samples_against_extremes,
    samples_against_histogram,
)
from irqscope.analysis import stats
from irqscope.constants import HIST_BINS

LATENCIES = st.lists(st.integers(5, 20_000), min_size=1, max_size=40)
BINS = st.fixed_dictionaries(
    {
        "index": st.just(0),
        "hist_origin": st.integers(0, 3000),
        "hist_shift": st.integers(0, 4),
    }
)


def counters_of(latencies: list[int], channel: dict[str, int]) -> tuple[Counters, np.ndarray]:
    """Counts them as the gateware does."""
    bins = [t - channel["hist_origin"] >> channel["hist_shift"] for t in latencies]
    inside = [place for place in bins if 0 <= place < HIST_BINS]
    histogram = np.bincount(inside, minlength=HIST_BINS).astype(np.uint64)
    counters = Counters(0, min_ticks=min(latencies), max_ticks=max(latencies))
    counters.counters |= {
        "served": len(latencies),
        "sum_ticks": sum(latencies),
        "underflow": sum(place < 0 for place in bins),
        "overflow": sum(place >= HIST_BINS for place in bins),
    }
    return counters, histogram


def differences(latencies, counters, histogram, channel, *, complete=True):
    samples = stats.of_counts({t: latencies.count(t) for t in latencies})
    return [
        *histogram_against_counters(histogram, channel, counters),
        *samples_against_extremes(samples, counters, complete=complete),
        *samples_against_histogram(samples, histogram, channel, counters, complete=complete),
    ]


@given(LATENCIES, BINS, st.integers(1, 40))
def test_what_is_counted_alike_agrees(latencies, channel, kept):
    counters, histogram = counters_of(latencies, channel)
    assert not differences(latencies, counters, histogram, channel)
    assert not differences(latencies[:kept], counters, histogram, channel, complete=False)


@pytest.mark.parametrize("name", ["min_ticks", "max_ticks", "sum_ticks"])
@given(LATENCIES, BINS, st.integers(-5000, 5000).filter(bool))
def test_any_other_figure_is_seen(name, latencies, channel, more):
    counters, histogram = counters_of(latencies, channel)
    if name == "sum_ticks":
        counters.counters[name] += more
    else:
        setattr(counters, name, getattr(counters, name) + more)
    assert differences(latencies, counters, histogram, channel)


@given(LATENCIES, st.integers(1, 5000))
def test_a_sum_that_no_bins_allow_is_seen_without_samples(latencies, more):
    """Bins of a tick know it exactly."""
    channel = {"index": 0, "hist_origin": 0, "hist_shift": 0}
    counters, histogram = counters_of([t % HIST_BINS for t in latencies], channel)
    counters.counters["sum_ticks"] += more
    assert any(histogram_against_counters(histogram, channel, counters))


@given(LATENCIES, BINS, st.data())
def test_a_bin_that_was_not_fetched_is_seen(latencies, channel, data):
    """Also where no sample was kept."""
    counters, histogram = counters_of(latencies, channel)
    held = np.flatnonzero(histogram)
    if len(held):
        histogram[data.draw(st.sampled_from(held.tolist()))] -= np.uint64(1)
        assert any(histogram_against_counters(histogram, channel, counters))
