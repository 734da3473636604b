"""Link, verdict, badge, header strip, tables and plots are of one state, whatever has happened."""

from __future__ import annotations

import json
import threading

import pytest
from app.by_hand import (
    choose,
    click,
    connect,
    fill,
    go_to,
    next_frame,
    open_folder,
    release,
    run_or_stop,
    start_twin,
)
from app.on_screen import wheel
from app.test_views import lost  # noqa: F401 - a fixture
from irqscope_fake.folder import A53, IBEX, ZCU102, answered_by, write_run
from irqscope_fake.folder import experiment as described
from PyQt6.QtCore import Qt, QThreadPool
from PyQt6.QtTest import QTest

from irqscope.kinds.loss.record import LossMap
from irqscope_app.control.feed import Feed
from irqscope_app.control.state import Link
from irqscope_app.scope import captions


@pytest.fixture
def agree(window, until):
    """Waits for the state to be shown, and compares all places that show it."""

    def check(*, of=None):
        go_to(window, "Scope")
        for _ in range(3):
            next_frame(window.scope.painter)
        next_frame(window.worst)
        state, picture = window.station.state, window.station.feed.picture
        scope, status = window.scope, window.status
        status.show()
        measuring = state.link is Link.MEASURING
        assert status.link.text().startswith(f"link: {state.link.value}")
        assert (scope.run_button.text() in ("Run",)) is not measuring
        assert ("● recording" in status.recording.text()) is (
            state.recording and scope.keep.isChecked()
        )
        if of is None:
            assert picture is None and scope.trace.source == ""
            assert not scope.source.isVisible()
            assert scope.tabs.bar.tabText(state.at) == "Next run"
            assert scope.counters.text() == "" and not scope.figures.cell("whole run", "N")
            assert "next run" not in scope.strip.name.text()
            return
        run = picture.run
        assert run.experiment.name == of
        assert scope.trace.source == scope.source.text() == run.label
        # One verdict, and a link that names no run.
        role, word = captions.verdict(picture)
        assert scope.counters.text().startswith(word) and scope.counters.property("role") == role
        assert of not in status.recording.text() + status.link.text()
        assert scope.counters.toolTip().startswith(scope.counters.text())
        if run.part(LossMap) is None and not measuring:
            assert scope.figures.cell("whole run", "N") == str(run.stats[0].n)
        other = run.experiment != window.pattern.draft.experiment
        assert scope.strip.name.text().startswith("next run: ") is other
        if not state.suite:
            assert json.loads((state.folder / "run.json").read_text())["started"] == run.started
            assert of in scope.tabs.bar.tabText(state.at)
            assert state.folder.name in scope.tabs.bar.tabToolTip(state.at)
            until(lambda: window.worst.listed and window.worst.listed.run.started == run.started)

    return check


@pytest.fixture
def running(window, until, fake_twin):
    fake_twin(batch_s=0.05)
    fill(window, "count", "100000")
    start_twin(window)
    until(lambda: window.station.state.done > 0 and window.station.feed.picture)
    return window.scope


def ended(window, until):
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)


def other_run(window, until, tmp_path):
    write_run(tmp_path / "other", described(name="other"), [60, 70] * 20)
    open_folder(window, tmp_path / "other")
    until(lambda: window.station.state.folder == tmp_path / "other")


def test_before_anything(window, agree):
    agree()


def test_in_a_run_and_stopped(running, window, until, agree):
    agree(of="t2")
    ended(window, until)
    agree(of="t2")


def test_a_killed_twin(twins, running, window, until, agree):
    twins[-1].kill()
    until(lambda: window.station.state.link is not Link.MEASURING)
    agree(of="t2")
    assert window.scope.counters.text().startswith("✗ invalid: ")


def test_a_run_of_another_experiment_behind_a_live_one(running, window, until, agree, tmp_path):
    QTest.keyClick(running, Qt.Key.Key_A)
    assert running.plots.cursors.all
    ended(window, until)
    other_run(window, until, tmp_path)
    agree(of="other")
    # Cursors were at stimuli that are not here; the target differs from the shown run.
    assert not running.plots.cursors.all and not running.plots.cursors.table.isVisible()
    assert window.station.state.identity.label in window.status.link.text()


