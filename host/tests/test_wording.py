"""Wording about stimuli without an answer, latencies that are not alike, and a model."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from irqscope_fake.firmware import FakeFirmware
from irqscope_fake.folder import rewrite

from irqscope.analysis.independence import TESTS
from irqscope.report import summary, table, wording
from irqscope.results.reader import read


@pytest.fixture
def rows(irqscope, experiment, board, tmp_path):
    """Measures and gives the table's first cells by row, and the record."""

    def run(*changes, count=400, samples="all", **faults):
        changes = (('samples = "all"', f'samples = "{samples}"'), *changes)
        out = tmp_path / "run"
        target = board(**faults).port
        arguments = ("--count", count, "--target", target, "--out", out)
        assert irqscope("run", experiment(*changes), *arguments)[0] == 0
        record = read(out).run
        return {row.name: row.cells[0] for row in summary.table(record)}, record

    return run


HZ = 249_975_000


def test_the_maximum_says_what_is_known_of_it(rows):
    actual, record = rows(silent_every=10, latency_ticks=60)
    assert actual["N"] == "400: 360 served, 40 timed out"
    assert actual["max"].startswith("more than 4 ms: 40 of 400 timed out; longest answered 240")
    # Every tenth is silent, which is found; were it by chance:
    assert "no bound on longer ones: not independent" in actual["max"]
    late = f"{record.stats[0].doubtful} of 360 served may have the answer of an earlier stimulus"
    # None of the silent ones was answered at last, so each served one after the first may be late.
    assert 340 <= record.stats[0].doubtful <= 360
    for row in ("min", "p50", "p99", "max"):
        assert actual[row].endswith(f"; {late}")
    stats = record.stats[0].model_copy(update={"independence": None, "doubtful": 0})
    # Clopper and Pearson, 40 of 400, 5 % at each end.
    assert wording.longer(stats) == "at least 7.6 % and at most 13 % are longer"
    assert actual["p50"].startswith("240 ns (60 ticks)")
    assert wording.quantile(record, stats, 0.99) == (
        "open: more than 4 ms, those timed out [4, open]"
    )
    expected = f"valid, but CENSORED: channel 0: 40 of 400 timed out, {late}; write pairing"
    assert actual["verdict"].startswith(expected)
    assert record.valid


def test_of_coalesced_stimuli_nothing_is_taken_for_known(rows):
    """Answers come just before the deadline, which is after the next start: it coalesces."""
    changes = (('timeout = "4 ms"', 'timeout = "4 ms"'),)
    actual, record = rows(*changes, coalesce_every=50)
    stats = record.stats[0]
    lacking = stats.timed_out + stats.coalesced
    assert stats.n == 400 == stats.served + lacking
    assert stats.longer.at_most > lacking / 400
    assert stats.longer.at_least < stats.timed_out / 400
    assert f"{stats.timed_out} of 400 timed out" in actual["verdict"]


def test_a_bound_over_coalesced_ones_alone_has_no_lower_end(rows):
    _, record = rows(latency_ticks=60)
    stats = record.stats[0].model_copy(update={"served": 396, "coalesced": 4})
    assert wording.unanswered(stats) == "4 of 400 coalesced"
    assert "240 ns (60 ticks) of 396 served; 4 of 400 coalesced" in wording.greatest(
        stats, 249975000
    )
    assert "of 4 coalesced nothing is known" in wording.least(stats, 249975000)


def test_samples_that_look_independent_say_how_much_would_show(rows):
    actual, record = rows()
    answers = record.stats[0].independence.answers
    assert tuple(answer.test for answer in answers) == TESTS
    drift, serial, periodic = (f"({answer.shows:.2g} would show)" for answer in answers[:3])
    assert actual["independence"].startswith(
        "7 of 8 tests could show dependence, and did not (N = 400): "
        f"no drift {drift}, none depends on earlier ones up to lag 100 {serial}, "
        f"no rise and fall {periodic}, no echo, no change of spread, no clusters of long ones, "
    )
    assert actual["independence"].endswith(
        "; not testable, but assumed by intervals and bounds: first of batch (one batch)"
    )
    assert 0.1 < answers[0].shows < 0.3 and "[" in actual["p50"]


