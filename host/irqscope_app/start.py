"""Opens the window, if a display is available."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import traceback
from pathlib import Path
from types import TracebackType

from PyQt6.QtCore import QLibraryInfo
from PyQt6.QtWidgets import QApplication

from irqscope.errors import TargetError
from irqscope_app import PACKAGES
from irqscope_app.control.state import Fault
from irqscope_app.preferences import Preferences
from irqscope_app.widgets.common import timer
from irqscope_app.window import Window


def start(folder: Path | None) -> int:
    """Runs the window until it is closed; returns the exit code. Raises TargetError."""
    check_display(dict(os.environ))
    application = QApplication(sys.argv[:1])
    application.setApplicationName("irqscope")
    window = Window(Preferences())
    if folder is not None:
        window.opener.open_run(folder)
    window.show()
    sys.excepthook = lambda kind, error, trace: _defect(window, kind, error, trace)
    # Python handles Ctrl-C only while it runs, so a timer wakes it now and then.
    signal.signal(signal.SIGINT, lambda *_: _close(window))
    timer(window, 200, lambda: None)
    return application.exec()


def _close(window: Window) -> None:
    """Closes the window without a question, as the user pressed Ctrl-C."""
    window.without_asking = True
    window.close()


def _defect(
    window: Window, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Reports a defect without ending the program: the running measurement is worth more."""
    fault = Fault(f"a defect of irqscope itself ({kind.__name__}: {error})", "please report it")
    if window.station.state.fault != fault:  # a timer would repeat it thirty times a second
        traceback.print_exception(kind, error, trace)
        window.station.show_fault(fault)


def check_display(environment: dict[str, str]) -> None:
    """Raises TargetError if Qt would abort the process without saying what is missing."""
    if sys.platform != "linux":
        return
    platform = environment.get("QT_QPA_PLATFORM", "").partition(":")[0].partition(";")[0]
    if not platform and environment.get("WAYLAND_DISPLAY"):
        return
    if not platform and not environment.get("DISPLAY"):
        raise TargetError(
            "there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); "
            "use the command line here, or `ssh -X`"
        )
    plugins = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath))
    plugin = plugins / "platforms" / f"libq{platform or 'xcb'}.so"
    if not plugin.exists():
        raise TargetError(
            f"QT_QPA_PLATFORM is {platform}, which this Qt lacks; unset it, or set xcb or offscreen"
        )
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        raise TargetError(
            f"the window lacks a system library ({error}); on Debian or Ubuntu: {PACKAGES}"
        ) from error
