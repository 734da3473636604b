"""Pictures of every screen in both themes, from a real twin: ``python -m ... OUT``."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PIL import Image  # noqa: E402
from PyQt6.QtCore import QSettings  # noqa: E402
from PyQt6.QtWidgets import QApplication  # noqa: E402

from irqscope_app.pattern.shipped import presets  # noqa: E402
from irqscope_app.preferences import Preferences  # noqa: E402
from irqscope_app.screens import SCREENS  # noqa: E402
from irqscope_app.widgets.theme import THEMES  # noqa: E402
from irqscope_app.window import Window  # noqa: E402
from tools.app.alive import pump, until  # noqa: E402

#: Cases that are measured for the pictures, and how often.
_CASES = {"t1": 400, "t2": 1200}
#: Screens whose pictures show a run of their own.
_OWN = ("Scope", "Experiments")
#: Runs of a suite that are measured for the pictures.
_QUEUE = ("t1", "t2", "t3")
#: Size of the window, pixels: a laptop's screen.
_SIZE = (1600, 900)
#: For plots and tables to settle, s.
_SETTLE_S = 2.5


def main(out: Path) -> None:
    """Writes the pictures into a folder. Raises TargetError if the twin does not measure."""
    application = QApplication(sys.argv[:1])
    application.setApplicationName("irqscope")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        settings = QSettings(f"{folder}/settings.ini", QSettings.Format.IniFormat)
        preferences = Preferences(settings)
        # Names without the machine's own folders, for they are in the pictures.
        (Path(folder) / "experiments").symlink_to(presets()[0].parents[1])
        os.chdir(folder)
        window = Window(preferences)
        window.show()
        window.resize(*_SIZE)  # the offscreen screen is smaller than anybody's
        camera = _Camera(window, out)
        camera.take("connect-first")
        files = {path.stem: path for path in presets() if path.parent.name == "horst2020"}
        ended: list[object] = []
        window.station.ended.connect(ended.append)
        for case, count in _CASES.items():
            window.pattern.load(files[case])
            window.pattern.draft.set(("count",), count)
            window.pattern.show_draft(fit=True)
            window.measuring.start("twin")
            camera.until(lambda: ended)
            ended.clear()
        camera.until(lambda: window.library.table.rowCount() == len(_CASES))
        window.library.tag([window.library.entry(0)], ["+reference", "+lab"])
        camera.until(lambda: window.library.entry(0).note.tags)
        window.library.table.selectAll()
        window.library.buttons["compare"].click()
        window.connect_screen.scan.click()
        camera.until(lambda: window.station.state.ports is not None)
        for theme in THEMES:
            window.set_theme(theme)
            for screen in SCREENS:
                if screen not in _OWN:
                    window.screens.go_to(screen)
                    camera.take(f"{screen.lower()}-{theme}")
        _take_run(window, camera)
        _take_experiments(window, camera)
        window.opener.open_run(Path("runs/elsewhere"))
        camera.until(lambda: window.station.state.fault is not None)
        window.screens.go_to("Scope")
        camera.take("fault")
        window.close()
        camera.shrink()


def _take_run(window: Window, camera: _Camera) -> None:
    """A run with all its stages before the one that is on the screen, and one of its stimuli."""
    scope, worst, before = window.scope, window.worst, window.station.state.folder
    assert before is not None  # the cases were measured
    ended: list[object] = []
    window.station.ended.connect(ended.append)
    window.pattern.draft.set(("markers",), "stages")
    window.measuring.run()
    camera.until(lambda: ended)
    scope.refer_to(before)
    begin, end = scope.trace.visible
    for name, share in (("A", 0.3), ("B", 0.7)):
        scope.plots.cursors.put(name, begin + share * (end - begin))
    camera.until(
        lambda: scope.figures.cell("cursors", "N") and scope.figures.cell("reference", "N")
    )
    for screen in ("scope", "stimulus", "pattern"):
        if screen == "stimulus":
            scope.show_worst()
            camera.until(lambda: worst.chosen)
        scope.show_pattern(screen == "pattern")
        for theme in THEMES:
            window.set_theme(theme)
            camera.take(f"{screen}-{theme}")
    scope.show_pattern(False)
    scope.reference.click()
    window.pattern.draft.set(("markers",), "paper")


def _take_experiments(window: Window, camera: _Camera) -> None:
    """The queue during a run of it, and when it is complete."""
    screen = window.experiments
    window.pattern.draft.set(("repeats",), 2)
    window.screens.go_to("Experiments")
    chooser = screen.chooser
    chooser.suite.setCurrentText("horst2020")
    camera.until(chooser.checked)
    chooser.check(_QUEUE)
    chooser.add()
    camera.until(lambda: screen.table.rowCount())
    window.measuring.queue()
    screen.table.selectRow(0)
    screen.run()
    camera.until(lambda: screen.table.item(1, 2).text() == "running")  # type: ignore[union-attr]
    camera.take("experiments-running")
    camera.until(lambda: screen.queue.job is None)
    for theme in THEMES:
        window.set_theme(theme)
        camera.take(f"experiments-{theme}")


class _Camera:
    """Keeps the window alive, and takes pictures of it."""

    def __init__(self, window: Window, out: Path) -> None:
        self._window, self._out = window, out
        self._taken: list[str] = []

    def until(self, condition: Callable[[], object]) -> None:
        """Waits until something holds. Raises TargetError with the state that came instead."""
        until(condition, f"a picture; the window shows {self._window.station.state}")

    def take(self, name: str) -> None:
        """Saves a picture of the whole window."""
        pump(_SETTLE_S)
        self._window.grab().save(str(self._out / f"app-{name}.png"))
        self._taken.append(name)

    def shrink(self) -> None:
        """Gives each picture 256 colours of its own, which are enough; it takes its time."""
        for name in self._taken:
            path = self._out / f"app-{name}.png"
            with Image.open(path) as picture:
                small = picture.convert("RGB").quantize(256)
            small.save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
