"""Callbacks of a measurement: they receive its progress and can end it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from irqscope.acquire.collect import Collection
from irqscope.results.record import RunRecord


class Progress(Protocol):
    """Receives the progress of a run."""

    def step(self, text: str) -> None:
        """Receives the run's current action."""

    def advance(self, completed: int, of: int) -> None:
        """Receives the number of completed stimuli, and their total."""


class Untold:
    """Progress without a receiver."""

    def step(self, text: str) -> None:
        """Drops what is done now."""

    def advance(self, completed: int, of: int) -> None:
        """Drops how many stimuli are done."""


#: Looks on: told after each batch, in the thread that measures, with run.json as it would be now,
#: all that was collected, and the sample rows of the batch (of a tail, all rows of it so far).
Watch = Callable[[RunRecord, Collection, Any], None]
#: Asks for an end between two batches: False goes on, a text says who asked, True is Ctrl-C.
Stop = Callable[[], bool | str]
