"""Ctrl-C: the first asks for an orderly end, the second ends at once."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from irqscope.cli.show import err


@contextmanager
def orderly_stop(after: str = "this batch") -> Iterator[Callable[[], bool]]:
    """Yields a function that tells whether an end was asked for. SIGTERM asks like Ctrl-C.

    ``after``: when the end comes.
    """
    asked = False

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        err.print(f"ending after {after}; Ctrl-C again ends at once")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
