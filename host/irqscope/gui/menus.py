"""The menu bar: files, what is seen, and help: the glossary and the keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PyQt6.QtGui import QKeySequence
from PyQt6.QtWidgets import QDockWidget, QMenu, QMenuBar

from irqscope.gui import files
from irqscope.gui.keys import SPACE, Keys

#: Text, keys (empty: none that are the menu's own) and what is done.
Entry = tuple[str, str, Callable[[], object]]


def fill(
    bar: QMenuBar,
    file: list[Entry],
    recent: Callable[[], list[str]],
    opened: Callable[[Path], object],
    docks: Iterable[QDockWidget],
    view: list[Entry],
    told: list[Entry],
    keys: Keys,
) -> None:
    """``recent``: paths and targets of late, which ``opened`` opens; ``told``: stands over the keys
    in the menu Help.
    """
    files.fill(_menu(bar, "&File"), file, recent, opened)
    seen = _menu(bar, "&View")
    for dock in docks:
        seen.addAction(dock.toggleViewAction())
    seen.addSeparator()
    _add(seen, view)
    helping = _menu(bar, "&Help")
    _add(helping, told)
    helping.addSeparator()
    for shortcut, text in (SPACE, *((key.keys, key.text) for key in keys.all)):
        action = helping.addAction(f"{text}\t{shortcut}")
        assert action is not None  # it was just made
        action.setEnabled(False)


def _add(menu: QMenu, entries: list[Entry]) -> None:
    for text, shortcut, done in entries:
        action = menu.addAction(text, done)
        assert action is not None  # it was just made
        action.setShortcut(QKeySequence(shortcut))


def _menu(bar: QMenuBar, title: str) -> QMenu:
    made = bar.addMenu(title)
    assert made is not None  # it was just made
    return made
