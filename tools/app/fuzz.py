"""Makes random gestures on a live run: ``python -m tools.app.fuzz MINUTES [SEED]``.

A real mouse and real keys, on a display of its own (Xvfb with openbox). A defect is printed with
the last gestures and the seed, and the exit code is 1. So is a standstill for which the window's
thread takes more than a second of processor time: other programs lengthen it, but not that.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication, QWidget

from irqscope.errors import IrqscopeError
from irqscope_app.control.state import Link
from irqscope_app.preferences import Preferences
from irqscope_app.widgets.common import timer
from irqscope_app.window import Window
from tools.app.alive import pump
from tools.app.hands import SETTLE_S, Display, Hands, served

#: Keys that ask nothing and close nothing. Space ends a run, and another one is begun.
_KEYS = (
    *"hrfmabtpwx", "Escape", "Left", "Right", "Up", "Down", "plus", "minus", "shift+Left",
    "shift+Right", "shift+Up", "shift+Down", "ctrl+plus", "ctrl+minus", "Delete", "space",
    "ctrl+1", "ctrl+2", "ctrl+3", "ctrl+4", "ctrl+2", "ctrl+t", "ctrl+l",
)  # fmt: skip
#: Of a run that goes on while all this is done to it.
_COUNT = 1_000_000
#: Number of gestures logged before a defect.
_TOLD = 12
#: How often the window's loop comes by while it does not stand still, ms; and the processor time
#: that it may take in between, s.
_BEAT_MS, _STANDSTILL_S = 50, 1.0


class _Fuzz:
    """``defects``: failures of the window."""

    def __init__(self, window: Window, hands: Hands, seed: int) -> None:
        self._window, self._hands = window, hands
        self._random = random.Random(seed)
        self._made: deque[str] = deque(maxlen=_TOLD)
        self.defects: list[str] = []
        self.gestures = 0
        self.longest = 0.0  #: processor time in one standstill, s
        self._beaten = time.thread_time()
        window.station.told.connect(self._on_told)
        timer(window, _BEAT_MS, self._on_beat)

    def _on_beat(self) -> None:
        """Notes how long the window's loop was busy with something else."""
        now = time.thread_time()
        away, self._beaten = now - self._beaten, now
        self.longest = max(self.longest, away)
        if away > _STANDSTILL_S:
            self._note(f"it stood still for {away:.1f} s")

    def _on_told(self, level: str, text: str) -> None:
        """A defect in a thread is shown by the log."""
        if level == "error" and "a defect of irqscope" in text:
            self._note(text)

    def _note(self, text: str) -> None:
        if text not in self.defects:
            self.defects.append(text)
            print(f"DEFECT after {', '.join(self._made)}\n{text}", flush=True)

    def on_defect(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Takes the place of ``sys.excepthook``."""
        self._note("".join(traceback.format_exception(kind, error, trace)))

    def step(self) -> None:
        """One gesture."""
        window, hands, some = self._window, self._hands, self._random
        scope = window.scope
        plots = [scope.trace.widget, scope.trace.widget, scope.histogram.widget, scope.ccdf.widget]
        tables = [window.worst.table, scope.figures.table]
        visible: list[QWidget] = [one for one in (*plots, *tables) if one.isVisible()]
        if window.station.state.link is Link.READY and some.random() < 0.2:
            window.measuring.run()
        if QApplication.activePopupWidget() is not None or not visible or some.random() < 0.3:
            key = some.choice(_KEYS) if QApplication.activePopupWidget() is None else "Escape"
            self._do(f"key {key}", partial(hands.key, key))
            return
        widget = some.choice(visible)
        place = some.random(), some.random()
        if min(hands.at(widget, *place)) < 0:
            return  # scrolled out of the display
        name = widget.accessibleName() or type(widget).__name__
        where = f"{name} at {place[0]:.2f} {place[1]:.2f}"
        other = some.uniform(0.2, 1.0), some.uniform(0.2, 1.0)
        at = partial(hands.point, widget, *place)
        gestures: dict[str, tuple[Callable[[], None], ...]] = {
            "click": (partial(hands.click, widget, *place),),
            "wheel": (at, partial(hands.wheel, some.randint(1, 5))),
            "double click": (at, hands.double_click),
            "drag": (partial(hands.drag, widget, place, other),),
        }
        gesture = some.choice(list(gestures))
        self._do(f"{gesture} {where}", *gestures[gesture])

    def _do(self, what: str, *gesture: Callable[[], None]) -> None:
        self._made.append(what)
        self.gestures += 1
        for part in gesture:
            part()
        pump(0.05)


def main(minutes: float, seed: int) -> int:
    """On a display of its own; the exit code. Raises TargetError where a program is missing."""
    with served(Display(1280, 720)) as environment, tempfile.TemporaryDirectory() as folder:
        environment["PYTHONPATH"] = str(Path(__file__).parents[2])
        words = [sys.executable, "-m", "tools.app.fuzz", str(minutes), str(seed), "here"]
        return subprocess.run(words, env=environment, cwd=folder).returncode


def here(minutes: float, seed: int) -> int:
    """On the display that the environment names; the exit code."""
    application = QApplication(sys.argv[:1])
    settings = QSettings("settings.ini", QSettings.Format.IniFormat)
    window = Window(Preferences(settings))
    window.without_asking = True
    window.showMaximized()
    pump(SETTLE_S)
    fuzz = _Fuzz(window, Hands(window, Path(), "fuzz"), seed)
    sys.excepthook = fuzz.on_defect
    window.pattern.draft.set(("count",), _COUNT)
    window.measuring.start("twin")
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        fuzz.step()
    print(
        f"{fuzz.gestures} gestures in {minutes:g} min, seed {seed}: {len(fuzz.defects)} defects, "
        f"{fuzz.longest:.2f} s of processor time in the longest standstill"
    )
    window.close()
    application.processEvents()
    return int(bool(fuzz.defects))


if __name__ == "__main__":
    try:
        asked = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else os.getpid()
        sys.exit(here(*asked) if len(sys.argv) > 3 else main(*asked))
    except IrqscopeError as error:
        sys.exit(f"{Path(__file__).stem}: {error}")
