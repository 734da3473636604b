"""Latency over phases: the same samples, folded."""

from __future__ import annotations

import numpy as np
import pytest

from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.errors import ExperimentError
from irqscope.report import kinds
from irqscope.results import phase
from irqscope.results.phase import Folded
from irqscope.results.reader import read


@pytest.fixture
def run(board, experiment, tmp_path):
    wanted = experiments.load(experiment(), count=300)
    assert measure(wanted, board().port, tmp_path / "run", batch_s=0.5).exit_code == 0
    return read(tmp_path / "run")


def test_the_sampling_grid_is_that_of_the_statistics(run):
    folded = phase.of_sampling_grid(run)
    counts = np.bincount(folded.phase_ticks.astype(int), minlength=5)
    assert tuple(counts) == run.run.stats[0].phases
    assert len(run.batches()) > 1  # edges are those of the clock that goes on between them
    assert folded.parts == folded.met == 5
    assert folded.coverage == "The 300 edges fell into 5 of 5 equal parts of it."
    assert [title for title, _, _ in kinds.of_run(run.run).plots(run)][
        -1
    ] == "Phase of the sampling grid"


def test_a_period_of_ones_own_finds_each_sample_once(run):
    folded = phase.of_period(run, 1950.5, "7.8 us")
    counts, across, up = folded.map()
    assert counts.shape == (100, len(up) - 1) and counts.sum() == 300
    assert across[-1] == 1950.5 and (folded.phase_ticks < 1950.5).all()
    assert sorted(folded.latency_ticks) == sorted(run.samples()["latency_ticks"].to_pylist())
    assert phase.of_timer_tick(run) is None
    with pytest.raises(ExperimentError, match="1 tick at least"):
        phase.of_period(run, 0.2, "x")


def test_what_repeats_with_the_period_stands_in_one_part():
    ticks = np.arange(1000.0) * 50
    folded = Folded("x", 250.0, ticks % 250.0, np.where(ticks % 250 == 100, 90.0, 60.0))
    counts, _, up = folded.map()
    assert counts[40, -1] == 200 and counts[:, 1:-1].sum() == 0 and len(up) == 32
    assert counts[[0, 20, 60, 80], 0].tolist() == [200] * 4
    assert folded.met == 5 and "locked" in folded.coverage


def test_the_plot_of_a_period_is_exported(run, irqscope):
    file = run.path.parent / "x.png"
    assert irqscope("export", run.path, file, "--period", "7.8 us")[:2] == (
        0,
        f"Phase of 7.8 us in {file}\n",
    )
    assert file.read_bytes().startswith(b"\x89PNG")
    for words, said in (
        (("x.csv", "--period", "1 us"), "--period is for a picture"),
        (("x.png", "--period", "1 eon"), '--period: "1 eon" is not a time'),
        (("x.png", "--period", "0 ticks"), "a period is 1 tick at least"),
    ):
        code, _, err = irqscope("export", run.path, *words)
        assert code == 2 and said in err
