from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
import simulations
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from irqscope.analysis import stats
from irqscope.analysis.stats import of_histogram, of_samples

pytestmark = pytest.mark.quick

latencies = st.lists(st.integers(0, 300), min_size=1, max_size=400)


def test_intervals_of_2400_samples():
    """For N = 2400, p99 lies between the 35th and the 15th largest, p99.9 has no upper end."""
    ranks = of_samples(np.arange(1, 2401))
    p99 = ranks.quantile(0.99)
    assert (p99.exact, p99.lower, p99.upper) == (2376, 2400 - 34, 2400 - 14)
    p999 = ranks.quantile(0.999)
    assert (p999.exact, p999.lower, p999.upper) == (None, 2400 - 6, None)
    expected = "N too small for p99.9, 7 s of target time more"
    assert stats.too_small(p999, 0.005) == expected
    assert stats.too_small(p99, 0.005) is None


def test_the_bound_on_what_exceeds_the_maximum():
    expected = {50: 0.058, 200: 0.015, 848: 0.0035, 2400: 0.00125, 6000: 0.0005, 2_000_000: 1.5e-6}
    for n, share in expected.items():
        assert stats.share_longer(n) == (0, pytest.approx(share, rel=0.03))
    assert stats.share_longer(0) == (0, 1)


@given(st.integers(1, 10**6), st.data())
def test_bounds_of_a_share_are_those_of_clopper_and_pearson(n, data):
    """At each bound, the observed count or a worse one has a chance of 5 %."""
    longer = data.draw(st.integers(0, n))
    lower, upper = stats.share_longer(n, longer)
    assert 0 <= lower <= longer / n <= upper <= 1
    assert lower == 0 if longer == 0 else binom.sf(longer - 1, n, lower) == pytest.approx(0.05)
    assert upper == 1 if longer == n else binom.cdf(longer, n, upper) == pytest.approx(0.05)


def test_what_is_not_known_counts_for_the_worse_at_each_end():
    assert stats.share_longer(2400, 120, 30) == (
        stats.share_longer(2400, 120)[0],
        stats.share_longer(2400, 150)[1],
    )
    assert stats.share_longer(10, 0, 10) == (0, 1)


@pytest.mark.parametrize("censoring", simulations.CENSORINGS, ids=lambda c: c.name)
def test_bounds_and_intervals_cover_the_truth_as_often_as_they_say(censoring):
    """In 200 runs, less three standard deviations: 95 % of each bound, 97.5 % of each end."""
    coverage = simulations.coverage(censoring, 2400, 0.99, 200)
    assert coverage.runs == 200
    assert min(coverage.upper, coverage.lower) >= 190 - 9
    assert min(coverage.above, coverage.below) >= 195 - 7


def test_leaving_out_what_coalesced_would_be_seen():
    """The same simulation finds the bound that takes unanswered stimuli for absent ones wrong."""
    longest = next(c for c in simulations.CENSORINGS if c.name == "2 % coalesced, the longest")
    coverage = simulations.coverage(longest, 2400, 0.99, 50, counts_unknown=False)
    assert coverage.upper < 5 and coverage.above < 5


def test_intervals_that_hold_at_once_are_wider():
    assert stats.at_once(1) == stats.CONFIDENCE
    expected = of_samples(np.arange(2400))
    alone, among = expected.quantile(0.9), expected.quantile(0.9, stats.at_once(10))
    assert among.lower < alone.lower <= alone.upper < among.upper
    assert stats.needed(0.99, stats.at_once(10)) > stats.needed(0.99)


@pytest.mark.parametrize("p", stats.QUANTILES)
def test_needed_is_the_least_n_that_bounds_the_interval(p):
    n = stats.needed(p)
    assert of_samples(np.arange(n)).quantile(p).upper is not None
    assert of_samples(np.arange(n)).quantile(p).lower is not None
    reduced = of_samples(np.arange(n - 1)).quantile(p)
    assert reduced.upper is None or reduced.lower is None
    assert reduced.missing == 1


@given(st.integers(1, 10**8), st.sampled_from(stats.QUANTILES))
def test_ranks_are_those_of_the_binomial_distribution(n, p):
    tail = (1 - stats.CONFIDENCE) / 2
    low, high = int(binom.ppf(tail, n, p)), int(binom.ppf(1 - tail, n, p)) + 1
    lower, upper = alone(low, n).quantile(p).lower, alone(high, n).quantile(p).upper
    assert lower == (RANK if low else None) and upper == (RANK if high <= n else None)


#: A latency, ticks.
RANK = 2


def alone(rank, n):
    """N latencies, of which only that of one rank is ``RANK``."""
    rank = min(max(rank, 1), n)
    ticks = np.array([RANK - 1, RANK, RANK + 1])
    return stats.Distribution(ticks, ticks, np.array([rank - 1, 1, n - rank]))


@given(latencies, st.sampled_from(stats.QUANTILES))
def test_a_quantile_is_a_sample_and_lies_in_its_interval(values, p):
    quantile = of_samples(values).quantile(p)
    value = sorted(values)[math.ceil(p * len(values)) - 1]
    assert quantile.value == (value, value)
    assert quantile.lower is None or quantile.lower in values and quantile.lower <= value
    assert quantile.upper is None or quantile.upper in values and quantile.upper >= value


