"""Every dialog by keys alone: answered, and left by Esc."""

from __future__ import annotations

import shutil

import pytest
from app.by_hand import click, click_row, connect, drop, edit_pattern, go_to
from by_keys import meanwhile, menu_key, press, take, write
from irqscope_fake.folder import as_board, rewrite
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QImage
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QInputDialog, QMessageBox

from irqscope.results import note
from irqscope.results.note import read as read_note
from irqscope_app.control.state import Link
from irqscope_app.pattern.draft import Draft
from irqscope_app.pattern.shipped import presets

_CTRL = Qt.KeyboardModifier.ControlModifier


def leave(dialog):
    """As if it had never come."""
    press(Qt.Key.Key_Escape)


def test_a_run_is_named_by_keys_or_not(shown, until, tmp_path):
    go_to(shown, "Library")
    click_row(shown.library.table, 0)
    folder = shown.library.selected()[0].path

    def leave(dialog):
        write(dialog, "no name")
        press(Qt.Key.Key_Escape)

    with meanwhile(leave):
        press(Qt.Key.Key_F2, on=shown.library.table)
    assert not note.read(folder).name

    def answer(dialog):
        write(dialog, "cold")
        press(Qt.Key.Key_Tab)
        write(dialog, "door open")
        press(Qt.Key.Key_Tab)
        press(Qt.Key.Key_Return)

    with meanwhile(answer):
        press(Qt.Key.Key_F2, on=shown.library.table)
    until(lambda: note.read(folder) == note.Note(name="cold", note="door open"))


def test_a_preset_is_found_and_opened_by_keys(shown):
    edit_pattern(shown)
    button = shown.pattern.preset
    button.setFocus()
    before = shown.pattern.draft.path
    with meanwhile(leave):
        press(Qt.Key.Key_Space, on=button)
    assert shown.pattern.draft.path == before

    def answer(dialog):
        write(dialog, "horst2020: t")
        press(Qt.Key.Key_Down)
        opened.append(dialog.list.currentItem().text(0))
        press(Qt.Key.Key_Return)

    opened = []
    with meanwhile(answer):
        press(Qt.Key.Key_Space, on=button)
    path = shown.pattern.draft.path
    assert path != before and opened == [f"{path.parent.name}: {path.stem}"]


def test_presets_leave_out_what_the_target_cannot_run(shown, until, board):
    connect(shown, board().port)
    until(lambda: shown.station.state.link is Link.READY)
    edit_pattern(shown)
    everywhere, here = set(presets()), []

    def look(dialog):
        assert len(dialog.shown()) == len(everywhere)  # none is examined yet
        until(lambda: "need another target" in dialog.windowTitle())
        here.extend(dialog.of(item) for item in dialog.shown())
        press(Qt.Key.Key_Escape)

    with meanwhile(look):
        click(shown.pattern.preset)
    identity = shown.station.state.identity
    for path in everywhere:
        draft = Draft()
        draft.machine, draft.tick_hz = identity.machine, identity.tick_hz
        draft.load(path)
        assert (path in here) == (draft.experiment is not None), (path, draft.problems)
    assert {path.parent.name for path in everywhere - set(here)} >= {"cv32rt"}


def test_a_command_is_found_by_its_words_and_done(shown, until):
    def find(words, *keys):
        def answer(dialog):
            write(dialog, words)
            executed.append([item.text(2) for item in dialog.shown()])
            for key in keys:
                press(key)

        with meanwhile(answer):
            press(Qt.Key.Key_K, on=shown.scope, held=_CTRL)

    executed = []
    go_to(shown, "Scope")
    theme = shown.preferences.theme
    find("dark or light", Qt.Key.Key_Return)
    until(lambda: shown.preferences.theme != theme)
    find("the next cursor", Qt.Key.Key_Return)
    until(lambda: len(shown.scope.plots.cursors.all) == 1)
    find("the view before", Qt.Key.Key_Return, Qt.Key.Key_Escape)  # by its key alone
    find("", Qt.Key.Key_Escape)
    every = executed[-1]
    assert executed[0] == ["Dark or light"] and len(every) == len(set(every)) > 50
    assert {key.text for key in shown.keys.all} <= set(every)
    assert any(text.startswith("Reference: A run drawn behind") for text in every)


def test_a_dialog_for_folders_is_left_by_esc(shown):
    """Choosing a folder in it is not tested here: Qt or the desktop does that."""
    before = shown.station.state.folder

    def leave(dialog):
        assert isinstance(dialog, QFileDialog)
        press(Qt.Key.Key_Escape)

    with meanwhile(leave):
        press(Qt.Key.Key_O, on=shown.scope, held=_CTRL)
    assert shown.station.state.folder == before


