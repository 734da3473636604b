"""Latency over phases: the same samples, folded."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from irqscope_fake.folder import experiment as made

from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.errors import ExperimentError
from irqscope.report import kinds, lost_text, plots
from irqscope.results import phase
from irqscope.results.lost import lost_between_lines
from irqscope.results.phase import fold
from irqscope.results.reader import read


@pytest.fixture
def run(board, experiment, tmp_path):
    expected = experiments.load(experiment(), count=300)
    assert measure(expected, board().port, tmp_path / "run", batch_s=0.5).exit_code == 0
    return read(tmp_path / "run")


def test_the_sampling_grid_is_that_of_the_statistics(run):
    folded = phase.of_sampling_grid(run)
    counts, _, _ = folded.map()
    assert tuple(counts.sum(axis=1)) == run.run.stats[0].phases
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
    assert across[-1] == 1950.5
    assert sorted(np.repeat(folded.latency_ticks, folded.counts)) == sorted(
        run.samples()["latency_ticks"].to_pylist()
    )
    assert phase.of_timer_tick(run) is None
    with pytest.raises(ExperimentError, match="1 tick at least"):
        phase.of_period(run, 0.2, "x")


def test_what_repeats_with_the_period_stands_in_one_part():
    ticks = np.arange(1000.0) * 50
    latency = np.where(ticks % 250 == 100, 90.0, 60.0)
    halves = [(ticks[half] % 250.0, latency[half]) for half in (slice(500), slice(500, None))]
    folded = fold("x", 250.0, halves)
    counts, _, up = folded.map()
    assert counts[40, -1] == 200 and counts[:, 1:-1].sum() == 0 and len(up) == 32
    assert counts[[0, 20, 60, 80], 0].tolist() == [200] * 4
    assert folded.met == 5 and "locked" in folded.coverage


def test_stimuli_without_an_answer_are_drawn_at_their_phase():
    lost = np.array([10.0, 12.0, 99.5]), np.full(3, np.nan)
    parts = [(lost[0][part], lost[1][part]) for part in (slice(1), slice(1, None))]
    folded = fold("x", 100.0, [parts[0], (np.array([50.0]), np.array([80.0])), parts[1]])
    assert folded.unanswered_at.tolist() == [10.5, 12.5, 99.5]
    assert folded.coverage.startswith("The 4 edges fell into 4 of 100")
    assert "; 3 of them, in 3 of the parts, had no answer" in folded.coverage
    assert "no answer: 3 stimuli" in plots.phases(folded, 250_000_000, "x")
    alone = fold("x", 100.0, [lost])
    assert alone.n == 3 and "no answer: 3 stimuli" in plots.phases(alone, 250_000_000, "x")


def samples_of(*rows):
    """A run of two lines, by (channel, batch, edge, latency); batch 1 begins at tick 100,000."""
    names = ("channel", "batch", "edge_ticks", "latency_ticks")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    columns["timer_tick_phase_ticks"] = [None] * len(rows)
    columns["latency_ticks"] = pa.array(columns["latency_ticks"], pa.uint32())
    columns["timer_tick_phase_ticks"] = pa.array(columns["timer_tick_phase_ticks"], pa.uint32())
    starts = pa.table({"batch": [0, 1], "start_tick": pa.array([0, 100_000], pa.uint64())})
    lines = [{"high": "1 us", "low": "9 us"}] * 2
    channels = [{"start": f"line {n}", "stop": "handler", "timeout": "5 us"} for n in (0, 1)]
    table = pa.table(columns)
    answered = [row[3] is not None for row in rows]
    record = SimpleNamespace(
        experiment=made(samples="all", lines=lines, channels=channels),
        stats=[SimpleNamespace(n=len(rows), served=sum(answered))],
    )
    return SimpleNamespace(
        run=record,
        path="run",
        batches=lambda: starts,
        parts=lambda columns: [table.select(columns)],
    )


LOST = samples_of(
    (0, 0, 1000, 50), (0, 0, 3000, 50), (0, 1, 1000, 50),
    (1, 0, 990, None), (1, 0, 1000, 60), (1, 0, 3040, None), (1, 0, 3500, 60),
    (1, 1, 1020, None), (1, 1, 1900, 60),
)  # fmt: skip


def test_a_run_of_two_lines_knows_the_offsets_at_which_one_was_lost():
    (actual,) = lost_between_lines(LOST)
    assert (actual.line, actual.other, actual.unanswered, actual.n) == (1, 0, 3, 6)
    assert (actual.first_ticks, actual.last_ticks, actual.answered_between) == (-10, 40, 1)
    assert lost_text.sentence(actual, 250_000_000) == (
        "line 1 had no answer to 3 of 6 rises, from 40 ns before to 160 ns after line 0; "
        "1 other rises in that span were answered"
    )


def test_without_a_loss_or_a_second_line_nothing_is_told():
    assert lost_between_lines(samples_of((0, 0, 1000, 50), (1, 0, 1000, 60))) == []
    assert lost_between_lines(samples_of((1, 0, 1000, None), (1, 0, 2000, 60))) == []


def test_a_phase_is_of_one_channel_or_of_all():
    every, of_one = (phase.of_period(LOST, 2000, "2000 ticks", n) for n in (None, 1))
    assert (every.n, every.unanswered.sum()) == (9, 3)
    assert (of_one.n, of_one.unanswered.sum()) == (6, 3)
    assert of_one.part.tolist() == [50, 75, 95]
    assert of_one.unanswered_at.tolist() == [990, 1030, 1050]
    with pytest.raises(ExperimentError, match="run has no channel 2; its channels are 0, 1"):
        phase.of_period(LOST, 2000, "x", 2)


def test_the_plot_of_a_period_is_exported(run, irqscope):
    file = run.path.parent / "x.png"
    assert irqscope("export", run.path, file, "--period", "7.8 us")[:2] == (
        0,
        f"Phase of 7.8 us in {file}\n",
    )
    assert file.read_bytes().startswith(b"\x89PNG")
    one = irqscope("export", run.path, file, "--period", "7.8 us", "--channel", 0)
    assert one[:2] == (0, f"Phase of 7.8 us, channel 0 in {file}\n")
    one = irqscope("export", run.path, file, "--plot", "phase of the s", "--channel", 0)
    assert one[:2] == (0, f"Phase of the sampling grid, channel 0 in {file}\n")
    for words, message in (
        (("x.png", "--channel", "0"), 'no plot "histogram" of one channel; those over a phase'),
        (("x.csv", "--channel", "0"), "--channel belongs to --histogram, --period and"),
        (("x.csv", "--period", "1 us"), "--period is for a picture"),
        (("x.png", "--period", "1 eon"), '--period: "1 eon" is not a time'),
        (("x.png", "--period", "0 ticks"), "a period is 1 tick at least"),
    ):
        code, _, err = irqscope("export", run.path, *words)
        assert code == 2 and message in err