@given(latencies, st.integers(0, 4), st.integers(0, 50), st.sampled_from(stats.QUANTILES))
def test_a_histogram_contains_what_the_samples_say(values, shift, origin, p):
    width, bins = 1 << shift, 16
    values = np.array(values)
    counts = np.bincount(np.clip((values - origin) // width, -1, bins) + 1, minlength=bins + 2)
    histogram = of_histogram(
        counts[1:-1], origin=origin, width=width, underflow=counts[0], overflow=counts[-1]
    )
    rough, exact = histogram.quantile(p), of_samples(values).quantile(p)
    low, high = rough.value
    assert low <= exact.value[0] and (high is None or exact.value[0] <= high)
    if exact.lower is not None:
        assert rough.lower <= exact.lower
    if exact.upper is not None and rough.upper is not None:
        assert rough.upper >= exact.upper
    if width == 1 and not counts[0] and not counts[-1]:
        assert rough == exact


def test_a_rank_in_the_overflow_bin_has_no_upper_end():
    quantile = of_histogram([0] * 8 + [1000], origin=0, width=4, overflow=4000).quantile(0.5)
    assert quantile.value == (36, None)
    assert quantile.exact is None and quantile.upper is None


def test_a_wide_bin_gives_an_interval():
    quantile = of_histogram([0, 5000], origin=100, width=8).quantile(0.5)
    assert quantile.value == (108, 115)
    assert (quantile.lower, quantile.upper) == (108, 115)
    assert quantile.exact is None


def test_timed_out_stimuli_are_longer_than_the_timeout_and_count():
    served = of_samples([50] * 900)
    censored = served.censored(1000, 100, 0)
    assert served.quantile(0.99).exact == 50
    late = censored.quantile(0.99)
    assert late.value == (1001, None)
    assert censored.longer_than(1000) == 100
    assert late.upper is None
    assert censored.quantile(0.5).exact == 50


def test_coalesced_stimuli_widen_both_ends():
    """Nothing is known of them: they may have been short or long."""
    quantile = of_samples([50] * 600 + [70] * 600).censored(1000, 0, 300).quantile(0.5)
    assert quantile.value == (50, 70)


def test_phase_coverage_counts_edges_modulo_five_ticks():
    assert stats.phase_coverage([0, 5, 11, 14, 14], 5) == [2, 1, 0, 0, 2]


def test_no_sample_has_no_quantile():
    with pytest.raises(ValueError, match="without a sample"):
        of_samples([]).quantile(0.5)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0005, "1 ms"),
        (1.5, "1500 ms"),
        (6.44, "7 s"),
        (119, "119 s"),
        (150, "3 min"),
        (9000, "3 h"),
    ],
)
def test_times_are_rounded_up(seconds, text):
    quantile = of_samples(np.arange(stats.needed(0.5) - 1)).quantile(0.5)
    expected = f"N too small for p50, {text} of target time more"
    assert quantile.missing == 1 and stats.too_small(quantile, seconds) == expected


def test_how_many_took_at_least_so_long_counts_those_without_an_answer():
    expected = of_samples([5, 7, 7, 9]).censored(7, 2, 0)
    ticks, counts = expected.at_least()
    assert dict(zip(ticks.tolist(), counts.tolist(), strict=True)) == {5: 6, 7: 5, 8: 3, 9: 1}
    assert [expected.longer_than(t) for t in (4, 5, 7, 8, 9)] == [6, 5, 3, 1, 0]


@given(st.lists(st.integers(0, 1 << 32), min_size=1, max_size=50))
def test_mean_and_deviation_are_those_of_the_values(values):
    moments = stats.moments(of_samples(values))
    assert moments.mean == pytest.approx(statistics.fmean(values))
    assert moments.deviation == pytest.approx(statistics.pstdev(values), abs=1e-6)


def test_what_is_not_known_to_the_tick_has_no_mean():
    expected = of_samples([4, 4, 8])
    assert stats.moments(expected.censored(100, 0, 0)) == stats.moments(expected)
    assert stats.moments(expected.censored(100, 1, 0)) is None
    assert stats.moments(expected.censored(100, 0, 1)) is None
    assert stats.moments(of_histogram([1, 1], origin=0, width=2)) is None
    assert stats.moments(of_samples([])) is None


def test_a_rate_counts_the_gaps_between_edges():
    assert stats.rate(5, 1000, 250) == 1.0
    assert stats.rate(1, 0, 250) is stats.rate(0, 0, 250) is None


def test_a_difference_is_claimed_only_where_the_intervals_are_apart():
    slow, fast = of_samples([60] * 400), of_samples([50] * 400)
    few = of_samples([50] * 3)
    wide = of_samples([50, 70] * 200)
    at = 0.5
    reported = stats.difference(fast.quantile(at), slow.quantile(at))
    assert (reported.lower, reported.upper, reported.verdict) == (10, 10, "slower")
    assert stats.difference(slow.quantile(at), fast.quantile(at)).verdict == "faster"
    assert stats.difference(slow.quantile(at), wide.quantile(at)).verdict == "no difference shown"
    assert stats.difference(slow.quantile(at), slow.quantile(at)).verdict == "equal"
    assert "N too small" in stats.difference(slow.quantile(at), few.quantile(at)).verdict
