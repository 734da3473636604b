"""Tests of the claim that latencies are alike and independent, and their error rates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import simulations
from scipy.stats import mannwhitneyu, permutation_test, spearmanr

from irqscope.acquire.figures import in_order
from irqscope.analysis import independence
from irqscope.analysis.clusters import clustering, extremal_index
from irqscope.analysis.independence import (
    CLUSTERS,
    ECHO,
    FIRST,
    INTERFERENCE,
    PERIODIC,
    SERIAL,
    SPREAD,
    TESTS,
    TREND,
    examine,
)
from irqscope.results.stimuli import State, Stimulus
from irqscope.results.tables import sample_rows

#: Latencies that runs on the twin gave, ticks; the first line says which.
KEPT = Path(__file__).parent / "latencies"


def some(n=600, batch=50, seed=1):
    """Three values, and which are the first of a batch."""
    return np.random.default_rng(seed).integers(89, 92, n), np.arange(n) % batch == 0


def kept(name):
    """Latencies that a run gave, ticks."""
    numbers = (KEPT / f"{name}.txt").read_text().split("\n", 1)[1]
    return np.array(numbers.split(), np.int64)


def asked(values, batch):
    """Answers by test, of batches of so many."""
    return {a.test: a for a in examine(values, np.arange(len(values)) % batch == 0)}


def failing(values, batch):
    return {name for name, answer in asked(values, batch).items() if answer.fails}


# ---- what runs gave ----------------------------------------------------------------------------


def test_a_yield_that_depends_on_the_eighth_before_is_found():
    """The core's state comes again with the timer tick; lag 1 alone shows nothing."""
    values = kept("switch-yield")
    answers = asked(values, len(values))
    assert answers[SERIAL].fails and answers[SERIAL].at == 8
    assert answers[SERIAL].effect == pytest.approx(0.755, abs=0.01)
    assert answers[FIRST].untestable == "one batch" and not answers[FIRST].fails


@pytest.mark.parametrize("n", [240, 2400])
def test_a_beat_of_background_interrupts_is_found_in_few_and_in_many(n):
    """Stimuli every 5 ms meet interrupts every 203 us in the same phase after 19 and 30."""
    values = kept("t4-36")[:n]
    assert {SERIAL, PERIODIC} <= failing(values, 400)


def test_one_cold_answer_of_one_batch_is_neither_alike_nor_found():
    """Any order of 239 equal latencies and another one has a chance of 1 in 240."""
    values = np.full(240, 80)
    values[0] = 172
    answers = asked(values, 240)
    assert not failing(values, 240)
    untestable = {test: answers[test].untestable for test in TESTS}
    assert untestable.pop(FIRST) == "one batch"
    few = "too few long ones, or too many that are equally long"
    assert {untestable.pop(CLUSTERS), untestable.pop(INTERFERENCE)} == {few}
    assert set(untestable.values()) == {"all but 1 are equal"}
    assert failing(np.tile(values, 6), 240) >= {FIRST}


# ---- the statistics ----------------------------------------------------------------------------


def test_effects_are_those_of_scipy():
    values, begins = some()
    trend, _, _, first, *_ = examine(values, begins)
    number = np.arange(len(values))
    assert trend.effect == pytest.approx(spearmanr(number, values).statistic)
    u = mannwhitneyu(values[begins], values[~begins]).statistic
    assert first.effect == pytest.approx(2 * u / (begins.sum() * (~begins).sum()) - 1)


def test_correlations_with_lag_and_wave_are_those_by_definition():
    n = 600
    number = np.arange(n)
    wave = np.cos(2 * np.pi * number / 15 + 1)
    values = np.round(20 * wave + np.random.default_rng(3).normal(0, 10, n)).astype(np.int64)
    answers = asked(values, 50)
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    assert answers[PERIODIC].at == pytest.approx(15, rel=0.01)
    assert answers[PERIODIC].effect == pytest.approx(np.corrcoef(ranks, wave)[0, 1], abs=0.01)
    lag = int(answers[SERIAL].at)
    assert answers[SERIAL].effect == pytest.approx(
        np.corrcoef(ranks[:-lag], ranks[lag:])[0, 1], abs=0.02
    )


