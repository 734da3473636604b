"""Beginning, stopping and closing: the window's behaviour during work."""

from __future__ import annotations

import pytest
from app.by_hand import (
    click,
    click_row,
    connect,
    fill,
    fill_line,
    go_to,
    next_frame,
    run_or_stop,
    start_twin,
)
from app.on_screen import texts
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import Qt, QThread, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMessageBox

from irqscope.report import summary
from irqscope.report.folders import Entry
from irqscope.results.reader import read
from irqscope_app.control.state import Link


@pytest.fixture
def running(window, until, fake_twin):
    """Begins a run of very many stimuli."""

    def begin():
        fake_twin(batch_s=0.05)
        fill(window, "count", "100000")
        start_twin(window)
        until(lambda: window.station.state.done > 0)

    return begin


@pytest.fixture
def answer(monkeypatch):
    """Answers each question; returns the questions."""
    questions = []

    def use(button):
        monkeypatch.setattr(
            QMessageBox, "question", lambda parent, title, text: questions.append(text) or button
        )
        return questions

    return use


def test_that_stop_was_taken_is_seen_at_once(window, running, until):
    running()
    live = window.scope
    QTest.mouseClick(live.run_button, Qt.MouseButton.LeftButton)
    assert live.run_button.text() == "Stopping …" and not live.run_button.isEnabled()
    next_frame(live.painter)
    assert live.step.text().endswith("ending after this batch")
    until(lambda: window.station.state.link is Link.READY)
    assert live.run_button.text() == "Run" and live.run_button.isEnabled()


def test_a_run_that_was_stopped_is_interrupted_and_not_invalid(window, running, until):
    running()
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
    next_frame(window.scope.painter)
    counters = window.scope.counters
    assert counters.text().startswith("■ interrupted: stopped in the app after")
    assert counters.property("role") == "warning" and "the counters agree" in counters.toolTip()
    run = read(window.station.state.folder)
    assert not run.run.valid and run.run.interrupted
    assert summary.verdict(run.run).startswith("interrupted: stopped in the app after")
    assert Entry(run.path, run.run).cells["verdict"].startswith("interrupted: ")


def test_a_run_that_was_stopped_and_is_wrong_is_invalid(tmp_path):
    ended = {"reason": "interrupted", "message": "stopped", "time": "2026-11-22T10:00:00Z"}
    both = write_run(
        tmp_path / "both", described(), [60] * 9, ended=ended, valid=False, reasons=["stopped", "x"]
    )
    assert not both.interrupted and summary.verdict(both) == "INVALID: stopped; x"


def test_closing_in_a_run_asks_first(window, running, until, answer):
    running()
    questions = answer(QMessageBox.StandardButton.No)
    assert not window.close()
    name = window.station.state.folder.name
    assert len(questions) == 1 and questions[0].startswith(f"{name} goes on. Stop it")
    assert window.isVisible() and window.station.state.link is Link.MEASURING
    questions = answer(QMessageBox.StandardButton.Yes)
    folder = window.station.state.folder
    assert window.close() and len(questions) == 2
    run = read(folder).run
    assert run.ended.message.startswith("the window was closed") and run.interrupted
    assert not window.close() or len(questions) == 2  # nothing goes on any more


@pytest.mark.parametrize("moment", ["hello", "between repeats", "lost"])
def test_nothing_begins_once_the_window_is_closed(window, until, fake_twin, board, moment):
    """A thread that is begun then would be destroyed while it runs, and Qt aborts."""
    station = window.station
    if moment == "hello":
        fake_twin()
        start_twin(window)  # measures as soon as the twin has answered
    elif moment == "between repeats":
        connect(window, board().port)
        until(lambda: station.state.link is Link.READY)
        fill(window, "count", "20")
        fill(window, "repeats", "50")
        run_or_stop(window)
    else:
        one = board()
        connect(window, one.port)
        until(lambda: station.state.link is Link.READY)
        fill(window, "count", "100000")
        run_or_stop(window)
        until(lambda: station.state.done > 0)
        one.close()
    window.without_asking = True
    window.close()
    begun = len(station.findChildren(QThread))
    for _ in range(20):
        QApplication.processEvents()
    threads = station.findChildren(QThread)
    assert len(threads) <= begun and not any(thread.isRunning() for thread in threads)
    own = Qt.FindChildOption.FindDirectChildrenOnly
    assert not any(timer.isActive() for timer in station.findChildren(QTimer, options=own))


