"""Files by menu and by drag and drop; what a user says of a run."""

from __future__ import annotations

import pytest
from irqscope_fake.folder import experiment as described
from irqscope_fake.folder import write_run
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QDialog, QPushButton

from irqscope.gui.notes import AskNote
from irqscope.results import note
from irqscope.results.library import COLUMNS


def drop(widget, *paths):
    """Drags files onto a widget and lets them go there; whether they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    rest = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton)
    modifiers = Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(5, 5), *rest, modifiers)
    entered.setAccepted(False)
    QApplication.sendEvent(widget, entered)
    if entered.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(5, 5), *rest, modifiers))
    return entered.isAccepted()


@pytest.fixture
def folder(tmp_path):
    write_run(tmp_path / "run", described(), [60, 70] * 20)
    return tmp_path / "run"


def menu(window, name):
    """Entries of a menu of the bar, by text."""
    bar = window.menuBar()
    (found,) = (a.menu() for a in bar.actions() if a.text().replace("&", "") == name)
    return found, {action.text(): action for action in found.actions()}


@pytest.mark.parametrize("what", ["", "run.json"])
def test_a_run_that_is_dropped_is_opened(window, until, folder, what):
    assert drop(window, folder / what if what else folder)
    until(lambda: window.station.state.folder == folder)
    assert window.live.isVisible()


def test_an_experiment_that_is_dropped_is_taken(window, experiment):
    path = experiment(("count = 2400", "count = 77"))
    assert drop(window, path)
    assert window.stimulus.isVisible() and window.stimulus.draft.experiment.count == 77
    assert not window.stimulus.toml.acceptDrops()


def test_nothing_else_is_taken(window, tmp_path, folder):
    (tmp_path / "letter.txt").write_text("x")
    assert not drop(window, tmp_path / "letter.txt")
    assert not drop(window, tmp_path)
    assert not drop(window, folder, folder)
    assert not drop(window, tmp_path / "gone.toml")


def test_the_file_menu_opens_saves_and_remembers(window, until, folder, tmp_path, monkeypatch):
    _, entries = menu(window, "File")
    assert list(entries)[:4] == [
        "Open an experiment …",
        "Save the experiment as …",
        "Open a run folder …",
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
    window.stimulus.draft.set(("seed",), 9)
    entries["Open an experiment …"].trigger()
    assert window.stimulus.draft.experiment.seed == 1
    entries["Open a run folder …"].trigger()
    until(lambda: window.station.state.folder == folder)
    recent.aboutToShow.emit()
    texts = [action.text() for action in recent.actions()]
    assert [text.rpartition("/")[2] for text in texts] == ["run", "mine.toml"]
    window.go_to("Connect")
    recent.actions()[1].trigger()
    assert window.stimulus.isVisible()
    # The same stands on the Connect screen; what is gone does not.
    shown = window.connect_screen.recent
    window.connect_screen.show_recent()
    buttons = [shown.itemAt(n).widget().findChild(QPushButton) for n in range(shown.count())]
    assert [one.text() for one in buttons] == ["Open", "Open"]
    window.go_to("Connect")
    buttons[1].click()
    assert window.stimulus.isVisible()
    mine.unlink()
    window.connect_screen.show_recent()
    assert shown.count() == 1


def test_a_run_gets_a_name_and_a_note(window, until, folder, irqscope, monkeypatch):
    window.preferences.runs = folder.parent
    library = window.library
    library.refresh()
    until(lambda: library.table.rowCount() == 1)
    library.table.selectRow(0)

    def fill(asked):
        asked.name.setText("warm lab")
        asked.note.setPlainText("the heater was on")
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(AskNote, "exec", fill)
    library.notes.click()
    cell = COLUMNS.index("note")
    until(lambda: library.table.item(0, cell).text() == "the heater was on")
    assert library.table.item(0, COLUMNS.index("name")).text() == "warm lab (t2)"
    assert irqscope("note", folder)[1] == "warm lab\nthe heater was on\n"
    assert "irqscope note" in window.log.text.toPlainText()
    library.search.setText("heater")
    assert not library.table.isRowHidden(0)
    monkeypatch.setattr(AskNote, "exec", lambda asked: QDialog.DialogCode.Rejected)
    library.table.selectRow(0)
    library.notes.click()
    assert note.read(folder).name == "warm lab"


def test_mean_deviation_range_and_rate_are_those_of_the_latencies(window, board, measure, until):
    measure(board().port, 200)
    figures = window.live.figures
    figures.unit.setCurrentText("ticks")
    window.live.paint_data()
    trace = next(iter(window.station.feed._traces.channels.values()))
    values, times = trace.copy(0, len(trace)).astype(float), trace.times(0, len(trace))
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
    window.live.trace.look_at(0.0, float(middle))
    window.live._moved()
    until(lambda: figures.cell("visible", "N") == str(int((times <= middle).sum())))
    assert figures.cell("visible", "mean") == f"{values[times <= middle].mean():.1f}"


def test_there_is_no_mean_of_what_is_censored(window, board, measure):
    measure(board(silent_every=4).port, 40)
    assert window.live.figures.cell("whole run", "no answer")
    assert not window.live.figures.cell("whole run", "mean")
