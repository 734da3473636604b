"""Answers as steps: from marker to marker, with the probe's own cost separate."""

from __future__ import annotations

import pytest
from irqscope_fake.folder import CALIBRATION, SPREAD, record
from irqscope_fake.folder import experiment as asked

from irqscope import experiment as experiments
from irqscope.acquire.measure import measure
from irqscope.results import stages
from irqscope.results.samples import Samples
from irqscope.results.stages import Step

pytestmark = pytest.mark.quick

PROBE = CALIBRATION | {"probe": SPREAD | {"counts": [[9, 100], [10, 60], [14, 96]]}}
NONE = dict.fromkeys(("vector_ticks", "handler_ticks", "done_ticks", "task_ticks"))


def test_each_step_but_the_first_holds_one_marker():
    stimulus = NONE | {"vector_ticks": 40, "handler_ticks": 60, "done_ticks": 67}
    assert stages.of_stimulus(record(asked(), calibration=PROBE), stimulus) == [
        Step("vector", 0, 40, 40, 40, 0),
        Step("handler", 40, 60, 60, 60, 10),
        Step("done", 60, 67, 67, 67, 7),  # a step cannot hold more than it lasts
    ]
    assert stages.of_stimulus(record(asked()), stimulus)[1].probe == 0
    assert stages.of_stimulus(record(asked(), calibration=PROBE), NONE) == []


def test_of_a_run_the_medians_and_how_far_they_reach(board, experiment, tmp_path):
    expected = experiments.load(experiment(('markers = "paper"', 'markers = "stages"')), count=100)
    run = measure(expected, board().port, tmp_path / "run").run
    samples = Samples(tmp_path / "run")
    samples.update()
    steps = stages.of_run(run, 0)
    assert [step.name for step in steps] == ["vector", "handler", "done", "task"]
    whole = samples.rows(range(100))
    for step in steps:
        ticks = sorted(whole[f"{step.name}_ticks"].to_pylist())
        assert (step.least, step.end, step.greatest) == (ticks[0], ticks[49], ticks[-1])
    assert [step.begin for step in steps] == [0, *(step.end for step in steps[:-1])]
    probes = [ticks for ticks, n in run.calibration.probe.counts for _ in range(n)]
    assert steps[1].probe == probes[(len(probes) - 1) // 2]


def test_with_the_handler_alone_there_are_no_steps(board, experiment, tmp_path):
    run = measure(experiments.load(experiment(), count=20), board().port, tmp_path / "run").run
    assert stages.of_run(run, 0) == []
    assert [stage.n for stage in run.stats[0].stages] == [20]
