"""What says that latencies are alike and independent, or not, and how often it is wrong."""

from __future__ import annotations

import numpy as np
import pytest
import simulations
from scipy.stats import mannwhitneyu, permutation_test, spearmanr

from irqscope import independence
from irqscope.figures import in_order
from irqscope.independence import FIRST, LAG_1, TREND, examine
from irqscope.results.tables import sample_rows
from irqscope.stimuli import State, Stimulus

TESTS = (TREND, LAG_1, FIRST)


def some(n=600, batch=50, seed=1):
    """Three values, and which are the first of a batch."""
    return np.random.default_rng(seed).integers(89, 92, n), np.arange(n) % batch == 0


def test_effects_are_those_of_scipy():
    values, begins = some()
    trend, _, first = examine(values, begins)
    number = np.arange(len(values))
    assert trend.effect == pytest.approx(spearmanr(number, values).statistic)
    u = mannwhitneyu(values[begins], values[~begins]).statistic
    assert first.effect == pytest.approx(2 * u / (begins.sum() * (~begins).sum()) - 1)


def test_chances_are_those_of_scipys_permutations():
    values, begins = some(seed=7)
    values = np.sort(values)[np.argsort(np.random.default_rng(2).normal(np.arange(600), 900))]
    trend, lag, _ = examine(values, begins)
    number = np.arange(len(values))
    for answer, statistic in (
        (trend, lambda x: np.corrcoef(x, number)[0, 1]),
        (lag, lambda x: np.corrcoef(x[:-1], x[1:])[0, 1]),
    ):
        theirs = permutation_test(
            (values,), statistic, permutation_type="pairings", n_resamples=999, rng=3
        )
        assert answer.p == pytest.approx(theirs.pvalue, abs=0.06)


@pytest.mark.parametrize("name", simulations.ALIKE)
def test_false_alarms_keep_to_the_level(name):
    """At most 1 % of 300 runs and three standard deviations, whatever is tied."""
    rates = simulations.alarms(simulations.ALIKE[name], 240, 300, batch=20)
    assert rates["any"] <= independence.LEVEL + 3 * np.sqrt(independence.LEVEL / 300)


@pytest.mark.parametrize("name", simulations.NOT_ALIKE)
def test_what_is_not_alike_is_named(name):
    test, make = simulations.NOT_ALIKE[name]
    assert simulations.alarms(make, 2400, 20)[test] == 1


def test_two_cold_firsts_among_thousands_are_seen():
    """Where a normal approximation of Mann and Whitney's statistic would not tell."""
    values, begins = some(2400, 1200)
    values[[0, 1200]] = 178
    answers = {answer.test: answer for answer in examine(values, begins)}
    assert answers[FIRST].fails and answers[FIRST].effect > 0.99
    usual = mannwhitneyu(values[begins], values[~begins], method="asymptotic")
    assert usual.pvalue > independence.LEVEL / 3


def test_one_pair_of_neighbours_among_ten_rare_ones_is_no_alarm():
    """Where a normal approximation would cry wolf: the chance of such a pair is 4 %."""
    values = np.full(2400, 90)
    values[[100, 101, *range(300, 2300, 250)]] = 178
    assert not any(answer.fails for answer in examine(values, np.arange(2400) == 0))


def test_nothing_is_said_of_too_few():
    values, begins = some(independence.LEAST - 1)
    assert examine(values, begins) == []
    assert len(examine(*some(independence.LEAST))) == 3
    assert independence.detectable(independence.LEAST) < 0.5


def test_equal_latencies_are_alike():
    answers = examine(np.full(100, 90), np.arange(100) % 10 == 0)
    assert [(a.effect, a.p, a.fails) for a in answers] == [(0, 1, False)] * 3


def test_batches_of_one_have_no_first():
    values, _ = some(100)
    assert [answer.p is None for answer in examine(values, np.ones(100, bool))] == [
        False,
        False,
        True,
    ]


@pytest.mark.parametrize("test", TESTS)
def test_of_a_long_run_stretches_and_first_ones_are_looked_at(test):
    """A hundred thousand: an effect that goes through all of it shows in the part."""
    n = 100_000
    generator = np.random.default_rng(5)
    values, begins = generator.integers(89, 92, n), np.arange(n) % 400 == 0
    if test == TREND:
        values = values + (generator.random(n) < 0.3 * np.arange(n) / n)
    elif test == LAG_1:
        values[1::2] = values[::2]
    else:
        values[::400] = 178
    answers = {answer.test: answer for answer in examine(values, begins)}
    assert [name for name in TESTS if answers[name].fails] == [test]
    assert independence.detectable(n) == independence.detectable(independence.MOST)


def test_the_first_of_a_batch_is_its_first_stimulus_not_the_first_that_was_served():
    merged, slow, usual = Stimulus(0, State.COALESCED), Stimulus(9), Stimulus(20, State.SERVED, 90)

    def ordered(channel, places, stimuli):
        rows = sample_rows(channel, 0, None, places, stimuli)
        return [found.tolist() for found in in_order(rows, 3, timeout=500)]

    assert ordered(3, [0, 1, 2], [merged, slow, usual]) == [[501, 90], [False, False]]
    assert ordered(3, [0, 1], [slow, usual]) == [[501, 90], [True, False]]
    assert ordered(3, [None, None], [slow, usual]) == [[501, 90], [False, False]]
    assert ordered(2, [0, 1], [slow, usual]) == [[], []]  # of another channel
