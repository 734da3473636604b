"""The bounded series of latencies: the drawing shows the data, at any zoom."""

from __future__ import annotations

import numpy as np
import pytest

from irqscope_app.plots.trace import BUCKET, SINGLY, Trace


def filled(n, pieces=7, capacity=1 << 20, seed=1, singly=SINGLY):
    generator = np.random.default_rng(seed)
    time = np.sort(generator.random(n)) * 10
    latency = generator.integers(50, 5000, n).astype(np.uint32)
    trace = Trace(capacity, singly)
    for part_time, part in zip(
        np.array_split(time, pieces), np.array_split(latency, pieces), strict=True
    ):
        trace.append(part_time, part)
    return trace, time, latency


@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000, 40_000])
@pytest.mark.parametrize("singly", [0, SINGLY])
def test_no_extreme_is_lost_at_any_zoom(n, singly):
    trace, time, latency = filled(n, singly=singly)
    for begin, end in ((0, 10), (2.5, 2.6), (2.6, 2.5), (9, 20), (-5, 0.01)):
        inside = latency[(time >= begin) & (time <= end)]
        extremes = trace.extremes(begin, end)
        assert (extremes is None) is (len(inside) == 0)
        if extremes is not None:
            # A bucket that reaches over the border may show a neighbour, never hide one.
            assert extremes[0] <= inside.min() and extremes[1] >= inside.max()
            assert not singly or extremes == (inside.min(), inside.max())


def test_when_full_the_older_half_falls_out_and_is_counted():
    capacity = 64 * BUCKET
    trace, time, latency = filled(3 * capacity + 17, pieces=11, capacity=capacity)
    assert len(trace) + trace.dropped == len(time)
    assert capacity // 2 <= len(trace) <= capacity
    assert (trace.between(-1, 20) == latency[trace.dropped :]).all()
    assert trace.span == (time[trace.dropped], time[-1])
    remaining = latency[trace.dropped :]
    assert trace.extremes(-1, 20) == (remaining.min(), remaining.max())


def test_more_than_fits_at_once():
    capacity = 4 * BUCKET
    trace, _, latency = filled(10 * capacity, pieces=1, capacity=capacity)
    remaining = trace.between(-1, 20)
    assert (remaining == latency[-len(remaining) :]).all()


def test_numbers_of_latencies_hold_when_some_fall_out():
    capacity = 4 * BUCKET
    trace, time, latency = filled(capacity, pieces=1, capacity=capacity)
    first, last = trace.places(time[10], time[200])
    assert (trace.copy(first, last) == latency[10:201]).all()
    trace.append(np.array([11.0]), np.array([7], np.uint32))
    assert trace.dropped == 2 * BUCKET
    assert (trace.copy(first, last) == latency[2 * BUCKET : 201]).all()
    assert (trace.times(first, last) == time[2 * BUCKET : 201]).all()
