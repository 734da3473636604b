"""Runs that are added up, and a count that is divided over twins."""

from __future__ import annotations

import json
import os
import signal

import pytest
from irqscope_fake.folder import deviate, rewrite
from test_cli import Command, one_line
from test_suite import workers

from irqscope.acquire.counters import COUNTERS
from irqscope.acquire.measure import measure
from irqscope.analysis import stats
from irqscope.errors import ExitCode
from irqscope.experiment import load
from irqscope.results.reader import read


@pytest.fixture
def measured(experiment, board, once, tmp_path):
    """A run of a seed, on a firmware with faults, without its report."""

    def run(seed, *changes, count=200, **faults):
        def make(folder):
            expected = load(experiment(*changes), count=count, seed=seed)
            assert measure(expected, board(**faults).port, folder).exit_code in (0, 4)

        return once(tmp_path / f"seed-{seed}", make, seed, changes, count, faults)

    return run


def test_counters_and_histograms_are_added_exactly(irqscope, measured, tmp_path):
    parts = [measured(1), measured(2, count=301), measured(3, silent_every=40)]
    out = tmp_path / "all"
    code, error, err = irqscope("merge", *parts, "--out", out)
    assert code == 0 and f"run folder: {out}" in err and (out / "report.html").exists()
    whole, runs = read(out), [read(part) for part in parts]
    assert whole.run.valid and whole.changed == ()
    assert whole.run.stimuli == whole.run.experiment.count == 701
    (counters,), each = whole.run.counters, [run.run.counters[0] for run in runs]
    for name in COUNTERS:
        assert getattr(counters, name) == sum(getattr(one, name) for one in each)
    assert counters.timed_out == each[2].timed_out == 5
    actual, expected = whole.distribution(0), stats.pooled([run.distribution(0) for run in runs])
    assert actual.at_least()[0].tolist() == expected.at_least()[0].tolist()
    assert actual.at_least()[1].tolist() == expected.at_least()[1].tolist()
    (one,) = whole.run.stats
    for quantile in one.quantiles:
        assert quantile.sample_ticks == expected.quantile(quantile.p).value
    assert one.max_ticks == max(run.run.stats[0].max_ticks for run in runs)
    assert one.phases == tuple(map(sum, zip(*(r.run.stats[0].phases for r in runs), strict=True)))
    assert whole.run.firmware.handled_0 == sum(run.run.firmware.handled_0 for run in runs)
    merged = "merged from 3 runs: seed-1 (seed 1, N 200), seed-2 (seed 2, N 301), seed-3 (seed 3,"
    assert whole.run.notes[0].startswith(merged) and "merged from 3 runs" in error
    assert len(whole.samples()) == 0


def test_parts_that_count_up_together_are_named_as_one(irqscope, measured, tmp_path):
    for name, seed, count in (("3", 3, 20), ("4", 4, 20), ("5", 6, 20), ("6", 7, 21)):
        measured(seed, count=count).rename(tmp_path / name)
    out = tmp_path / "all"
    code, _, err = irqscope("merge", *(tmp_path / name for name in "3456"), "--out", out)
    assert code == 0, err
    named = "3 to 4 (seeds 3 to 4, N 20 each), 5 (seed 6, N 20), 6 (seed 7, N 21); their samples"
    assert named in read(out).run.notes[0]


def test_a_wide_bin_an_underflow_and_an_overflow_are_added_too(irqscope, measured, tmp_path):
    wide = ('timeout = "4 ms"', 'timeout = "4 ms"\nbin = "4 ticks"\norigin = "56 ticks"')
    parts = [measured(1, wide), measured(2, wide)]
    assert irqscope("merge", *parts, "--out", tmp_path / "all")[0] == 0
    whole, runs = read(tmp_path / "all"), [read(part) for part in parts]
    assert whole.run.counters[0].underflow == sum(run.run.counters[0].underflow for run in runs) > 0
    counted = {}
    for row in (row for run in runs for row in run.histogram().to_pylist()):
        counted[row["lower_ticks"]] = counted.get(row["lower_ticks"], 0) + row["count"]
    actual = whole.histogram().to_pylist()
    assert {row["lower_ticks"]: row["count"] for row in actual} == counted


