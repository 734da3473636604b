"""Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from irqscope.cli.show import err

#: Who sent SIGTERM sends no second one: so long is waited for the orderly end, s.
GRACE_S = 10


@contextmanager
def orderly_stop(after: str = "this batch") -> Iterator[Callable[[], str]]:
    """Yields a function that returns how an end was requested, or an empty string.

    The text is "interrupted by Ctrl-C", or by SIGTERM.

    ``after``: when the end comes; after SIGTERM it comes within GRACE_S.
    """
    asked = ""

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = f"interrupted by {'SIGTERM' if number == signal.SIGTERM else 'Ctrl-C'}"
        if number == signal.SIGTERM:
            signal.alarm(GRACE_S)
            err.print(f"ending after {after}, in {GRACE_S} s at the latest")
        else:
            err.print(f"ending after {after}; Ctrl-C again ends at once")

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    before = {number: signal.signal(number, ask) for number in numbers}
    try:
        yield lambda: asked
    finally:
        signal.alarm(0)
        for number, handler in before.items():
            signal.signal(number, handler)
