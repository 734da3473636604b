"""The File menu, and what is dropped on the window: run folders and experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QMimeData
from PyQt6.QtGui import QKeySequence
from PyQt6.QtWidgets import QMenu

from irqscope.gui.paths import short

#: What opens a path, by what it is.
Openers = Mapping[str, Callable[[Path], object]]


def dropped(data: QMimeData | None) -> Path | None:
    """The one run folder or experiment in what is dragged; a file of a run stands for its folder.

    None if it is nothing that can be opened.
    """
    urls = [] if data is None else data.urls()
    if len(urls) != 1 or not urls[0].isLocalFile():
        return None
    path = Path(urls[0].toLocalFile())
    if path.name == "run.json":
        path = path.parent
    return path if kind(path) else None


def kind(path: Path) -> str:
    """ "run" or "experiment"; empty: neither."""
    if (path / "run.json").exists():
        return "run"
    return "experiment" if path.suffix == ".toml" and path.is_file() else ""


def fill(
    menu: QMenu,
    actions: list[tuple[str, str, Callable[[], object]]],
    recent: Callable[[], list[str]],
    openers: Openers,
) -> None:
    """``actions``: text, keys and what is done; ``recent``: paths and targets of late."""
    for text, keys, action in actions:
        entry = menu.addAction(text, action)
        assert entry is not None  # it was just made
        if keys:
            entry.setShortcut(QKeySequence(keys))
    below = menu.addMenu("Recent")
    assert below is not None  # it was just made
    last = menu.actions()[-2]
    menu.removeAction(below.menuAction())
    menu.insertMenu(last, below)
    below.aboutToShow.connect(lambda: _fill_recent(below, recent(), openers))


def _fill_recent(menu: QMenu, recent: list[str], openers: Openers) -> None:
    menu.clear()
    known = [(Path(name), kind(Path(name))) for name in recent]
    for path, what in known:
        if what:
            menu.addAction(short(path), partial(openers[what], path))
    if menu.isEmpty():
        entry = menu.addAction("nothing yet")
        assert entry is not None  # it was just made
        entry.setEnabled(False)
