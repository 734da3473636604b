"""Suites in the window: the same folders as those of the command line, and gone on with by it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from app.by_hand import add_to_queue, choose, click, click_row, connect, drop, fill, go_to
from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QTextDocument
from PyQt6.QtWidgets import QApplication

from irqscope import experiment as experiments
from irqscope.errors import ExperimentError
from irqscope.results.reader import read
from irqscope_app.control.state import Link
from irqscope_app.experiments.rows import COLUMNS

T2 = Path(__file__).parents[3] / "experiments" / "horst2020" / "t2.toml"
SUITE = """name = "two"
card = "horst2020"
[[items]]
file = "t2.toml"
quick = { count = 20 }
[[items]]
file = "slow.toml"
quick = { count = 2000 }
"""


@pytest.fixture
def suite(tmp_path):
    """A folder with a suite of a short run and of one of ten batches."""
    text = T2.read_text(encoding="utf-8")
    (tmp_path / "t2.toml").write_text(text, encoding="utf-8")
    (tmp_path / "slow.toml").write_text(
        text.replace('name = "t2"', 'name = "slow"'), encoding="utf-8"
    )
    (tmp_path / "suite.toml").write_text(SUITE, encoding="utf-8")
    return tmp_path / "suite.toml"


@pytest.fixture
def queue(window, until, suite, qtbot):
    """Puts the suite into the queue of a window that is connected to a twin."""

    def add(only=None, connected=False):
        screen = window.experiments
        if not connected:
            connect(window, "twin")
            until(lambda: window.station.state.link is Link.READY)
        go_to(window, "Experiments")
        chooser = screen.chooser
        chooser.use(suite)
        until(lambda: chooser.runs.topLevelItemCount() == 2)
        chooser.check(["t2", "slow"] if only is None else [only])
        before = len(screen.queue.jobs)
        qtbot.mouseClick(chooser.add_button, Qt.MouseButton.LeftButton)
        until(lambda: len(screen.queue.jobs) > before)
        return screen

    return add


def cells(screen, column):
    place = COLUMNS.index(column)
    return [screen.table.item(row, place).text() for row in range(screen.table.rowCount())]


def items(chooser):
    """Rows of the suite, hidden ones too."""
    return [chooser.runs.topLevelItem(row) for row in range(chooser.runs.topLevelItemCount())]


def test_a_queue_is_run_and_each_line_is_the_command_lines(
    window, queue, until, fake_twin, qtbot, irqscope
):
    fake_twin()
    screen = queue()
    queue("t2", connected=True)  # the same suite again, a part of it, into a folder of its own
    assert cells(screen, "run") == ["t2", "slow", "t2"]
    assert cells(screen, "stimuli") == ["0 of 20", "0 of 2000", "0 of 20"]
    click(screen.run_button)
    assert screen.run_button.text() == "Stop"
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["valid"] * 3
    assert cells(screen, "stimuli") == ["20", "2000", "20"]
    assert all(text.isdecimal() for text in cells(screen, "p50, ns"))
    assert cells(screen, "p99.9, ns")[0] == "N too small" and all(cells(screen, "time"))
    first, _, second = (Path(shlex.split(line)[-2]) for line in cells(screen, "command"))
    assert first != second
    for folder in (first, second):
        assert json.loads((folder / "suite.json").read_text())["ended"]["reason"] == "complete"
        assert (folder / "card.html").exists() and (folder / "t2" / "report.html").exists()

    # The line of an item finds what the window has measured.
    code, output, _ = irqscope(*shlex.split(cells(screen, "command")[0])[1:])
    assert code == 0 and "valid, kept" in output
    until(lambda: window.library.table.rowCount() == 3)
    row = screen.table.visualItemRect(screen.table.item(1, 0)).center()
    for once in (qtbot.mouseClick, qtbot.mouseDClick):  # as a hand does it: the second is both
        once(screen.table.viewport(), Qt.MouseButton.LeftButton, pos=row)
    until(lambda: window.station.state.folder == first / "slow")
    assert window.scope.isVisible()


def test_stop_keeps_what_is_complete_and_the_queue_goes_on(window, queue, until, fake_twin, qtbot):
    fake_twin(batch_s=0.2)
    screen = queue()
    click(screen.run_button)
    until(lambda: screen.queue.running == "slow" and window.station.state.done)
    until(lambda: "left" in screen.step.text())
    assert screen.bar.isVisible()
    assert cells(screen, "state") == ["valid", "running"]
    click(screen.run_button)
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["valid", "interrupted"]
    out = screen.queue.jobs[0].out
    message = json.loads((out / "suite.json").read_text())["ended"]["message"]
    assert message.startswith("stopped in the app")
    fake_twin()
    click(screen.run_button)
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["valid, kept", "valid"]


def test_an_item_that_fails_is_told_and_the_next_one_is_run(window, queue, until, fake_twin, qtbot):
    fake_twin()
    screen = queue()
    fake_twin(die_at_batch=1, complain="the simulated core stepped on a rake")
    click(screen.run_button)
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["failed", "failed"]
    assert "stepped on a rake" in window.log.text.toPlainText()
    assert screen.run_button.text() == "Run the queue"


def test_a_suite_that_cannot_be_read_is_told_and_lists_nothing(window, until, suite):
    go_to(window, "Experiments")
    chooser = window.experiments.chooser
    chooser.use(suite)
    until(chooser.checked)
    broken = suite.with_name("broken.toml")
    broken.write_text('name = "x"\n', encoding="utf-8")
    chooser.use(broken)
    until(lambda: window.station.state.fault is not None)
    assert "broken.toml" in window.station.state.fault.cause
    assert chooser.runs.topLevelItemCount() == 0 and not chooser.add_button.isEnabled()
    chooser.use(suite)
    until(chooser.checked)
    assert window.station.state.fault is None  # the mistake is mended


def test_an_answer_that_comes_late_says_nothing_of_the_suite_asked_for_since(
    window, suite, monkeypatch
):
    go_to(window, "Experiments")
    chooser = window.experiments.chooser
    calls = []
    monkeypatch.setattr(window.station, "begin", lambda *work: calls.append(work))
    broken = suite.with_name("broken.toml")
    broken.write_text('name = "x"\n', encoding="utf-8")
    chooser.use(suite)
    chooser.use(broken)
    (load, loaded, _), (_, _, failed) = calls
    failed(ExperimentError("broken.toml: items: missing"))
    loaded(load())
    assert "broken.toml" in window.station.state.fault.cause and not chooser.checked()
    chooser.use(suite)
    calls[2][1](calls[2][0]())
    failed(ExperimentError("too late"))
    assert window.station.state.fault is None and chooser.checked()


def test_runs_are_searched_and_checked(window, until, suite, qtbot):
    (suite.parent / "slow.toml").write_text(
        (suite.parent / "slow.toml").read_text().replace("one interrupt", "ten batches"),
        encoding="utf-8",
    )
    go_to(window, "Experiments")
    chooser = window.experiments.chooser
    chooser.use(suite)
    until(lambda: chooser.checked() == ("t2", "slow"))
    assert chooser.add_button.text() == "Add 2 runs to the queue"
    qtbot.keyClicks(chooser.search, "TEN batch")
    assert [item.isHidden() for item in items(chooser)] == [True, False]
    qtbot.mouseClick(chooser.none, Qt.MouseButton.LeftButton)
    assert chooser.checked() == ("t2",)
    assert chooser.add_button.text() == "Add 1 run to the queue"
    # Other counts of the same suite keep the ticks.
    choose(chooser.counts, "paper")
    until(lambda: items(chooser)[0].text(1) == "2400")
    assert chooser.checked() == ("t2",)
    chooser.search.clear()
    qtbot.mouseClick(chooser.none, Qt.MouseButton.LeftButton)
    assert not chooser.add_button.isEnabled()
    # The keyboard alone is enough.
    index = chooser.runs.indexFromItem(items(chooser)[1], 2)  # its name, next to its box
    place = chooser.runs.visualRect(index).center()
    qtbot.mouseClick(chooser.runs.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.keyClick(chooser.runs, Qt.Key.Key_Space)
    assert chooser.checked() == ("slow",)
    qtbot.mouseClick(chooser.add_button, Qt.MouseButton.LeftButton)
    until(lambda: cells(window.experiments, "run") == ["slow"])
    assert cells(window.experiments, "stimuli") == ["0 of 2400"]
    # While another suite is read, nothing of the one before can be added.
    other = Path(__file__).parents[3] / "experiments" / "wake-up" / "suite.toml"
    chooser.use(other)
    assert not chooser.checked() and not chooser.add_button.isEnabled()
    until(chooser.checked)


def test_rows_are_moved_and_removed_while_another_one_runs(window, queue, until, fake_twin, qtbot):
    fake_twin(batch_s=0.2)
    screen = queue("slow")
    queue(connected=True)
    fill(window, "count", "30")
    add_to_queue(window)
    assert cells(screen, "run") == ["slow", "t2", "slow", "t2"]
    assert cells(screen, "suite") == ["two", "two", "two", "-"]
    click(screen.run_button)
    until(lambda: screen.queue.running == "slow" and window.station.state.done)
    click_row(screen.table, 0)  # a running one keeps its place
    assert not any(screen.buttons[name].isEnabled() for name in ("up", "down", "remove"))
    click_row(screen.table, 3)
    screen.table.setFocus()
    qtbot.keyClick(screen.table, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert cells(screen, "suite") == ["two", "-", "two", "two"]
    assert screen.table.currentRow() == 1 and not screen.buttons["up"].isEnabled()
    click_row(screen.table, 3)
    qtbot.mouseClick(screen.buttons["remove"], Qt.MouseButton.LeftButton)
    assert cells(screen, "run") == ["slow", "t2", "t2"]
    fake_twin()
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["valid"] * 3
    assert cells(screen, "stimuli") == ["2000", "30", "20"]
    record = json.loads((screen.queue.jobs[2].out / "suite.json").read_text())
    assert {name: item["state"] for name, item in record["items"].items()} == {
        "t2": "valid",
        "slow": "left out",
    }
    click_row(screen.table, 1)
    screen.table.setFocus()
    qtbot.keyClick(screen.table, Qt.Key.Key_Delete)
    assert cells(screen, "run") == ["slow", "t2"] and screen.table.currentRow() == 1


def test_the_card_of_a_suite_is_read_in_the_window(window, queue, until, fake_twin, qtbot):
    fake_twin()
    screen = queue("t2")
    click_row(screen.table, 0)
    assert not screen.buttons["card"].isEnabled()
    click(screen.run_button)
    until(lambda: screen.queue.job is None)
    qtbot.mouseClick(screen.buttons["card"], Qt.MouseButton.LeftButton)
    until(lambda: "benchmark card" in screen.pages.browser.toPlainText())
    page = screen.pages.browser
    assert page.isVisible() and "Latency of the cases (figure 4 a)" in page.toPlainText()
    picture = page.document().resource(
        QTextDocument.ResourceType.ImageResource.value, QUrl("plot:0")
    )
    assert 480 <= picture.width() < page.viewport().width()
    page.anchorClicked.emit(QUrl("t2/report.html"))
    until(lambda: window.station.state.folder == screen.queue.jobs[0].out / "t2")
    go_to(window, "Experiments")
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert screen.table.isVisible()
    page.clear()
    go_to(window, "Library")
    assert drop(window, screen.queue.jobs[0].out)  # as a card of any suite's folder
    until(lambda: page.isVisible() and "benchmark card" in page.toPlainText())


def test_one_experiment_is_queued_beside_a_suite_with_the_counters_of_each_repeat(
    window, queue, until, fake_twin, qtbot, irqscope
):
    fake_twin()
    screen = queue("t2")
    fill(window, "repeats", "2")
    fill(window, "count", "30")
    add_to_queue(window)
    assert screen.isVisible()
    assert cells(screen, "suite") == ["two", "-", "-"]
    assert cells(screen, "run") == ["t2", "t2.1", "t2.2"]
    click(screen.run_button)
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["valid"] * 3
    assert cells(screen, "stimuli") == ["20", "30", "30"] and all(cells(screen, "time"))
    job = screen.queue.jobs[1]
    for name, seed in (("t2.1", 1), ("t2.2", 2)):
        run = read(job.folder(name)).run
        assert run.experiment.seed == seed and run.counters[0].served == 30

    # The experiment was on no disk: it is now, and the line of its row measures the same.
    words = shlex.split(screen.command(2))
    assert words[:2] == ["irqscope", "run"] and experiments.load(Path(words[2])).repeats == 2
    repeated = job.out.with_name("again")
    assert irqscope(*words[1:-1], repeated)[0] == 0
    assert read(repeated / "2").run.stats == read(job.out / "2").run.stats


def test_a_repeat_that_was_stopped_is_run_again_and_the_first_one_is_kept(
    window, queue, until, fake_twin, qtbot
):
    fake_twin(batch_s=0.1)
    screen = queue("t2")
    screen.queue.clear()
    fill(window, "repeats", "2")
    fill(window, "count", "400")
    add_to_queue(window)
    click(screen.run_button)
    until(lambda: screen.queue.running == "t2.2" and window.station.state.done)
    click(screen.run_button)
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["valid", "interrupted"]
    assert "1 runs waiting" in screen.step.text()
    first = read(screen.queue.jobs[0].folder("t2.1")).run.started
    fake_twin()
    click(screen.run_button)
    until(lambda: screen.queue.job is None)
    assert cells(screen, "state") == ["valid", "valid"]
    assert read(screen.queue.jobs[0].folder("t2.1")).run.started == first


def test_the_line_of_a_row_is_copied(window, queue, until, fake_twin, qtbot):
    fake_twin()
    screen = queue("t2")
    assert not screen.buttons["copy"].isEnabled()
    click_row(screen.table, 0)
    click(screen.buttons["copy"])
    line = QApplication.clipboard().text()
    assert line == screen.command(0) and line.startswith("irqscope suite --only t2 ")
    QApplication.clipboard().clear()
    screen.table.setFocus()
    qtbot.keyClick(screen.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == line


def test_suites_are_offered_of_which_the_target_can_run_anything(window, until, fake_twin):
    fake_twin()
    chooser = window.experiments.chooser

    def offered():
        return {chooser.suite.itemText(n) for n in range(chooser.suite.count())}

    go_to(window, "Experiments")
    every = offered()
    connect(window, "twin")
    until(lambda: window.station.state.link is Link.READY)
    go_to(window, "Experiments")
    until(lambda: offered() != every)
    assert every - offered() == {"cv32rt"}  # soft cores alone
    assert chooser.suite.currentText() == "horst2020"
