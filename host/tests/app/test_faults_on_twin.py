"""What can go wrong with a real twin, made to go wrong."""

from __future__ import annotations

import os
import signal
import time

import pytest
from app.by_hand import fill, fill_line, next_frame, run_or_stop, start_twin

from irqscope.results.reader import read
from irqscope_app.control.progress import Progress
from irqscope_app.control.state import Link


@pytest.fixture
def measuring(window, until, twins):
    """The process of a twin that runs a very long run."""

    def begin():
        fill(window, "count", "10000000")
        start_twin(window)
        until(lambda: window.station.state.done > 0)
        return twins[-1]

    return begin


def test_a_twin_that_is_killed(window, until, measuring):
    measuring().kill()
    until(lambda: window.station.state.link is not Link.MEASURING)
    assert (
        window.fault.cause.text() == "the twin died (signal 9, SIGKILL)"
        and window.fault.isVisible()
    )
    assert window.fault.remedy.text() == "What to do: run again."
    assert window.scope.run_button.isEnabled()
    (folder,) = window.preferences.runs.iterdir()
    run = read(folder)
    assert run.run.ended.reason == "target"
    assert run.samples().num_rows == run.run.stimuli > 0


def test_a_twin_that_gives_no_sample_and_then_does(window, until, twins, monkeypatch):
    step = Progress.step

    def step_of_a_twin_that_sleeps(progress, text):
        if text == "measure":  # told by the thread that measures, before the first batch
            os.kill(twins[-1].pid, signal.SIGSTOP)
        step(progress, text)

    monkeypatch.setattr(Progress, "step", step_of_a_twin_that_sleeps)
    fill(window, "count", "400")
    start_twin(window)
    until(lambda: window.station.state.hint is not None)
    assert (
        window.fault.cause.text() == "! no sample 2 s after the start" and window.fault.isVisible()
    )
    assert window.fault.remedy.text().startswith(
        "What to do: wait: a simulation may be far behind real time"
    )
    assert "no sample 2 s after the start" in window.log.text.toPlainText()
    os.kill(twins[-1].pid, signal.SIGCONT)
    until(lambda: window.station.state.link is Link.READY)
    assert not window.fault.isVisible()
    assert window.station.feed.picture.run.valid


def test_how_far_a_twin_is_behind_real_time_is_always_seen(window, until, measuring):
    measuring()
    state = window.station.state
    lasted = time.monotonic() - state.began
    assert f", {state.pace:.2g} × real time" in window.status.link.text()
    # 5 ms a stimulus; the batch under way is on the clock already.
    assert 0.1 * state.done * 0.005 / lasted < state.pace < 10 * state.done * 0.005 / lasted
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    assert "real time" not in window.status.link.text()


def test_a_line_that_nobody_takes_back(window, until):
    fill_line(window, 0, "mode", "acknowledged")
    fill_line(window, 0, "acknowledge", "task")  # a marker that bare metal does not make here
    fill(window, "channels.0.timeout", "1 ms")
    fill(window, "count", "50")
    assert not window.pattern.draft.problems
    start_twin(window)
    until(lambda: window.station.state.done == 50)
    until(lambda: window.station.state.link is Link.READY)
    next_frame(window.scope.painter)
    assert "50 pulses ended without their acknowledgement" in window.scope.counters.text()
    assert window.scope.counters.property("role") != "good"
