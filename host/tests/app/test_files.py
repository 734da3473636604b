"""Files by menu and by drag and drop; a user's name, note and tags of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from app.by_hand import choose, click, click_row, drop, fill, go_to, next_frame, open_folder, write
from app.on_screen import symbols
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication, QDialog, QPushButton

from irqscope.results import note
from irqscope_app.library.notes import AskNote
from irqscope_app.library.screen import COLUMNS


@pytest.fixture
def folder(tmp_path):
    write_run(tmp_path / "run", described(), [60, 70] * 20)
    return tmp_path / "run"


def menu(window, name):
    """Entries of a menu of the bar, by text."""
    bar = window.menuBar()
    (submenu,) = (a.menu() for a in bar.actions() if a.text().replace("&", "") == name)
    return submenu, {action.text(): action for action in submenu.actions()}


@pytest.mark.parametrize("what", ["", "run.json"])
def test_a_run_that_is_dropped_is_opened(window, until, folder, what):
    assert drop(window, folder / what if what else folder)
    until(lambda: window.station.state.folder == folder)
    assert window.scope.isVisible()


def test_an_experiment_that_is_dropped_is_taken(window, experiment):
    path = experiment(("count = 2400", "count = 77"))
    assert drop(window, path)
    assert window.pattern.isVisible() and window.pattern.draft.experiment.count == 77
    assert not window.pattern.toml.acceptDrops()


def test_nothing_else_is_taken(window, tmp_path, folder):
    (tmp_path / "letter.pdf").write_text("x")
    (tmp_path / "empty").mkdir()
    assert not drop(window, tmp_path / "letter.pdf")
    assert not drop(window, tmp_path / "empty")
    assert not drop(window, folder, tmp_path / "letter.pdf")
    assert not drop(window, *[folder] * 9)
    assert not drop(window, tmp_path / "gone.toml")


def test_what_is_no_run_folder_has_a_remedy_in_the_window(window, until, tmp_path, folder):
    window.opener.open_run(tmp_path / "empty")
    until(lambda: window.station.state.fault is not None)
    assert window.station.state.fault.remedy == "choose one on the Library screen"
    open_folder(window, folder)
    until(lambda: window.station.state.folder == folder)
    assert window.station.state.fault is None


def test_several_runs_that_are_dropped_are_compared(window, tmp_path, folder):
    write_run(tmp_path / "other", described(), [61, 71] * 20)
    assert drop(window, folder, tmp_path / "other" / "run.json")
    assert window.compare.isVisible()
    assert f"1: {folder}, 2: {tmp_path / 'other'}." in window.compare.hint.text()


def test_a_folder_of_runs_is_looked_into_and_new_runs_go_where_they_went(window, until, folder):
    runs = window.preferences.runs
    assert drop(window, folder.parent)
    assert window.library.isVisible() and window.preferences.runs == runs
    until(lambda: window.library.table.rowCount() == 1)
    assert window.library.folder.text() == f"{folder.parent}; new runs go to {runs}"
    assert window.preferences.recent[0] == str(folder.parent)


def test_a_suite_that_is_dropped_offers_its_runs(window, until):
    suite = Path(__file__).parents[3] / "experiments" / "wake-up" / "suite.toml"
    assert drop(window, suite)
    assert window.experiments.isVisible()
    until(window.experiments.chooser.checked)
    assert window.experiments.chooser.suite.currentData() == suite
    assert window.preferences.recent[0] == str(suite)


def test_a_run_of_the_library_has_a_menu_with_keys(window, until, folder, qtbot):
    library = window.library
    library.look_into(folder.parent)
    until(lambda: library.table.rowCount() == 1)
    go_to(window, "Library")
    assert library.table.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu
    entries = {entry.text(): entry for entry in library.table.actions()}
    # The first run is chosen, so that keys work at once.
    assert not entries["Compare"].isEnabled() and entries["Report"].isEnabled()
    assert library.focusWidget() is library.table
    qtbot.keyClick(library.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == str(folder)
    qtbot.keyClick(library.table, Qt.Key.Key_Return)
    until(lambda: window.station.state.folder == folder)


def test_a_run_that_is_chosen_stays_so_when_others_come(window, until, folder):
    library = window.library
    library.look_into(folder.parent)
    until(lambda: library.table.rowCount() == 1)
    go_to(window, "Library")
    click_row(library.table, 0)
    for name in ("a", "zz"):
        write_run(folder.parent / name, described(), [60])
    library.refresh()
    until(lambda: library.table.rowCount() == 3)
    assert [entry.path for entry in library.selected()] == [folder]


def test_the_file_menu_opens_saves_and_remembers(window, until, folder, tmp_path, monkeypatch):
    _, entries = menu(window, "File")
    assert list(entries)[:5] == [
        "Open an experiment …",
        "Save the experiment as …",
        "Open a folder …",
        "Import a capture …",
        "Recent",
    ]
    recent = entries["Recent"].menu()
    recent.aboutToShow.emit()
    assert [action.text() for action in recent.actions()] == ["nothing yet"]
    mine = tmp_path / "mine.toml"
    dialogs = "PyQt6.QtWidgets.QFileDialog"
    monkeypatch.setattr(f"{dialogs}.getSaveFileName", lambda *_: (str(mine), ""))
    monkeypatch.setattr(f"{dialogs}.getOpenFileName", lambda *_: (str(mine), ""))
    monkeypatch.setattr(f"{dialogs}.getExistingDirectory", lambda *_: str(folder))
    entries["Save the experiment as …"].trigger()
    assert mine.exists()
    fill(window, "seed", "9")
    entries["Open an experiment …"].trigger()
    assert window.pattern.draft.experiment.seed == 1
    entries["Open a folder …"].trigger()
    until(lambda: window.station.state.folder == folder)
    recent.aboutToShow.emit()
    texts = [action.text() for action in recent.actions()]
    assert [text.rpartition("/")[2] for text in texts] == ["run", "mine.toml"]
    go_to(window, "Connect")
    recent.actions()[1].trigger()
    assert window.pattern.isVisible()
    # The Connect screen has the same, without missing ones.
    shown = window.connect_screen.recent
    window.connect_screen.show_recent()
    buttons = [shown.itemAt(n).widget().findChild(QPushButton) for n in range(shown.count())]
    assert [one.text() for one in buttons] == ["Open", "Open"]
    go_to(window, "Connect")
    buttons[1].click()
    assert window.pattern.isVisible()
    mine.unlink()
    window.connect_screen.show_recent()
    assert shown.count() == 1


def test_a_run_gets_a_name_and_a_note(window, until, folder, irqscope, monkeypatch):
    window.preferences.runs = folder.parent
    library = window.library
    library.refresh()
    until(lambda: library.table.rowCount() == 1)
    go_to(window, "Library")
    click_row(library.table, 0)

    def answer(asked):
        asked.name.setText("warm lab")
        asked.note.setPlainText("the heater was on")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AskNote, "exec", answer)
    click(library.buttons["notes"])
    cell = COLUMNS.index("note")
    until(lambda: library.table.item(0, cell).text() == "the heater was on")
    assert library.table.item(0, COLUMNS.index("name")).text() == "warm lab (t2)"
    assert irqscope("note", folder)[1] == "warm lab\nthe heater was on\n"
    assert "irqscope note" in window.log.text.toPlainText()
    write(library.search, "heater")
    assert not library.table.isRowHidden(0)
    monkeypatch.setattr(AskNote, "exec", lambda asked: QDialog.DialogCode.Rejected)
    click_row(library.table, 0)
    click(library.buttons["notes"])
    assert note.read(folder).name == "warm lab"


def test_mean_deviation_range_and_rate_are_those_of_the_latencies(window, board, measure, until):
    measure(board().port, 200)
    figures = window.scope.figures
    choose(figures.unit, "ticks")
    next_frame(window.scope.painter)
    (cloud,) = symbols(window.scope.trace.widget)
    times, values = cloud.getData()
    expected = {
        "mean": f"{values.mean():.1f}",
        "deviation": f"{values.std():.1f}",
        "range": str(int(values.max() - values.min())),
        "rate, 1/s": f"{(len(values) - 1) / (times[-1] - times[0]):.4g}",
    }
    assert values.std() > 0
    assert {name: figures.cell("whole run", name) for name in expected} == expected
    until(lambda: figures.cell("visible", "mean") == expected["mean"])
    middle = times[len(times) // 2]
    window.scope.trace.look_at(0.0, float(middle))
    window.scope.moved(False)
    until(lambda: figures.cell("visible", "N") == str(int((times <= middle).sum())))
    assert figures.cell("visible", "mean") == f"{values[times <= middle].mean():.1f}"


def test_there_is_no_mean_of_what_is_censored(window, board, measure):
    measure(board(silent_every=4).port, 40)
    assert window.scope.figures.cell("whole run", "no answer")
    assert not window.scope.figures.cell("whole run", "mean")