def test_a_loss_map_behind_a_run(window, until, agree, tmp_path, lost):  # noqa: F811
    other_run(window, until, tmp_path)
    agree(of="other")
    open_folder(window, lost)
    until(lambda: window.station.state.folder == lost)
    agree(of="t2")
    assert "4 cells" in window.scope.counters.text()
    assert window.scope.figures.cell("visible", "N") == ""


def test_what_was_counted_of_a_run_is_not_shown_of_the_next(
    window,
    until,
    tmp_path,
    lost,  # noqa: F811
    monkeypatch,
):
    requested, go_on = threading.Event(), threading.Event()
    between = Feed.between

    def slow(*part):
        requested.set()
        go_on.wait(10)
        return between(*part)

    monkeypatch.setattr(Feed, "between", slow)
    other_run(window, until, tmp_path)
    until(requested.is_set)
    open_folder(window, lost)
    until(lambda: window.station.state.folder == lost)
    next_frame(window.scope.painter)
    go_on.set()
    pool = QThreadPool.globalInstance()
    until(lambda: pool.activeThreadCount() == 0)
    next_frame(window.scope.painter)
    assert window.scope.figures.cell("visible", "N") == ""


def test_a_folder_that_cannot_be_opened(window, until, agree, tmp_path):
    other_run(window, until, tmp_path)
    window.opener.open_run(tmp_path / "nothing")
    until(lambda: window.station.state.fault is not None)
    agree(of="other")


def test_paused(running, window, until, agree):
    wheel(running.trace.widget)
    agree(of="t2")
    assert running.chip.isChecked()
    ended(window, until)
    next_frame(running.painter)
    agree_paused = running.figures.cell("whole run", "N")
    assert running.chip.text() == f"❚❚ paused at {agree_paused}"


def test_a_segment(running, window, until, agree):
    first = window.station.state.folder
    fill(window, "low", "6 ms")
    until(lambda: window.station.state.folder != first and window.station.state.done > 0)
    agree(of="t2")
    with window.station.feed.traces() as traces:
        ((border, changed),) = traces.borders.items()
    assert changed == "low 4 ms → 6 ms"
    # Trace and tables have one axis.
    until(lambda: window.worst.listed and window.worst.listed.rows)
    model = window.worst.model
    assert float(model.data(model.index(0, 1))) > border
    ended(window, until)
    agree(of="t2")


def test_a_run_that_is_not_kept(window, board, measure, agree):
    go_to(window, "Scope")
    click(window.scope.keep)
    measure(board().port, 60)
    agree(of="t2")
    assert "only looked at" in window.status.recording.text()


def test_released(window, board, measure, agree):
    measure(board().port, 60)
    release(window)
    agree(of="t2")
    assert window.status.link.text() == "link: not connected"


def test_a_lost_target_is_told_while_it_is_lost(window, board, measure, until, agree, tmp_path):
    """Whatever is opened meanwhile."""
    one = board()
    measure(one.port, 60)
    one.close()
    window.station.targets.back_off_s = (600,)
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.LOST)
    other_run(window, until, tmp_path)
    agree(of="other")
    assert window.fault.isVisible() and window.station.state.fault is not None


def test_a_suite_under_way(window, until, fake_twin, agree):
    fake_twin(batch_s=0.05)
    screen = window.experiments
    go_to(window, "Experiments")
    choose(screen.chooser.suite, "horst2020")
    until(screen.chooser.checked)
    screen.chooser.check(["t1"])
    click(screen.chooser.add_button)
    until(lambda: screen.table.rowCount() == 1)
    connect(window, "twin")
    until(lambda: window.station.state.link is Link.READY)
    go_to(window, "Experiments")
    click(screen.run_button)
    until(lambda: window.station.state.done > 0)
    agree(of="t1")
    assert window.scope.run_button.text() == "Stop suite"
    assert window.scope.strip.name.text() == "next run: t2"
    click(window.scope.run_button)
    until(lambda: window.station.state.link is Link.READY)
    agree(of="t1")


@pytest.mark.parametrize(
    ("source", "badge"), [(ZCU102, "board"), (A53, "simulation"), (IBEX, "simulation")]
)
def test_a_simulation_has_not_the_badge_of_a_board(window, until, tmp_path, source, badge):
    write_run(tmp_path / "run", described(), [60] * 20, **answered_by(source))
    open_folder(window, tmp_path / "run")
    until(lambda: window.scope.source.property("role") == badge)
