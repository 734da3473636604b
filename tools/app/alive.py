"""Keeps a window alive while a program, in place of a user, waits for something."""

from __future__ import annotations

import time
from collections.abc import Callable

from PyQt6.QtWidgets import QApplication

from irqscope.errors import TargetError

#: A loaded machine is slow, s.
_TIMEOUT_S = 300.0
_NAP_S = 0.002


def pump(seconds: float) -> None:
    """Keeps the window alive for so long, s."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(_NAP_S)


def until(condition: Callable[[], object], event: str, timeout_s: float = _TIMEOUT_S) -> None:
    """Until something holds. Raises TargetError with ``event``, where it never does."""
    end = time.monotonic() + timeout_s
    while not condition():
        QApplication.processEvents()
        time.sleep(_NAP_S)
        if time.monotonic() > end:
            raise TargetError(f"waited {timeout_s:.0f} s in vain for: {event}")
