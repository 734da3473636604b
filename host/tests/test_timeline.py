"""One axis of time for all that shows a run: the talks between batches left out, nothing else."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc
import pytest
from irqscope_fake.folder import TICK_HZ, write_run
from irqscope_fake.folder import experiment as described

from irqscope import experiment as experiments
from irqscope.errors import StorageError
from irqscope.measure import measure
from irqscope.report import page as report
from irqscope.results.reader import read
from irqscope.results.timeline import Timeline

PERIOD, DELAY = 5 * TICK_HZ // 1000, 20 * TICK_HZ // 1_000_000


@pytest.fixture
def run(tmp_path):
    """run.json of 1000 stimuli in batches of 400, a period of 5 ms, no dither."""
    locked = {"high": "1 ms", "low": "4 ms", "phase": "locked"}
    return write_run(tmp_path / "run", described(count=1000, lines=[locked]), [50])


def test_a_batch_begins_a_period_after_the_last_stimulus_of_the_one_before(run):
    edges = DELAY + PERIOD * np.arange(400)
    batches = np.repeat([0, 1], 400)
    found = Timeline(run).elapsed(batches, np.concatenate((edges, edges)))
    assert set(np.diff(found)) == {PERIOD, PERIOD + DELAY}
    assert found[400] - found[399] == PERIOD + DELAY


def test_batches_may_come_in_pieces(run):
    edges = np.concatenate([DELAY + PERIOD * np.arange(n) for n in (400, 400, 200)])
    batches = np.repeat([0, 1, 2], (400, 400, 200))
    whole = Timeline(run).elapsed(batches, edges)
    pieces = Timeline(run)
    cuts = [0, 1, 399, 401, 401, 850, 1000]
    parts = [pieces.elapsed(batches[a:b], edges[a:b]) for a, b in zip(cuts, cuts[1:], strict=False)]
    assert (np.concatenate(parts) == whole).all()


def test_of_a_selection_the_batches_left_out_take_their_time(run):
    found = Timeline(run).elapsed(np.array([0, 2]), np.array([DELAY, DELAY]))
    assert found.tolist() == [DELAY, 2 * (DELAY + 400 * PERIOD) + DELAY]


def test_a_dithered_batch_lasts_longer_than_its_least(run):
    late = DELAY + 399 * PERIOD + 12_345
    found = Timeline(run).elapsed(np.array([0, 1]), np.array([late, DELAY]))
    assert found[1] - found[0] == PERIOD + DELAY


def test_a_batch_that_cannot_be_is_told(run):
    with pytest.raises(StorageError, match="samples of batch 3, which the experiment does not"):
        Timeline(run).elapsed(np.array([3]), np.array([DELAY]))


def test_the_report_shows_each_stimulus_where_the_target_had_it(board, experiment, tmp_path):
    wanted = experiments.load(experiment(), count=60)
    measure(wanted, board().port, tmp_path / "run", batch_s=0.1)
    folder = read(tmp_path / "run")
    assert pc.max(folder.samples()["batch"]).as_py() == 2
    time, _ = report._trace(folder)[0]
    assert np.diff(time) == pytest.approx(0.005, abs=60e-6)  # a period, dither, a start delay
