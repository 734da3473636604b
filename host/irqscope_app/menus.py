"""The menu bar: File, View and Help."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PyQt6.QtGui import QKeySequence
from PyQt6.QtWidgets import QDockWidget, QMenu, QMenuBar

from irqscope_app import files
from irqscope_app.widgets.paths import short

#: Text, keys (empty if the menu adds none) and action.
Entry = tuple[str, str, Callable[[], object]]


def fill(
    bar: QMenuBar,
    file: list[Entry],
    recent: Callable[[], list[str]],
    opened: Callable[[Path], object],
    docks: Iterable[QDockWidget],
    lists: dict[str, Callable[[], Iterable[tuple[str, Callable[[], object]]]]],
    view: list[Entry],
    told: list[Entry],
) -> None:
    """Fills the bar.

    ``file``: actions of the File menu, the last one after the recent paths; ``recent``: recent
    paths and targets, which ``opened`` opens; ``docks``, ``lists``, ``view``: entries of the View
    menu; ``told``: entries of the Help menu.
    """
    filing = _menu(bar, "&File")
    _add(filing, file[:-1])
    _add_listed(
        filing,
        "Recent",
        lambda: [
            (short(path), partial(opened, path)) for path in map(Path, recent()) if files.kind(path)
        ],  # targets are listed elsewhere
    )
    _add(filing, file[-1:])
    seen = _menu(bar, "&View")
    for dock in docks:
        seen.addAction(dock.toggleViewAction())
    seen.addSeparator()
    for title, listed in lists.items():
        _add_listed(seen, title, listed)
    _add(seen, view)
    _add(_menu(bar, "&Help"), told)


def _add(menu: QMenu, entries: list[Entry]) -> None:
    for text, shortcut, call in entries:
        action = menu.addAction(text, call)
        assert action is not None  # it was just made
        if shortcut:
            action.setShortcut(QKeySequence(shortcut))


def _add_listed(
    menu: QMenu, title: str, listed: Callable[[], Iterable[tuple[str, Callable[[], object]]]]
) -> None:
    """Adds a menu that is filled each time it opens."""
    below = menu.addMenu(title)
    assert below is not None  # it was just made

    def fill_anew() -> None:
        below.clear()
        for text, call in listed():
            below.addAction(text, call)
        if below.isEmpty():
            entry = below.addAction("nothing yet")
            assert entry is not None  # it was just made
            entry.setEnabled(False)

    below.aboutToShow.connect(fill_anew)


def _menu(bar: QMenuBar, title: str) -> QMenu:
    menu = bar.addMenu(title)
    assert menu is not None  # it was just made
    return menu