def test_throughput_is_merged_phase_by_phase(irqscope, experiment, board, tmp_path):
    level = [
        ('"rising edge"', '"level"'), ('case = "t2"', 'case = "t2"\nmeasure = "throughput"'),
        ('samples = "all"', 'samples = "none"'),
    ]  # fmt: skip
    parts = []
    for seed in (1, 2):
        parts.append(tmp_path / f"{seed}")
        settings = ("--target", board().port, "--count", 3, "--seed", seed, "--out", parts[-1])
        assert irqscope("run", experiment(*level), *settings)[0] == 0
    assert irqscope("merge", *parts, "--out", tmp_path / "all")[0] == 0
    stops = [read(part).run.throughput[0].stops for part in parts]
    assert read(tmp_path / "all").run.throughput[0].stops == stops[0] + stops[1]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda run: run["experiment"].update(idle="spin"), "its experiment differs in idle from"),
        (
            lambda run: run["identity"].update(firmware_hash="0x1"),
            "its firmware hash is 0x00000001",
        ),
        (
            lambda run: (
                run["identity"].update(tick_hz=250000000),
                run["stats"][0].update(timeout_ticks=1_000_000),
            ),
            "its tick hz is 250000000, that of",
        ),
        (lambda run: deviate(run, "a fault"), "it comes from twin, functional with a fault, "),
        (lambda run: run["stack"].update(version="2"), "its software stack was built differently"),
        (lambda run: run["experiment"].update(seed=1), "it has the seed of "),
        (lambda run: run.update(valid=False, reasons=["so"]), "it is not valid: so"),
        (lambda run: run.update(ended=None, valid=False), "it is not valid: it was not closed"),
    ],
)
def test_what_cannot_be_added_is_refused_with_the_reason(
    irqscope, measured, tmp_path, change, said
):
    parts = [measured(1), measured(2)]
    rewrite(parts[1], change)
    code, _, err = irqscope("merge", *parts, "--out", tmp_path / "all")
    assert code == 2
    assert f"{parts[1]} cannot be merged: {said}" in one_line(err)
    assert not (tmp_path / "all").exists()


def test_one_run_or_a_merged_one_is_refused(irqscope, measured, tmp_path):
    parts = [measured(1), measured(2), measured(3)]
    assert "name two at least" in one_line(irqscope("merge", parts[0])[2])
    irqscope("merge", *parts[:2], "--out", tmp_path / "all")
    _, _, err = irqscope("merge", parts[2], tmp_path / "all", "--out", tmp_path / "more")
    assert "it was merged itself; name its parts" in one_line(err)


def test_a_run_that_was_changed_is_refused_as_storage(irqscope, measured, tmp_path):
    one, other = measured(1), measured(2)
    (other / "histogram.parquet").unlink()
    code, _, err = irqscope("merge", one, other, "--out", tmp_path / "whole")
    assert code == ExitCode.STORAGE
    assert ": changed since it was written: histogram.parquet" in err
    assert not (tmp_path / "whole").exists()


def test_doubts_of_a_part_are_those_of_the_whole(irqscope, measured, tmp_path):
    parts = [measured(1), measured(2)]
    answer = {"test": "trend", "effect": 0.9, "at": None, "p": 0.001, "shows": 0.2}
    answer |= {"untestable": None, "fails": True}
    rewrite(
        parts[1],
        lambda run: run["stats"][0]["independence"].update(answers=[answer], untested=None),
    )
    code, error, _ = irqscope("merge", *parts, "--out", tmp_path / "all")
    assert code == 0 and "NOT independent: latencies drift" in error


# ---- divided ---------------------------------------------------------------------------------


