"""Drives the real window by real mouse and keys: ``python -m tools.app.drive OUT [SIZE]``.

On each of several displays (Xvfb with openbox), or on that of one SIZE, the window is started
three times with the same settings; xdotool moves the mouse and presses the keys. Each deviation
from the manual is printed as a line, and makes the exit code 1. OUT gets a picture of each screen,
to be looked at.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from irqscope.errors import IrqscopeError
from irqscope_app.preferences import Preferences
from irqscope_app.start import check_display
from irqscope_app.window import Window
from tools.app.alive import pump
from tools.app.hands import SETTLE_S, Display, Hands, served
from tools.app.sessions import SESSIONS

#: A display and its three starts take less, s.
_START_S = 600.0

DISPLAYS = (
    Display(1024, 700), Display(1280, 720), Display(1920, 1080), Display(2560, 1440),
    Display(3200, 2000, 2),
)  # fmt: skip


def main(out: Path, size: str = "") -> int:
    """All displays, or one; the exit code.

    Raises TargetError where a program or a library is missing.
    """
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for display in (one for one in DISPLAYS if size in ("", str(one))):
        with served(display) as environment, tempfile.TemporaryDirectory() as folder:
            check_display(environment)
            environment["PYTHONPATH"] = str(Path(__file__).parents[2])  # the starts have a folder
            for start in SESSIONS:
                print(f"{display}, {start}", flush=True)
                words = [sys.executable, "-m", "tools.app.drive", str(out), str(display), start]
                failed += not _done(words, environment, folder)
    return int(failed > 0)


def _done(words: list[str], environment: dict[str, str], folder: str) -> bool:
    """Whether one start did all that was expected."""
    try:
        return not subprocess.run(words, env=environment, cwd=folder, timeout=_START_S).returncode
    except subprocess.TimeoutExpired:
        print(f"  MISSED: an end within {_START_S:.0f} s", flush=True)
        return False


def start(out: Path, display: str, name: str) -> int:
    """One start of the window on the display that the environment names; the exit code."""
    application = QApplication(sys.argv[:1])
    settings = QSettings("settings.ini", QSettings.Format.IniFormat)
    window = Window(Preferences(settings))
    window.without_asking = True
    window.showMaximized()
    pump(SETTLE_S)
    hands = Hands(window, out, display)
    SESSIONS[name](hands)
    window.close()
    application.processEvents()
    return int(bool(hands.missed))


if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve()
    try:
        one = len(sys.argv) == 4
        sys.exit(start(folder, *sys.argv[2:]) if one else main(folder, *sys.argv[2:]))
    except IrqscopeError as error:
        sys.exit(f"{Path(__file__).stem}: {error}")
