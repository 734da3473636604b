"""A display without a screen, and mouse and keys on it: Xvfb, openbox and xdotool."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import QPoint, QRect, QTimer
from PyQt6.QtWidgets import QApplication, QMenu, QWidget

from irqscope.errors import TargetError
from irqscope_app.window import Window
from tools.app.alive import pump, until

_PACKAGES = "apt install xvfb openbox xdotool"
#: For a key or a click to arrive, and for plots and tables to settle, s.
_ARRIVE_S, SETTLE_S = 0.2, 0.8
#: Between two steps of a drag, s.
_STEP_S = 0.1
#: For what a click does at once, s.
_SOON_S = 30.0
#: How often it is looked whether a dialog is there, ms.
_LOOK_MS = 300


@dataclass(frozen=True)
class Display:
    """A screen; ``density``: pixels of the screen for one of the window."""

    width: int
    height: int
    density: int = 1

    def __str__(self) -> str:
        return f"{self.width}x{self.height}" + (f"@{self.density}" if self.density > 1 else "")


@contextmanager
def served(display: Display) -> Iterator[dict[str, str]]:
    """A server with a window manager; gives the environment of who draws there."""
    size = f"{display.width}x{display.height}x24"
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"]
    try:
        server = subprocess.Popen(words, pass_fds=(write,), stderr=subprocess.DEVNULL)
    except FileNotFoundError as error:
        raise TargetError(f"{error.filename} is missing; {_PACKAGES}") from error
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    environment = os.environ | {
        "DISPLAY": f":{number}",
        "QT_SCALE_FACTOR": str(display.density),
    }
    for other in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        environment.pop(other, None)
    others = [server]
    try:
        others.append(subprocess.Popen(["openbox"], env=environment, stderr=subprocess.DEVNULL))
        yield environment
    except FileNotFoundError as error:
        raise TargetError(f"{error.filename} is missing; {_PACKAGES}") from error
    finally:
        for process in reversed(others):
            process.terminate()
            process.wait(10)


class Hands:
    """Mouse and keys of a user at the window. ``missed``: what did not come about."""

    def __init__(self, window: Window, out: Path, name: str) -> None:
        self.window = window
        self.missed: list[str] = []
        self._out, self._name = out, name

    def at(self, widget: QWidget, across: float = 0.5, down: float = 0.5) -> tuple[int, int]:
        """Position of a part of a widget, pixels of the screen."""
        inside = QPoint(int(widget.width() * across), int(widget.height() * down))
        place, density = widget.mapToGlobal(inside), self.window.devicePixelRatioF()
        return int(place.x() * density), int(place.y() * density)

    def point(self, widget: QWidget, across: float = 0.5, down: float = 0.5) -> None:
        """Moves the mouse to a place of a widget, as shares of its width and height."""
        _xdotool("mousemove", *self.at(widget, across, down))

    def click(self, widget: QWidget, across: float = 0.5, down: float = 0.5) -> None:
        """Presses the left button at a place of a widget, as shares of its width and height."""
        self.point(widget, across, down)
        _xdotool("click", 1)

    def double_click(self) -> None:
        """Presses the left button twice where the mouse is."""
        _xdotool("click", "--repeat", 2, "--delay", 60, 1)

    def wheel(self, notches: int, *held: str) -> None:
        """Turns the wheel at the mouse, away from oneself or (below 0) towards, with keys held."""
        for key in held:
            _xdotool("keydown", key)
        button = 4 if notches > 0 else 5
        _xdotool("click", "--repeat", abs(notches), "--delay", 60, button)
        for key in held:
            _xdotool("keyup", key)

    def drag(self, widget: QWidget, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """Moves the mouse with the left button held, in steps, as a hand does."""
        (x, y), (to_x, to_y) = (
            (max(0, across), max(0, down))  # xdotool takes no place outside of the screen
            for across, down in (self.at(widget, *begin), self.at(widget, *end))
        )
        words: list[object] = ["mousemove", x, y, "mousedown", 1]
        for step in range(1, 6):
            words += ["mousemove", x + (to_x - x) * step // 5, y + (to_y - y) * step // 5]
            words += ["sleep", _STEP_S]
        _xdotool(*words, "mouseup", 1)

    def click_part(self, view: QWidget, part: QRect) -> None:
        """Presses the left button on an item of a table or a list."""
        centre = part.center()
        self.click(view, centre.x() / view.width(), centre.y() / view.height())

    def choose(self, text: str) -> None:
        """Goes down to an entry of the menu that is open, and Enter."""
        menu = QApplication.activePopupWidget()
        if not isinstance(menu, QMenu):
            self.expect(False, f"a menu with {text}")
            return
        for _ in menu.actions():
            action = menu.activeAction()
            if action is not None and action.text() == text:
                break
            self.key("Down")
        self.key("Return")

    def answer(self, does: Callable[[QWidget], None]) -> None:
        """Does something with the next dialog, which has a loop of its own in which others wait."""
        look = QTimer(self.window)
        look.setInterval(_LOOK_MS)

        def on_look() -> None:
            dialog = QApplication.activeModalWidget()
            if dialog is not None and dialog.isVisible():
                look.stop()
                does(dialog)

        look.timeout.connect(on_look)
        look.start()

    def answer_with(self, text: str) -> None:
        """Types a text into the next dialog, and Enter."""

        def does(dialog: QWidget) -> None:
            self.write(text)
            self.key("Return")

        self.answer(does)

    def key(self, *keys: str) -> None:
        """Presses keys one after the other."""
        for key in keys:
            _xdotool("key", key)

    def write(self, text: str) -> None:
        """Types a text by the keyboard."""
        _xdotool("type", text)

    def expect(self, holds: object, event: str) -> None:
        """Notes and prints what the manual says and the window does not do."""
        if not holds:
            self.missed.append(event)
            print(f"  MISSED: {event}", flush=True)

    def wait(self, condition: Callable[[], object], event: str, timeout_s: float = _SOON_S) -> None:
        """Expects something that takes its time."""
        try:
            until(condition, event, timeout_s)
        except TargetError:
            self.expect(False, event)

    def look(self, name: str) -> None:
        """Saves a picture of the whole display."""
        pump(SETTLE_S)
        screen = QApplication.primaryScreen()
        assert screen is not None  # the window is on it
        screen.grabWindow(0).save(str(self._out / f"{self._name}-{name}.png"))  # type: ignore[arg-type]


def _xdotool(*words: object) -> None:
    """Runs xdotool to its end while the window handles events.

    A drag has its own event loop, which ends only when the button is released. Raises TargetError
    if xdotool is missing.
    """
    try:
        process = subprocess.Popen(["xdotool", *map(str, words)])
    except FileNotFoundError as error:
        raise TargetError(f"{error.filename} is missing; {_PACKAGES}") from error
    until(lambda: process.poll() is not None, "the end of xdotool", _SOON_S)
    if process.returncode:
        raise TargetError(f"xdotool cannot {words[0]}: exit code {process.returncode}")
    pump(_ARRIVE_S)
