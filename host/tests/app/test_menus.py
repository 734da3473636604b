"""Every menu by keys alone: opened, gone through, and left by Esc."""

from __future__ import annotations

from pathlib import Path

import pytest
from app.by_hand import add_to_queue, click_row, fill, go_to, open_folder
from by_keys import entries, meanwhile, menu_key, press, take
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDialog, QMenu, QTextBrowser

#: The page that the manual has.
GLOSSARY = Path(__file__).parents[3] / "docs" / "glossary.md"
_ALT = Qt.KeyboardModifier.AltModifier


@pytest.mark.parametrize(("letter", "title"), [("F", "&File"), ("V", "&View"), ("H", "&Help")])
def test_each_menu_of_the_bar_is_opened_by_its_letter(shown, letter, title):
    QTest.keyClick(shown.scope, getattr(Qt.Key, f"Key_{letter}"), _ALT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and menu.title() == title
    came = entries(menu)
    usable = {one.text() for one in menu.actions() if one.isEnabled() and not one.isSeparator()}
    assert usable <= came
    press(Qt.Key.Key_Escape)
    assert not menu.isVisible()


def ask_for_the_glossary(window):
    QTest.keyClick(window.scope, Qt.Key.Key_H, _ALT)
    take(QApplication.activePopupWidget(), "Glossary")


def test_the_glossary_of_the_manual_is_read_beside_the_window(shown, until):
    ask_for_the_glossary(shown)
    (dialog,) = (one for one in shown.findChildren(QDialog) if one.isVisible())
    assert dialog.windowTitle() == "Glossary" and not dialog.isModal()
    (browser,) = dialog.findChildren(QTextBrowser)
    read = " ".join(browser.toPlainText().split())
    rows = [line[2:] for line in GLOSSARY.read_text().splitlines() if line.startswith("- ")]
    assert len(rows) > 50
    assert [
        row for row in rows if row.translate({ord(mark): None for mark in "*`"}) not in read
    ] == []
    dialog.activateWindow()  # which a window manager does
    until(lambda: QApplication.focusWidget() is browser)
    press(Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_glossary_that_is_missing_is_told(shown, tmp_path, monkeypatch):
    monkeypatch.setattr("irqscope_app.glossary.FILE", tmp_path / "glossary.md")
    ask_for_the_glossary(shown)
    assert "glossary.md" in shown.fault.cause.text() and shown.fault.isVisible()


def test_what_was_opened_before_is_opened_by_keys(shown, until, tmp_path):
    other = tmp_path / "runs" / "run-b"
    open_folder(shown, other)
    until(lambda: shown.station.state.folder == other)
    QTest.keyClick(shown.scope, Qt.Key.Key_F, _ALT)
    menu = QApplication.activePopupWidget()
    for _ in menu.actions():
        press(Qt.Key.Key_Down)
        if menu.activeAction().text() == "Recent":
            break
    press(Qt.Key.Key_Right)
    below = QApplication.activePopupWidget()
    assert below is not menu and len(below.actions()) == 2
    for _ in below.actions():
        if below.activeAction() is not below.actions()[1]:
            press(Qt.Key.Key_Down)
    press(Qt.Key.Key_Return)
    until(lambda: shown.station.state.folder == tmp_path / "runs" / "run-a")


def places(window):
    """Widgets that have a menu, by where they are."""
    scope = window.scope
    return {
        "trace": ("Scope", scope.trace.widget),
        "histogram": ("Scope", scope.histogram.widget),
        "tail": ("Scope", scope.ccdf.widget),
        "tabs": ("Scope", scope.tabs.bar),
        "library": ("Library", window.library.table),
        "comparison": ("Compare", window.compare.histogram.widget),
        "queue": ("Experiments", window.experiments.table),
    }


@pytest.mark.parametrize(
    ("where", "has"),
    [
        ("trace", "Maximise"),
        ("histogram", "Logarithmic count"),
        ("tail", "Save as PNG or SVG …"),
        ("tabs", "Take as reference"),
        ("library", "Report"),
        ("comparison", "In a window of its own"),
        ("queue", "Remove"),
    ],
)
def test_a_menu_of_a_part_comes_by_the_key_for_menus(shown, until, where, has):
    screen, widget = places(shown)[where]
    add_to_queue(shown)
    go_to(shown, screen)
    widget.setFocus()
    if where == "queue":
        click_row(widget, 0)
    menus = []

    def keys(menu):
        menus.extend(entries(menu))
        press(Qt.Key.Key_Escape)

    with meanwhile(keys):
        menu_key(widget)
    assert has in menus
    assert QApplication.activePopupWidget() is None


def test_rows_of_the_queue_are_moved_and_removed_by_their_menu(shown):
    screen = shown.experiments
    for name in ("first", "second"):
        fill(shown, "name", name)
        add_to_queue(shown)
    click_row(screen.table, 1)
    screen.table.setFocus()

    def names():
        return [screen.table.item(row, 1).text() for row in range(screen.table.rowCount())]

    for entry, left in (
        ("Up", ["second", "first"]),
        ("Down", ["first", "second"]),
        ("Remove", ["first"]),
    ):
        with meanwhile(lambda menu, entry=entry: take(menu, entry)):
            menu_key(screen.table)
        assert names() == left, entry
