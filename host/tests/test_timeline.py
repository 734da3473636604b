"""One axis of time for all that shows a run: the talks between batches left out, nothing else."""

from __future__ import annotations

import json

import numpy as np
import pyarrow.compute as pc
import pytest
from irqscope_fake.folder import TICK_HZ

from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.errors import StorageError
from irqscope.report import kinds, latency_plots, plots
from irqscope.results.reader import read
from irqscope.results.timeline import Timeline

pytestmark = pytest.mark.quick

PERIOD, DELAY = 5 * TICK_HZ // 1000, 20 * TICK_HZ // 1_000_000


def test_batches_may_come_in_pieces_and_after_the_line_was_made():
    begins = {}
    pieces = Timeline(begins)
    begins |= {0: 0, 1: 1000}
    edges = np.array([5, 500, 5, 500])
    batches = np.array([0, 0, 1, 1])
    parts = [pieces.elapsed(batches[a:b], edges[a:b]) for a, b in ((0, 1), (1, 3), (3, 4))]
    assert np.concatenate(parts).tolist() == [5, 500, 1005, 1500]
    begins[2] = 2000
    assert pieces.elapsed(np.array([0, 2]), np.array([5, 5])).tolist() == [5, 2005]


def test_a_batch_that_is_not_listed_is_told():
    with pytest.raises(StorageError, match="samples of batch 3, which the folder does not list"):
        Timeline({0: 0}).elapsed(np.array([3]), np.array([DELAY]))


def test_the_report_shows_each_stimulus_where_the_target_had_it(
    board, experiment, tmp_path, monkeypatch
):
    expected = experiments.load(experiment(), count=60)
    measure(expected, board().port, tmp_path / "run", batch_s=0.1)
    folder = read(tmp_path / "run")
    assert pc.max(folder.samples()["batch"]).as_py() == 2
    plotted, draw = [], plots.trace
    monkeypatch.setattr(
        plots, "trace", lambda *what, **more: plotted.append(what[0]) or draw(*what, **more)
    )
    assert "Time trace" in [title for title, _, _ in kinds.of_run(folder.run).plots(folder)]
    ((time, _),) = plotted[0].values()
    assert len(time) == 60
    assert np.diff(time) == pytest.approx(0.005, abs=512 / TICK_HZ)  # a period and dither


def test_of_many_stimuli_one_in_each_cell_of_the_picture_is_drawn(
    board, experiment, tmp_path, monkeypatch
):
    expected = experiments.load(experiment(), count=200)
    measure(expected, board().port, tmp_path / "run", batch_s=0.1)
    folder = read(tmp_path / "run")
    plotted, draw = [], plots.trace
    monkeypatch.setattr(
        plots, "trace", lambda *what, **more: plotted.append(what[0]) or draw(*what, **more)
    )
    for maximum, across in ((1000, 4), (100, 4)):
        monkeypatch.setattr(latency_plots, "MOST_POINTS", maximum)
        monkeypatch.setattr(latency_plots, "_ACROSS", across)
        kinds.of_run(folder.run).plots(folder)
    ((every, latencies),), ((time, reduced),) = (one.values() for one in plotted)
    assert len(every) == 200 > len(time)
    assert set(zip(time, reduced, strict=True)) <= set(zip(every, latencies, strict=True))
    assert set(reduced) == set(latencies)  # cells are a tick high here: no latency is lost
    assert time[0] == every[0] and np.all(np.diff(time) > 0)


def test_the_folder_tells_of_each_batch_what_was_sent_and_where_it_lies(
    board, experiment, tmp_path
):
    expected = experiments.load(experiment(), count=60)
    measure(expected, board().port, tmp_path / "run", batch_s=0.1)
    batches = read(tmp_path / "run").batches().to_pylist()
    assert [(row["first"], row["count"]) for row in batches] == [(0, 20), (20, 20), (40, 20)]
    assert all(row["start_tick"] < row["end_tick"] for row in batches)
    seeds = [json.loads(row["lines"])[0]["seed"] for row in batches]
    assert len(set(seeds)) == 3
    assert {json.loads(row["case"])["warm_up"] for row in batches} == {8}
    samples = read(tmp_path / "run").samples()
    assert samples["place"].to_pylist() == [*range(20)] * 3