def test_a_question_is_left_by_esc(shown):
    """Before the window closes in a run."""
    shown.station.set(link=Link.MEASURING)

    def leave(dialog):
        assert isinstance(dialog, QMessageBox)
        press(Qt.Key.Key_Escape)

    with meanwhile(leave):
        press(Qt.Key.Key_Q, on=shown.scope, held=_CTRL)
    assert shown.isVisible()
    shown.without_asking = True


def test_tags_are_given_by_keys(shown, until):
    go_to(shown, "Library")
    click_row(shown.library.table, 0)
    folder = shown.library.selected()[0].path

    def ask(answer):
        with meanwhile(answer):
            shown.library.actions_of_run["tags"].trigger()

    def leave_it(dialog):
        write(dialog, "+wrong")
        press(Qt.Key.Key_Escape)

    def answer(dialog):
        assert isinstance(dialog, QInputDialog)
        assert dialog.windowTitle() == f"Tags of {folder.name}"
        write(dialog, "+cold +night")
        press(Qt.Key.Key_Return)

    ask(leave_it)
    assert read_note(folder).tags == ()
    ask(answer)
    until(lambda: read_note(folder).tags == ("cold", "night"))
    shown.library.table.selectAll()

    def leave_both(dialog):
        assert {"run-a", "run-b"} <= set(dialog.labelText().splitlines())
        press(Qt.Key.Key_Escape)

    ask(leave_both)


def name_file(dialog, path):
    """And Enter, until the dialog has looked at the folder and takes it."""
    name = dialog.focusWidget()
    QTest.keyClicks(name, str(path))
    for _ in range(200):
        if not dialog.isVisible():
            break
        QTest.keyClick(name, Qt.Key.Key_Return)
        QTest.qWait(20)


@pytest.fixture
def own_dialogs(monkeypatch):
    """Uses Qt's dialogs for files, which have keys here, instead of the desktop's."""
    real = QFileDialog.getSaveFileName

    def asked(*words, **more):
        return real(*words, **more, options=QFileDialog.Option.DontUseNativeDialog)

    monkeypatch.setattr(QFileDialog, "getSaveFileName", asked)


def test_a_run_is_exported_by_keys(shown, until, own_dialogs, tmp_path):
    go_to(shown, "Library")
    click_row(shown.library.table, 0)
    target = tmp_path / "out.csv"

    def answer(dialog):
        name_file(dialog, target)

    with meanwhile(leave):
        press(Qt.Key.Key_E, on=shown.library.table, held=_CTRL)
    assert shown.station.state.fault is None
    with meanwhile(answer):
        press(Qt.Key.Key_E, on=shown.library.table, held=_CTRL)
    until(target.exists)
    until(lambda: len(target.read_text().splitlines()) == 301)  # a title and each sample


def test_a_report_is_saved_under_the_name_of_its_run(shown, until, monkeypatch, tmp_path):
    go_to(shown, "Library")
    click_row(shown.library.table, 0)
    folder = shown.library.selected()[0].path
    proposals = []

    def answer(parent, title, first, kinds):
        proposals.append((title, first))
        return str(tmp_path / first), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    shown.library.actions_of_run["report"].trigger()
    shown.library.pages.save.trigger()
    target = tmp_path / f"{folder.name}-report.html"
    until(target.exists)
    assert proposals[0][1] == target.name and folder.name in proposals[0][0]
    assert target.read_bytes() == (folder / "report.html").read_bytes()
    until(lambda: target.name in shown.log.text.toPlainText())


def test_a_plot_is_saved_by_the_key_for_menus(shown, own_dialogs, tmp_path):
    go_to(shown, "Scope")
    plot = shown.scope.histogram.widget
    plot.setFocus()
    target = tmp_path / "plot.png"

    def answer(dialog):
        assert isinstance(dialog, QFileDialog)
        name_file(dialog, target)

    def choose(menu):
        with meanwhile(answer):
            take(menu, "Save as PNG or SVG …")

    with meanwhile(choose):
        menu_key(plot)
    assert QImage(str(target)).width() >= plot.width()


def test_a_twin_is_held_against_a_board_after_a_question_alone(shown, tmp_path):
    folder, other = tmp_path / "runs" / "run-a", tmp_path / "runs" / "board"
    shutil.copytree(folder, other)
    rewrite(other, as_board)

    def agree(dialog):
        assert isinstance(dialog, QMessageBox) and "zcu102" in dialog.text()
        while "Yes" not in dialog.focusWidget().text():
            press(Qt.Key.Key_Tab)
        press(Qt.Key.Key_Space)

    with meanwhile(leave):
        assert drop(shown, folder, other)
    assert not shown.compare.differences.rowCount()
    with meanwhile(agree):
        assert drop(shown, folder, other)
    assert shown.compare.differences.rowCount() and shown.compare.mixed
