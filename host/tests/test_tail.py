"""The tail page: predictions from the first stimuli, compared with draws whose truth is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from irqscope_fake.folder import rewrite
from tail_simulations import generalised, steps, truth, two_kinds
from test_cli import one_line

from irqscope.analysis import pareto, stats
from irqscope.report import tail
from irqscope.results.reader import read

FIRST, ALL = 10_000, 400_000


@pytest.fixture(autouse=True)
def fewer_draws(monkeypatch):
    """The rates of error are not what is tested here."""
    monkeypatch.setattr(pareto, "DRAWS", 100)


def foretold(draw, seed: int = 3, n: int = ALL) -> tail.Tail:
    latencies = draw(np.random.default_rng(seed), n)
    return tail.foretell(latencies[:FIRST], np.zeros(FIRST, bool), stats.of_samples(latencies))


@pytest.mark.parametrize(("shape", "scale"), [(0.0, 12.0), (-0.2, 40.0), (0.2, 10.0)])
def test_a_tail_of_the_fitted_kind_is_foretold_and_not_refused(shape, scale):
    prediction = foretold(generalised(shape, scale))
    assert prediction.refused == ()
    assert prediction.fit.shape == pytest.approx(shape, abs=0.15)
    assert prediction.fit.scale == pytest.approx(scale, rel=0.2)
    assert [row.share for row in prediction.rows] == [1e-3, 1e-4, 1e-5]
    for row in prediction.rows:
        value, low, high = row.fitted
        assert low <= value <= high and 0.95 * low <= truth(shape, scale, row.share)
        assert truth(shape, scale, row.share) <= 1.05 * high
        assert row.verdict in ("holds", "not decided")
    assert (prediction.fit.end is None) == (prediction.fit.shape >= 0)


@pytest.mark.parametrize(
    ("shape", "scale"), [(0.0, 12.0), (1e-7, 40.0), (-0.1, 40.0), (0.2, 0.6), (0.9, 300.0)]
)
def test_newtons_method_finds_the_fit_that_nelder_and_mead_find(shape, scale):
    chance = np.random.default_rng(4).random(500)
    exact = scale * (np.expm1(-shape * np.log(chance)) / shape if shape else -np.log(chance))
    rounded = np.ceil(exact)
    values, counts = np.unique(rounded, return_counts=True)
    start = np.array([np.log(rounded.mean()), 0.05])
    fit = pareto.by_newton(values, counts, start)
    slow = pareto.by_simplex(values, counts, start)
    assert fit == pytest.approx(slow, abs=3e-5)
    lowest, less = (pareto.unlikely(values, counts, one) for one in (fit, slow))
    assert lowest <= less + 1e-9


def test_a_fit_that_ends_at_the_longest_latency_is_left_to_nelder_and_mead():
    """There the likelihood has a kink, and no slope of 0."""
    values, counts, start = np.arange(1.0, 101), np.ones(100, np.int64), np.array([4.0, 0.05])
    assert pareto.by_newton(values, counts, start) is None
    scale, shape = pareto.by_simplex(values, counts, start)
    assert np.exp(scale) / -shape == pytest.approx(100, rel=0.01)


def test_order_statistics_bound_what_their_number_carries_and_no_more():
    prediction = foretold(generalised(0.0, 12.0), n=1_000_000)
    first, *deeper = prediction.rows
    assert first.bound[0] <= first.seen.value[0] <= first.bound[1]
    for row in deeper:
        assert row.bound[1] is None
    assert deeper[-1].bound[0] == prediction.longest
    assert prediction.longer / prediction.n <= prediction.at_most == pytest.approx(3.0e-4, rel=0.01)


def test_latencies_in_steps_are_no_tail_for_a_fit():
    prediction = foretold(steps)
    assert any(
        "different values: steps, and no continuous tail" in why for why in prediction.refused
    )


def test_two_kinds_of_long_ones_are_refused_or_missed_never_confirmed():
    """A latency once in 5,000 does not occur among the first; one once in 150 bends the fit."""
    usual = generalised(0.0, 6.0)

    def seldom(generator, n):
        longer = (generator.random(n) < 1 / 5_000) & (np.arange(n) >= FIRST)
        return usual(generator, n) + 400 * longer

    prediction = foretold(seldom)
    assert prediction.refused == ()
    assert [row.verdict for row in prediction.rows][-2:] == ["too short", "too short"]

    assert foretold(two_kinds).refused


def test_latencies_that_drift_refuse_the_fit():
    usual = generalised(0.0, 12.0)

    def draw(generator, n):
        return usual(generator, n) + np.arange(n) * 40 // n + np.minimum(np.arange(n) // 500, 20)

    assert "not alike and independent (trend" in foretold(draw).refused[0]


def test_no_spread_at_all_has_no_fit_and_still_a_page():
    prediction = foretold(lambda generator, n: np.full(n, 81))
    assert prediction.fit is None and prediction.refused
    assert all(row.fitted is None and row.verdict == "" for row in prediction.rows)


# ---- of run folders --------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    """Hundreds in place of ten thousand; a fit of them is refused for their number."""
    monkeypatch.setattr(tail, "FIRST", 200)
    monkeypatch.setattr(tail, "TIMES", 5)
    monkeypatch.setattr(pareto, "DRAWS", 20)


@pytest.fixture
def parts(irqscope, experiment, board, tmp_path):
    """Folders of runs with seeds 1, 2, ...; their first stimuli are kept."""

    def run(*counts, **faults):
        folders = []
        for seed, count in enumerate(counts, 1):
            folders.append(tmp_path / f"seed-{seed}")
            arguments = ("--target", board(**faults).port, "--count", count, "--seed", seed)
            file = experiment(('samples = "all"', 'samples = "first 200"'))
            assert irqscope("run", file, *arguments, "--out", folders[-1])[0] == 0
        return folders

    return run


def test_a_merged_run_has_the_first_samples_of_its_first_part(small, irqscope, parts, tmp_path):
    folders, out = parts(600, 500), tmp_path / "all"
    code, _, err = irqscope("merge", *folders, "--out", out)
    assert code == 0, err
    whole = read(out)
    assert whole.changed == () and whole.run.valid
    assert whole.samples().equals(read(folders[0]).samples()) and len(whole.samples()) == 200
    assert [(p.name, p.seed, p.stimuli) for p in whole.run.parts] == [
        ("seed-1", 1, 600),
        ("seed-2", 2, 500),
    ]
    merged = tail.of_run(whole)
    assert (merged.first, merged.n) == (200, 1100)
    code, output, _ = irqscope("tail", out, "--json")
    assert code == 0 and json.loads(output)["longest"] == merged.longest
    code, output, _ = irqscope("tail", out)
    assert code == 0 and "longer: 1 in" in output and "the fit is refused: " in output
    assert "by the first 200 stimuli, seen in all 1,100" in " ".join(output.split())
    page = (out / "report.html").read_text()
    assert "Tail, foretold and seen" in page and "seen in all 1,100." in page
    assert "Tail, foretold and seen" not in (folders[0] / "report.html").read_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "600 stimuli; from 1000 on the first 200 are compared with them"),
        (
            lambda run: run["experiment"].update(samples="none"),
            'its first stimuli are not kept; write samples = "first 200"',
        ),
        (lambda run: run.update(counters=[], stats=[], valid=False), "no batch ended"),
    ],
)
def test_a_run_that_foretells_nothing_says_why(small, irqscope, parts, change, said):
    (folder,) = parts(600)
    if change is not None:
        rewrite(folder, change)
    code, _, err = irqscope("tail", folder)
    assert code == 2 and one_line(err).endswith(f"{folder}: {said}")


def test_a_first_stimulus_without_an_answer_is_named(small, irqscope, parts):
    (folder,) = parts(1200, silent_every=50)
    code, _, err = irqscope("tail", folder)
    assert code == 2 and "4 of its first 200 were not answered" in one_line(err)
