"""Runs in tabs: others are looked at while one goes on, and each keeps what was set on it."""

from __future__ import annotations

import pytest
from app.by_hand import fill, go_to, next_frame, open_folder, run_or_stop, start_twin
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from irqscope.results.reader import read
from irqscope_app.control import folders
from irqscope_app.control.state import Link
from irqscope_app.library.screen import COLUMNS


def click_tab(window, place):
    """Shows the run of a tab, and waits until it is painted."""
    bar = window.scope.tabs.bar
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(place).center())
    next_frame(window.scope.painter)


def names(window):
    """Texts of the tabs without the time of day."""
    bar = window.scope.tabs.bar
    return [bar.tabText(place).split("  ")[0] for place in range(bar.count())]


def test_another_run_is_looked_at_while_one_goes_on(window, until, fake_twin, tmp_path):
    write_run(tmp_path / "other", described(name="other"), [60, 70] * 20)
    fake_twin(batch_s=0.05)
    fill(window, "count", "100000")
    start_twin(window)
    station, scope = window.station, window.scope
    until(lambda: station.state.done > 0 and scope.figures.cell("whole run", "N"))
    measured = station.state.folder
    scope.threshold.setCurrentText("count beyond")
    next_frame(scope.painter)
    scope.plots.limit.value = 1e6  # no latency ends the run
    scope.threshold.setCurrentText("stop beyond")
    next_frame(scope.painter)
    limit = station.live.longest_ticks
    QTest.keyClick(scope, Qt.Key.Key_A)

    open_folder(window, tmp_path / "other")
    until(lambda: scope.figures.cell("whole run", "N") == "40")
    assert names(window) == ["● t2", "✓ other"] and scope.tabs.bar.currentIndex() == 1
    assert scope.threshold.currentText() == "threshold off" and not scope.plots.cursors.all
    QTest.keyClick(scope, Qt.Key.Key_W)
    until(lambda: window.worst.chosen and window.worst.chosen.row["latency_ticks"] == 70)
    # The run goes on, with the threshold that it was given.
    completed = station.state.done
    until(lambda: station.state.done > completed + 50)
    assert station.state.link is Link.MEASURING and station.live.longest_ticks == limit
    assert scope.figures.cell("whole run", "N") == "40" and scope.run_button.text() == "Stop"

    click_tab(window, 0)
    until(lambda: int(scope.figures.cell("whole run", "N") or 0) > completed)
    assert station.state.folder == measured and window.worst.chosen is None
    assert scope.threshold.currentText() == "stop beyond"
    assert [cursor.name for cursor in scope.plots.cursors.all] == ["A"]
    click_tab(window, 1)
    run_or_stop(window)
    until(lambda: station.state.link is Link.READY)
    assert station.state.folder == tmp_path / "other"  # the end of a run takes no tab away
    assert names(window) == ["■ t2", "✓ other"]
    QTest.keyClick(scope, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    until(lambda: scope.figures.cell("whole run", "N") == str(read(measured).run.stats[0].n))
    assert names(window) == ["■ t2"]
    QTest.keyClick(scope, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert names(window) == ["■ t2"]  # that of the next run, too


@pytest.fixture
def several(window, until, tmp_path, monkeypatch):
    """Three open runs, of which a row of three tabs has room for two."""
    monkeypatch.setattr(folders, "MOST", 3)
    for number, name in enumerate(("a", "b", "c"), 1):
        write_run(tmp_path / name, described(name=name), [60, 70] * 10 * number)
        open_folder(window, tmp_path / name)
        until(lambda name=name: window.station.state.folder == tmp_path / name)
    return window


def test_a_row_that_is_full_closes_the_tab_that_was_opened_first(several, until, tmp_path):
    window, scope = several, several.scope
    assert names(window) == ["Next run", "✓ b", "✓ c"]
    scope.trace.look_at(0.0, 1e-8)
    until(lambda: scope.chip.isChecked() and "20" not in scope.figures.cell("visible", "N"))
    visible_range = scope.trace.visible
    click_tab(window, 1)
    assert scope.trace.visible != visible_range and not scope.chip.isChecked()
    open_folder(window, tmp_path / "c")  # which has a tab, and is read again
    until(lambda: window.station.state.at == 2 and window.station.state.folder)
    assert names(window) == ["Next run", "✓ b", "✓ c"]
    window.opener.open_run(tmp_path / "nothing")
    until(lambda: window.station.state.fault is not None)
    assert window.station.state.folder == tmp_path / "c" and scope.tabs.bar.count() == 3
    go_to(window, "Scope")
    QTest.mouseClick(scope.tabs.bar.tabButton(2, scope.tabs.bar.ButtonPosition.RightSide),
                     Qt.MouseButton.LeftButton)  # fmt: skip
    until(lambda: scope.figures.cell("whole run", "N") == "40")
    assert names(window) == ["Next run", "✓ b"]


def test_a_reference_is_taken_from_the_library(several, until, tmp_path):
    window = several
    slow = described(name="a", lines=[{"high": "1 ms", "low": "6 ms"}])
    write_run(tmp_path / "d", slow, [60, 70])
    window.preferences.runs = tmp_path
    window.library.refresh()
    until(lambda: window.library.table.rowCount() == 4)
    go_to(window, "Library")
    library = window.library
    row = next(n for n in range(4) if library.entry(n).path == tmp_path / "a")
    differs = {
        library.entry(n).path.name: library.table.item(n, COLUMNS.index("differs in")).text()
        for n in range(4)
    }
    assert differs == {"a": "low 4 ms", "b": "", "c": "", "d": "low 6 ms"}
    library.table.selectRow(row)
    library.actions_of_run["reference"].trigger()
    until(lambda: window.scope.figures.cell("reference", "N") == "20")
    assert window.scope.isVisible()
