"""A searchable list of all actions with their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QMainWindow, QMenu, QPushButton

from irqscope_app.keys import TAKEN, Keys
from irqscope_app.screens import Screens
from irqscope_app.widgets.search import Search

#: Where it is, its key, what it does, and how it is done; None: by its key alone.
_Command = tuple[str, str, str, Callable[[], object] | None]
_COLUMNS = ("where", "key", "what it does")


class Commands(Search):
    """Runs the chosen action once the dialog is closed; :meth:`open` shows it."""

    def __init__(self, window: QMainWindow, keys: Keys, screens: Screens) -> None:
        super().__init__(
            window, "Commands and keys", _COLUMNS, "words of what is to be done", "Do it"
        )
        for *texts, command in _all(window, keys, screens):
            self.add(tuple(texts), command, "")
        self.show_all()

    def accept(self) -> None:
        """Closes the list and runs the chosen action."""
        if self.current is not None and (command := self.of(self.current)) is not None:
            super().accept()
            command()


def _all(window: QMainWindow, keys: Keys, screens: Screens) -> Iterator[_Command]:
    """Actions of the visible screen, then of the menus and the keys."""
    shown = screens.currentWidget()
    assert shown is not None  # there is always one
    (name,) = (name for name, screen in screens.by_name.items() if screen is shown)
    for button in shown.findChildren(QPushButton):
        if button.isVisible() and button.isEnabled() and button.text():
            pressed, tip = _key_of(button.toolTip().partition("\n")[0])
            yield name, pressed, ": ".join(filter(None, (button.text(), tip))), button.click
    bar = window.menuBar()
    assert bar is not None  # a main window always has one
    for title in bar.actions():
        menu = title.menu()
        for label, action in [] if menu is None else _leaves(menu):
            where = title.text().replace("&", "")
            yield where, action.shortcut().toString(), label, action.trigger
    for key in keys.all:
        call = partial(_on_scope, screens, key.done) if key.of_scope else key.done
        yield "Scope" if key.of_scope else "", key.keys, key.text, call
    for taken, label in TAKEN:
        yield "Scope", taken, label, None
    for number, screen in enumerate(screens.by_name, 1):
        yield "Screens", f"Ctrl+{number}", screen, partial(screens.go_to, screen)


def _key_of(tip: str) -> tuple[str, str]:
    """The key that a tip begins with, if any, and the rest of the tip."""
    key, _, rest = tip.partition(": ")
    return (key, rest) if len(key) == 1 or key == "Space" or "+" in key else ("", tip)


def _on_scope(screens: Screens, done: Callable[[], object]) -> None:
    screens.go_to("Scope")
    done()


def _leaves(menu: QMenu) -> Iterator[tuple[str, QAction]]:
    """Actions of a menu, including the current entries of menus that are filled when opened."""
    menu.aboutToShow.emit()
    for action in menu.actions():
        below = action.menu()
        if below is not None:
            yield from ((f"{action.text()}: {label}", one) for label, one in _leaves(below))
        elif action.isEnabled() and action.text():
            yield action.text(), action
