"""Counts of pixels: each is counted once, and a mark is three pixels wide and high."""

from __future__ import annotations

import numpy as np
import pytest

from irqscope_app.plots.density import Density, Grid, marks, painted
from irqscope_app.plots.trace import Trace


@pytest.fixture
def trace():
    """10,000 latencies of 0 to 999 ticks in 10 s."""
    generator = np.random.default_rng(3)
    filled = Trace(1 << 16)
    filled.append(
        np.sort(generator.random(10_000)) * 10,
        generator.integers(0, 1000, 10_000).astype(np.uint32),
    )
    return filled


def counted(trace, grid):
    moments, latencies = trace.times(0, len(trace)), trace.copy(0, len(trace))
    counts, _, _ = np.histogram2d(
        latencies,
        moments,
        (grid.rows, grid.columns),
        ((grid.low, grid.high), (grid.begin, grid.end)),
    )
    return counts


GRID = Grid(0.0, 16.0, 64, 0.0, 1024.0, 32)


@pytest.mark.parametrize("most", [700, 5000, 1 << 19])
def test_by_and_by_each_latency_is_counted_once(trace, most):
    density = Density()
    goes = 0
    while not density.complete or density.counts.sum() < len(trace):
        density.catch_up(trace, GRID, np.inf, most)
        goes += 1
        assert goes <= 1 + 10_000 // most
    assert (density.counts == counted(trace, GRID)).all()
    assert not density.catch_up(trace, GRID, np.inf, most)
    trace.append(np.array([11.0, 12.0]), np.array([5, 5], np.uint32))
    assert density.catch_up(trace, GRID, np.inf, most)
    assert (density.counts == counted(trace, GRID)).all()


def test_the_one_before_stays_until_another_is_counted(trace):
    density = Density()
    density.catch_up(trace, GRID, np.inf)
    other = Grid(2.0, 4.0, 64, 0.0, 1024.0, 32)
    assert not density.catch_up(trace, other, np.inf, 500)
    assert density.grid == GRID and not density.complete
    while not density.complete:
        density.catch_up(trace, other, np.inf, 500)
    assert density.counts.sum() == np.diff(trace.places(2.0, np.nextafter(4.0, 0)))[0]


def test_what_came_later_than_a_moment_is_left_out(trace):
    density = Density()
    density.catch_up(trace, GRID, 5.0)
    assert density.counts.sum() == trace.places(0.0, 5.0)[1]


def test_logarithmic_rows(trace):
    density = Density()
    density.catch_up(trace, Grid(0.0, 16.0, 8, -1.0, 3.0, 4, logarithmic=True), np.inf)
    latencies = trace.copy(0, len(trace))
    rows = [(latencies == 0).sum(), *np.histogram(latencies, (1, 10, 100, 1000))[0]]
    assert density.counts.sum(axis=1).tolist() == [int(row) for row in rows]


def test_a_mark_is_three_pixels_and_more_is_another_shade():
    counts = np.zeros((20, 20), np.int32)
    counts[5, 5], counts[12, 12], counts[0, 19] = 1, 50, 1
    wide = marks(counts)
    assert (wide > 0).sum() == 9 + 9 + 4
    shades = np.array([[10, 0, 0, 255], [20, 0, 0, 255], [30, 0, 0, 255]], np.uint8)
    pixels = painted(counts, shades)
    assert pixels[4, 6].tolist() == [10, 0, 0, 255] and pixels[13, 11].tolist() == [30, 0, 0, 255]
    assert (pixels[wide == 0] == 0).all()