def test_a_divided_run_is_its_parts_with_their_seeds(irqscope, experiment, fake_twin, tmp_path):
    fake_twin()
    out = tmp_path / "run"
    settings = ("run", experiment(), "--count", 101, "--seed", 7)
    code, error, err = irqscope(*settings, "--split", 3, "--out", out, "--json")
    assert code == 0, err
    assert json.loads(error)["stimuli"] == 101
    parts = [read(out / f"{n}").run for n in (1, 2, 3)]
    assert [(p.experiment.seed, p.stimuli) for p in parts] == [(7, 34), (8, 34), (9, 33)]
    alone = tmp_path / "alone"
    irqscope("run", experiment(), "--count", 34, "--seed", 8, "--out", alone)
    assert read(alone).samples() == read(out / "2").samples()
    assert f"report: {out}/merged/report.html" in err


def test_a_part_whose_worker_dies_is_run_again(experiment, tmp_path):
    out = tmp_path / "run"
    command = Command("run", experiment(), "--count", 60, "--split", 2, "--out", out, batch_s=1.0)
    command.until(lambda: all((out / name / "run.json").exists() for name in ("1", "2")))
    os.kill(workers(command.process)[0], signal.SIGKILL)
    code, _, err = command.end()
    assert code == 0, err
    assert "died (signal 9, SIGKILL); it is run again" in " ".join(err.split())
    assert read(out / "merged").run.stimuli == 60


def test_a_part_that_fails_ends_it_with_one_line(irqscope, experiment, fake_twin, tmp_path):
    fake_twin(of_counters=(("starts", 1),))
    code, _, err = irqscope("run", experiment(), "--split", 2, "--out", tmp_path / "run")
    assert code == 3
    assert "part 1 of 2 is invalid: " in one_line(err) and err.count("nothing was merged") == 1
    assert not (tmp_path / "run" / "merged").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--split", 3, "--count", 2), "2 stimuli cannot be divided into 3 runs; give fewer"),
        (("--split", 2, "--batch", "0.1"), "--split runs many twins; leave --record and --batch"),
        (("--split", 2, "--target", "/dev/ttyNONE"), "/dev/ttyNONE is not a twin and has one run"),
    ],
)
def test_what_cannot_be_divided_is_refused(irqscope, experiment, tmp_path, arguments, said):
    code, _, err = irqscope("run", experiment(), *arguments, "--out", tmp_path / "run")
    assert code == 2 and said in one_line(err)


def test_a_divided_run_goes_on_where_it_was_stopped(irqscope, experiment, fake_twin, tmp_path):
    fake_twin()
    out, file = tmp_path / "run", experiment()
    assert irqscope("run", file, "--count", 50, "--seed", 1, "--out", out / "1")[0] == 0
    assert irqscope("run", file, "--count", 50, "--seed", 2, "--out", out / "2")[0] == 0
    ended = {"reason": "interrupted", "message": "", "time": "2026-11-22T10:00:00Z"}
    rewrite(out / "1", lambda run: run.update(ended=ended))
    settings = ("run", file, "--split", 2, "--out", out, "--count", 100)
    code, _, err = irqscope(*settings)
    assert code == 0, err
    assert "part 1: it ended early: interrupted; moved to 1.old-1, run again" in err
    assert "1 of 2 parts are kept" in err
    assert read(out / "merged").run.stimuli == 100
    # All exist: nothing is measured, and the parts are merged again.
    before = [(out / f"{n}" / "run.json").stat().st_mtime_ns for n in (1, 2)]
    code, _, err = irqscope(*settings)
    assert code == 0 and "2 of 2 parts are kept" in err
    assert [(out / f"{n}" / "run.json").stat().st_mtime_ns for n in (1, 2)] == before
    assert (out / "merged.old-1").exists()
    # A folder of something else is left alone.
    code, _, err = irqscope("run", file, "--split", 2, "--out", tmp_path)
    assert code == 2 and f"{tmp_path} is there already; name a new folder" in one_line(err)