def test_without_a_target_nobody_is_told_to_press_a_button_that_is_off(window, until, fake_twin):
    go_to(window, "Scope")
    next_frame(window.scope.painter)
    trace = window.scope.trace.widget
    assert "no target: connect to one (Ctrl+1), or open a run folder (Ctrl+O)" in texts(trace)
    assert not window.scope.run_button.isEnabled()
    fake_twin()
    connect(window, "twin")
    window.scope.painter.paint()  # as it does once the screen is seen
    assert any(text.startswith("asking twin") for text in texts(trace))
    until(lambda: window.station.state.link is Link.READY)
    go_to(window, "Scope")
    next_frame(window.scope.painter)
    assert "no run yet: press Run" in texts(trace) and window.scope.run_button.isEnabled()
    axes = [trace.getPlotItem().getAxis(side) for side in ("left", "bottom")]
    assert not any(axis.isVisible() for axis in axes)


def test_a_fault_of_the_experiment_goes_away_when_it_is_mended(window, until, fake_twin, tmp_path):
    fake_twin()
    stimulus = window.pattern
    fill(window, "high", "12 ns")
    start_twin(window)
    until(window.fault.isVisible)
    assert window.pattern.isVisible()
    fill_line(window, 0, "high", "13 ns")
    assert window.fault.isVisible()  # still wrong
    fill_line(window, 0, "high", "1 ms")
    assert not window.fault.isVisible()
    stimulus.load(tmp_path / "none.toml")
    assert window.fault.isVisible()
    stimulus.save(tmp_path / "mine.toml")
    stimulus.load(tmp_path / "mine.toml")
    assert not window.fault.isVisible()


def test_a_fault_of_something_else_stays(window, until, tmp_path):
    window.opener.open_run(tmp_path / "none")
    until(lambda: window.station.state.fault is not None)
    fill(window, "seed", "3")
    assert window.fault.isVisible()


def test_space_is_for_what_has_the_focus(window, running, until):
    running()
    live = window.scope
    until(lambda: window.station.feed.picture is not None)  # without one nothing can be paused
    window.activateWindow()
    live.chip.setFocus()
    until(live.chip.hasFocus)
    QTest.keyClick(live.chip, Qt.Key.Key_Space)
    assert live.chip.isChecked() and not window.station.state.stopping
    live.threshold.setFocus()
    QTest.keyClick(live.threshold, Qt.Key.Key_Space)
    QTest.keyClick(live.figures.table, Qt.Key.Key_Space)
    assert not window.station.state.stopping
    live.threshold.hidePopup()
    live.setFocus()
    QTest.keyClick(live, Qt.Key.Key_Space)
    assert window.station.state.stopping
    until(lambda: window.station.state.link is Link.READY)
    # Also from a plot, which takes no key for itself.
    QTest.keyClick(live.trace.widget, Qt.Key.Key_Space)
    assert window.station.state.link is Link.MEASURING
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)


def test_a_report_is_read_in_the_window_and_one_that_nothing_opens_says_where_it_is(
    window, board, measure, until, monkeypatch
):
    measure(board().port, 50)
    until(lambda: window.library.table.rowCount() == 1)
    monkeypatch.setattr("PyQt6.QtGui.QDesktopServices.openUrl", lambda url: False)
    library = window.library
    go_to(window, "Library")
    click_row(library.table, 0)
    click(library.buttons["report"])
    until(lambda: "Time trace" in library.pages.browser.toPlainText())
    assert "irqscope report" in window.log.text.toPlainText()
    library.pages.outside.trigger()
    until(lambda: window.station.state.fault is not None)
    path = window.station.state.folder / "report.html"
    assert str(path.resolve()) in window.fault.cause.text() and path.exists()
    assert "in a browser" in window.fault.remedy.text()
    QTest.keyClick(library.pages.browser, Qt.Key.Key_Escape)
    assert library.table.isVisible() and not library.pages.browser.isVisible()


def test_what_is_waited_for_and_target_time_are_told_apart(window, running, until):
    running()
    next_frame(window.scope.painter)
    assert "left" in window.scope.step.text()
    until(lambda: "N too small" in window.scope.figures.more.text())
    assert "of target time more" in window.scope.figures.more.text()
    run_or_stop(window)
    until(lambda: window.station.state.link is Link.READY)