def test_chances_are_those_of_scipys_permutations():
    values, begins = some(seed=7)
    values = np.sort(values)[np.argsort(np.random.default_rng(2).normal(np.arange(600), 900))]
    answers = {answer.test: answer for answer in examine(values, begins)}
    number, lags = np.arange(600), np.arange(1, 151)

    def portmanteau(x):
        x = x - x.mean()
        auto = np.correlate(x, x, "full")[600:750] * (600 / (600 - lags)) / (x @ x)
        return np.sum(auto**2 * (600 - lags) / np.sqrt(lags))

    for test, statistic, alternative in (
        (TREND, lambda x: np.corrcoef(x, number)[0, 1], "two-sided"),
        (SERIAL, portmanteau, "greater"),
    ):
        reference = permutation_test(
            (values,), statistic, permutation_type="pairings", n_resamples=999,
            alternative=alternative, rng=3,
        )  # fmt: skip
        assert answers[test].p == pytest.approx(reference.pvalue, abs=0.06)


# ---- how often it is wrong ---------------------------------------------------------------------


@pytest.mark.parametrize("runs", [80, pytest.param(300, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", simulations.ALIKE)
def test_false_alarms_keep_to_the_level(name, runs):
    """At most 1 % of the runs and three standard deviations, whatever is tied."""
    rates = simulations.alarms(simulations.ALIKE[name], 240, runs)
    assert rates["any"] <= independence.LEVEL + 3 * np.sqrt(independence.LEVEL / runs)


@pytest.mark.parametrize(
    ("name", "tests"),
    [
        ("a drift, 0 to 35 %", {TREND}),
        ("AR(1), 0.2", {SERIAL}),
        ("a beat of 5 ms and 203 us", {SERIAL}),
        ("from the middle on, 1 in 4", {TREND}),
        ("the first of 6 batches cold", {FIRST}),
    ],
)
def test_what_is_not_alike_is_named(name, tests):
    rates = simulations.alarms(simulations.NOT_ALIKE[name], 2400, 4)
    assert {test: rates[test] for test in tests} == dict.fromkeys(tests, 1)


def test_what_would_show_shows_in_four_of_five():
    """A memory that is a little weaker than stated, 50 times."""
    generator = np.random.default_rng(4)
    shows = asked(simulations.ALIKE["no two equal"](generator, 600), 100)[SERIAL].shows
    rates = simulations.alarms(simulations.NOT_ALIKE["AR(1), 0.2"], 600, 50)
    assert 0.2 < shows < 0.26
    assert rates[SERIAL] == pytest.approx(0.5, abs=0.25)


def test_two_cold_firsts_among_thousands_are_seen():
    """Case in which a normal approximation of Mann and Whitney's statistic would miss it."""
    values, begins = some(2400, 1200)
    values[[0, 1200]] = 178
    answer = asked(values, 1200)[FIRST]
    assert answer.fails and answer.effect > 0.99
    usual = mannwhitneyu(values[begins], values[~begins], method="asymptotic")
    assert usual.pvalue > independence.LEVEL / len(TESTS)


def test_one_pair_of_neighbours_among_ten_rare_ones_is_no_alarm():
    """Where a normal approximation would cry wolf: the chance of such a pair is 4 %."""
    values = np.full(2400, 90)
    values[[100, 101, 303, 580, 811, 1160, 1207, 1633, 1902, 2311]] = 178
    assert not failing(values, 2400)


# ---- the longest ---------------------------------------------------------------------------


def test_five_long_ones_in_a_row_are_a_cluster():
    values, _ = some(2400, 2400)
    values[700:705] = 400
    answer = asked(values, 2400)[CLUSTERS]
    assert answer.fails and answer.longest == 5 and answer.at == 5
    values, _ = some(2400, 2400)
    values[[3, 700, 1200, 1800, 2300]] = 400
    answer = asked(values, 2400)[CLUSTERS]
    assert not answer.fails and answer.at == 1


def test_long_ones_in_pairs_are_clusters_though_no_rank_shows_it():
    values = np.random.default_rng(3).integers(89, 92, 2400)
    for begin in np.arange(40, 2400, 118) + np.random.default_rng(4).integers(0, 100, 20):
        values[begin : begin + 2] = 400
    failed = failing(values, 2400)
    assert CLUSTERS in failed and TREND not in failed


def test_the_extremal_index_is_that_of_maxima_of_neighbours():
    """Of maxima of k neighbours it is 1 / k (Ferro and Segers, example 1)."""
    noise = np.random.default_rng(2).random(20_003)
    for k in (1, 2, 4):
        values = np.max([noise[i : i + 20_000] for i in range(k)], axis=0)
        longest = np.sort(np.argsort(-values)[:400])
        assert extremal_index(longest, 20_000) == pytest.approx(1 / k, abs=0.12)
    clusters = clustering((noise[:2400] * 1e9).astype(np.int64), 199)
    assert clusters.p > 0.01 and clusters.size == pytest.approx(1, abs=0.3)


def test_a_spread_that_changes_is_found_though_no_level_does():
    values = simulations.NOT_ALIKE["spread by blocks of 50"](np.random.default_rng(1), 2400)
    failed = failing(values, 2400)
    assert SPREAD in failed and not failed & {TREND, SERIAL, FIRST}


def test_a_copy_of_long_before_is_an_echo():
    values = simulations.NOT_ALIKE["a copy from lag 900, 1 in 2"](np.random.default_rng(1), 2400)
    answer = asked(values, 2400)[ECHO]
    assert answer.fails and answer.at == 900


@pytest.mark.parametrize(
    ("name", "lengths"),
    [
        ("10.7 stimuli, dithered", {10.7}),
        ("81.3 stimuli, dithered", {81.3}),
        ("0.37 stimuli, dithered", {0.37}),
        ("10.7 and 7.31 stimuli, dithered", {10.7, 7.31}),
    ],
)
def test_the_period_of_an_interference_is_named(name, lengths):
    values, times = simulations.INTERFERED[name].make(np.random.default_rng(5), 2400)
    answer = independence.examine_interference(values, times)
    assert answer.fails and answer.effect > 0.5
    found = [one.length / simulations.Interfered.EACH for one in answer.periods]
    for length in lengths:
        assert min(abs(one / length - 1) for one in found) < 0.005
    assert answer.periods[0].p < 1e-4


@pytest.mark.parametrize("name", ["none", "none, locked"])
def test_without_an_interference_no_period_is_named(name):
    failed, _ = simulations.interference(simulations.INTERFERED[name], 600, 60)
    assert failed <= 1 / 60


@pytest.mark.parametrize("dither", [0, 50])
@pytest.mark.parametrize("rise", [8 * np.arange(600) // 600, 8 * (np.arange(600) > 420)])
def test_a_drift_has_no_period_shorter_than_the_run(rise, dither):
    """Stimuli that come regularly are all in phase at their own frequency, which shows nothing."""
    rng = np.random.default_rng(7)
    times = np.arange(600) * 1_250_000 + rng.integers(0, dither + 1, 600)
    answer = independence.examine_interference(80 + rng.poisson(3, 600) + rise, times)
    assert answer.fails and [one.length for one in answer.periods] == [times[-1] - times[0]]


def test_a_sampling_grid_of_the_instrument_is_no_dependence():
    """A line of a fixed period meets the grid's phases in turn; each adds its own ticks."""
    rng = np.random.default_rng(6)
    n = 2400
    phases = np.arange(n) * 3 % 5
    values = rng.integers(89, 92, n) + phases
    starts = np.arange(n) == 0
    assert {a.test for a in examine(values, starts) if a.fails} >= {SERIAL, PERIODIC}
    assert not [a.test for a in examine(values, starts, phases) if a.fails]


def test_the_fast_verdict_is_the_same():
    rng = np.random.default_rng(8)
    for name in ("AR(1), 0.2", "clusters of 5, 1 in 2000", "spread by blocks of 50"):
        values = simulations.NOT_ALIKE[name](rng, 600)
        starts = np.arange(600) % 100 == 0
        whole = [answer.test for answer in examine(values, starts) if answer.fails]
        assert sorted(independence.failing(values, starts)) == sorted(whole)


# ---- where nothing can be told -----------------------------------------------------------------


def test_nothing_is_said_of_too_few():
    values, begins = some(independence.LEAST - 1)
    assert examine(values, begins) == []
    answers = examine(*some(independence.LEAST))
    assert [answer.test for answer in answers] == list(TESTS)
    assert answers[0].shows < 0.5


def test_of_equal_latencies_nothing_is_told():
    answers = examine(np.full(100, 90), np.arange(100) % 10 == 0)
    assert [(a.effect, a.p, a.fails) for a in answers] == [(0, 1, False)] * len(TESTS)
    assert {a.untestable for a in answers} == {"all are equal"}


@pytest.mark.parametrize(
    ("batch", "why"),
    [
        (240, "one batch"),
        (60, "4 batches, 240 stimuli"),
        (1, "240 batches, 240 stimuli"),
        (40, None),
    ],
)
def test_the_first_of_too_few_batches_tells_nothing(batch, why):
    assert asked(some(240)[0], batch)[FIRST].untestable == why


# ---- of many -----------------------------------------------------------------------------------


@pytest.mark.parametrize("test", [TREND, SERIAL, PERIODIC, FIRST])
def test_of_a_long_run_stretches_and_first_ones_are_looked_at(test):
    """A hundred thousand: an effect that goes through all of it shows in the part."""
    n = 100_000
    generator = np.random.default_rng(5)
    values, number = generator.integers(89, 92, n), np.arange(n)
    if test == TREND:
        values = values + (generator.random(n) < 0.3 * number / n)
    elif test == SERIAL:
        values[1::2] = values[::2]
    elif test == PERIODIC:
        values = values + (number * 5000 % 203 < 40)
    else:
        values[::400] = 178
    failed = failing(values, 400)
    assert test in failed
    assert not failed & ({TREND, FIRST} - {test})


@pytest.mark.parametrize("lag", [8, 30, 300])
def test_long_lags_show_in_a_long_run(lag):
    pairs, _ = some(96_000)
    pairs = pairs.reshape(-1, 2, lag)
    pairs[:, 1] = pairs[:, 0]
    answer = asked(pairs.ravel(), 1000)[SERIAL]
    assert answer.fails and answer.at == lag


def test_the_first_of_a_batch_is_its_first_stimulus_not_the_first_that_was_served():
    merged, slow, usual = Stimulus(0, State.COALESCED), Stimulus(9), Stimulus(20, State.SERVED, 90)

    def ordered(channel, places, stimuli):
        rows = sample_rows(channel, 0, 0, places, stimuli)
        samples = in_order(rows, 3, 500, {0: (1000, 0)})
        assert (samples.edges - samples.times == 1000).all()
        return [samples.latencies.tolist(), samples.starts.tolist()]

    assert ordered(3, [0, 1, 2], [merged, slow, usual]) == [[501, 90], [False, False]]
    assert ordered(3, [0, 1], [slow, usual]) == [[501, 90], [True, False]]
    assert ordered(3, [None, None], [slow, usual]) == [[501, 90], [False, False]]
    assert ordered(2, [0, 1], [slow, usual]) == [[], []]  # of another channel


def rows_of_the_manual(head):
    """Cells of the table of docs/measured.md that begins with a line, by their first one."""
    page = (Path(__file__).parents[2] / "docs" / "measured.md").read_text()
    table = page.split(f"{head}\n")[1].split("\n\n")[0].splitlines()[1:]
    cells = ([cell.strip() for cell in line.strip("| ").split("|")] for line in table)
    return {first: others for first, *others in cells}


@pytest.mark.soak
@pytest.mark.parametrize("name", simulations.DEPENDENT)
def test_coverage_is_what_the_manual_says(name):
    """The seeds are fixed, so the figures are equal."""
    head = (
        "| latencies | printed | bound, a cluster once | bound of each | interval of p50 |"
        " interval of p99 |"
    )
    rates = simulations.printed(simulations.DEPENDENT[name], 2400, 100)
    counts = (rates.clusters, rates.each, rates.median, rates.p99)
    percentages = [
        rates.printed,
        *(100 * count / rates.printed for count in counts if rates.printed),
    ]
    written = [f"{one:.1f}" for one in percentages]
    assert rows_of_the_manual(head)[name] == written + ["–"] * (5 - len(written))


@pytest.mark.soak
@pytest.mark.parametrize("name", simulations.INTERFERED)
def test_periods_are_named_as_often_as_the_manual_says(name):
    rates = simulations.interference(simulations.INTERFERED[name], 2400, 50)
    (fails, named) = (f"{100 * one:.1f}" for one in rates)
    rows = rows_of_the_manual("| a disturbance every | test fails | named |")
    assert rows[name] == [fails, "–" if name.startswith("none") else named]


@pytest.mark.soak
@pytest.mark.parametrize("name", simulations.NOT_ALIKE)
def test_what_is_not_alike_is_found_as_often_as_the_manual_says(name):
    rates = [simulations.alarms(simulations.NOT_ALIKE[name], n, 50)["any"] for n in (240, 2400)]
    rows = rows_of_the_manual("| not alike | N = 240 | N = 2400 |")
    assert rows[name] == [f"{100 * rate:.1f}" for rate in rates]


@pytest.mark.soak
@pytest.mark.parametrize("name", simulations.ALIKE)
def test_false_alarms_are_as_rare_as_the_manual_says(name):
    runs = {60: 500, 240: 500, 2400: 100}
    rates = [
        simulations.alarms(simulations.ALIKE[name], n, many)["any"] for n, many in runs.items()
    ]
    rows = rows_of_the_manual("| latencies | N = 60 | N = 240 | N = 2400 |")
    assert rows[name] == [f"{100 * rate:.1f}" for rate in rates]


def test_the_manual_has_a_row_for_each_simulation():
    not_alike = rows_of_the_manual("| not alike | N = 240 | N = 2400 |")
    assert list(not_alike) == list(simulations.NOT_ALIKE)
    periods = rows_of_the_manual("| a disturbance every | test fails | named |")
    assert list(periods) == list(simulations.INTERFERED)