def test_samples_look_alike_only_where_each_test_could_tell(irqscope, rows, tmp_path):
    rows()

    def six_batches(run):
        answers = run["stats"][0]["independence"]["answers"]
        answers[3] |= {"untestable": None, "shows": 0.9}
        for answer in answers[4:]:
            answer["untestable"] = None

    rewrite(tmp_path / "run", six_batches)
    (stats,) = read(tmp_path / "run").run.stats
    output = wording.independence(stats, HZ)
    assert output.startswith("samples look alike and independent (N = 400): no drift")
    assert "first of batch as the rest (0.9 would show), no echo, no change of spread" in output
    assert output.endswith("no clusters of long ones, no period of long ones")


def test_of_equal_latencies_it_is_said_that_they_are(rows):
    actual, _ = rows(latency_ticks=60)
    assert actual["independence"] == (
        "cannot tell: N = 400, all are equal; intervals and bounds assume it"
    )
    assert actual["max"].endswith(" are longer, a cluster counted once")


def test_where_no_test_tells_anything_the_run_cannot_tell(rows, tmp_path):
    rows()

    def one_cold(run):
        answers = run["stats"][0]["independence"]["answers"]
        for answer in answers[:3] + answers[4:]:
            answer["untestable"] = "all but 1 are equal"

    rewrite(tmp_path / "run", one_cold)
    assert wording.independence(read(tmp_path / "run").run.stats[0], HZ) == (
        "cannot tell: N = 400, all but 1 are equal, one batch; intervals and bounds assume it"
    )


def test_tests_that_could_show_something_are_counted_and_the_others_are_named(rows, tmp_path):
    """Of few long latencies only one test tells anything, so the row claims no more."""
    rows()

    def one_testable(run):
        for answer in run["stats"][0]["independence"]["answers"][:-1]:
            answer["untestable"] = answer["untestable"] or "all but 2 are equal"

    rewrite(tmp_path / "run", one_testable)
    record = read(tmp_path / "run").run
    assert wording.independence(record.stats[0], HZ) == (
        "1 of 8 tests could show dependence, and did not (N = 400): no period of long ones; "
        "not testable, but assumed by intervals and bounds: trend, serial, periodic, echo, spread, "
        "clusters (all but 2 are equal); first of batch (one batch)"
    )
    assert table.table(tmp_path)["independence"].to_pylist() == ["passed in part"]


def test_dependence_says_on_which_and_how_often(irqscope, rows, tmp_path):
    rows()

    def both(run):
        answers = run["stats"][0]["independence"]["answers"]
        answers[1] |= {"effect": 0.755, "at": 8, "p": 0.001, "fails": True}
        answers[2] |= {"effect": 0.415, "at": 24.63, "p": 0.001, "fails": True}

    rewrite(tmp_path / "run", both)
    record = read(tmp_path / "run").run
    assert wording.independence(record.stats[0], HZ) == (
        "NOT independent: each depends on earlier ones (serial +0.76 at lag 8); latencies rise and "
        "fall (periodic +0.41, every 24.6 stimuli): no intervals, no bounds"
    )
    assert wording.alike(record.stats[0]) == "not independent"


def test_a_period_of_the_longest_is_named_with_window_phase_power_and_chance(rows, tmp_path):
    rows()

    def interfered(run):
        answers = run["stats"][0]["independence"]["answers"]
        period = {"length_ticks": 267473.25, "phase": 0.25, "width": 0.01, "longest": 18}
        period |= {"power": 0.98, "p": 3e-9, "alias": True}
        answers[7] |= {"fails": True, "untestable": None, "periods": [period]}
        answers[6] |= {"fails": True, "untestable": None, "at": 5.2, "longest": 21}

    rewrite(tmp_path / "run", interfered)
    output = wording.independence(read(tmp_path / "run").run.stats[0], HZ)
    assert "long ones come in clusters (the 21 longest in clusters of 5.2 on average)" in output
    assert (
        "long ones come again periodically (the 18 longest every 1.07 ms, eight of ten in 10.7 µs "
        "at phase 0.250, power 0.98, chance 3e-09; as stimuli come regularly"
    ) in output


@pytest.mark.parametrize(
    ("count", "samples", "why"),
    [
        (24, "all", "24 samples are too few, 60 tell"),
        (400, "tail 100", "the samples are the longest ones"),
        (400, "none", "no samples are kept"),
        (400, "first 50", "50 samples are too few, 60 tell"),
    ],
)
def test_what_cannot_be_told_is_said(rows, count, samples, why):
    actual, _ = rows(count=count, samples=samples)
    assert actual["independence"] == f"cannot tell: {why}; intervals and bounds assume it"


def _drifting(run):
    """As if latencies had drifted."""
    run["stats"][0]["independence"]["answers"][0] |= {"effect": 0.4, "p": 0.001, "fails": True}


def test_no_interval_is_given_of_latencies_that_drift(irqscope, rows, tmp_path):
    before, _ = rows()
    rewrite(tmp_path / "run", _drifting)
    record = read(tmp_path / "run").run
    by_key = {row.name: row.cells[0] for row in summary.table(record)}
    assert by_key["independence"].startswith("NOT independent: latencies drift (trend +0.40)")
    assert "at most" in before["max"]
    assert by_key["max"].endswith("no bound on longer ones: latencies drift")
    assert by_key["p50"].endswith("ticks); no interval: latencies drift")
    assert by_key["p99.9"].endswith("no interval: latencies drift")
    assert wording.intervals(record, record.stats[0]) == ()
    assert irqscope("report", tmp_path / "run")[0] == 0
    page = (tmp_path / "run" / "report.html").read_text()
    assert "no interval: latencies drift" in page and "NOT independent" in page


def test_a_drift_is_found_by_the_run_itself(irqscope, experiment, board, tmp_path):
    """Latencies grow by a third over the run, from one batch to the next."""
    batches = iter(range(55, 95))
    firmware = FakeFirmware(latency=lambda _, n: np.full(n, next(batches)) + np.arange(n) % 3)
    out = tmp_path / "run"
    target = board(firmware.receive).port
    arguments = ("--count", 400, "--batch", 0.2, "--target", target, "--out", out)
    code, error, _ = irqscope("run", experiment(), *arguments)
    answers = read(out).run.stats[0].independence.answers
    assert code == 0 and "NOT independent: latencies drift" in error
    assert {answer.test: answer.fails for answer in answers}["trend"] is True


def test_runs_are_compared_at_once(irqscope, rows, tmp_path):
    rows(count=400)
    (tmp_path / "run").rename(tmp_path / "one")
    rows(count=400)
    (tmp_path / "run").rename(tmp_path / "two")
    one, two, three = (tmp_path / name for name in ("one", "two", "two"))
    code, out, _ = irqscope("compare", one, two)
    assert code == 0
    assert "All 10 intervals (5 quantiles of 2 runs)" in out and "each has 99.5 %" in out
    assert "All 15 intervals" in irqscope("compare", one, two, three)[1]
    rewrite(two, _drifting)
    data = json.loads(irqscope("compare", one, two, "--json")[1])
    of_first, of_second = data["quantiles"]["p50"]
    assert of_second["verdict"] == "no interval: in run 2 latencies drift"
    assert of_second["value"][0] > 0 and of_second["difference"] is not None
    assert of_second["lower"] is of_second["upper"] is None and not of_second["interval"]
    assert of_first["lower"] <= of_first["value"][0] <= of_first["upper"]
    displayed = irqscope("compare", one, two)[1]
    assert re.search(
        r"p50\D+[0-9]+ ns \[[0-9]+, [0-9]+\]\D+[0-9]+ ns, \+[0-9]+ ns: no interval", displayed
    ), displayed
    assert any("Run 2, independence: NOT independent" in text for text in data["remarks"])
    against = json.loads(irqscope("compare", two, one, "--json")[1])
    assert against["quantiles"]["p50"][0]["verdict"] == "no interval: in run 1 latencies drift"
