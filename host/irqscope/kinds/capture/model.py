"""Level changes of signals as a file of another instrument holds them, and its clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from irqscope.errors import ExperimentError

Ticks = npt.NDArray[np.int64]
Levels = npt.NDArray[np.int8]
#: Told how far a file is read: bytes done, and of how many.
Advance = Callable[[int, int], None]

#: A level that is neither low nor high, or not known yet.
UNKNOWN = -1
#: Rows of a file that are held in memory at once.
ROWS = 1 << 20


class CaptureError(ExperimentError):
    """A file of another instrument that cannot be read, or lacks what is asked of it."""


@dataclass(frozen=True)
class Clock:
    """The clock of the ticks of a capture.

    Attributes:
        tick_hz: Rate, Hz; a tick is the finest step that the file can tell.
        sampled: Whether a tick is known to be one sample of the analyser.
        basis: How the rate is known: "stated in the file", "by its time stamps", "given".
    """

    tick_hz: int
    sampled: bool
    basis: str


@dataclass(frozen=True)
class Changes:
    """Level changes in the order of the file.

    Attributes:
        ticks: Time of each, shape (n,).
        signals: Place of each change's signal among those asked for, shape (n,).
        levels: New level of each: 0, 1 or UNKNOWN, shape (n,).
        last_tick: Time up to which the signals are known.
        gap: Why earlier levels do not lead up to these; empty where they do.
    """

    ticks: Ticks
    signals: npt.NDArray[np.int16]
    levels: Levels
    last_tick: int
    gap: str = ""


class Capture(Protocol):
    """An open file, or files, with levels of signals over time."""

    #: What the file says or lacks that must stand with the result, a line each.
    remarks: list[str]

    @property
    def form(self) -> str:
        """Format, such as "Saleae Logic 2 CSV"."""

    @property
    def tool(self) -> str:
        """Program or instrument that wrote the files."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files."""

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the signals that can be asked for, as the file has them."""

    @property
    def clock(self) -> Clock:
        """Clock of the ticks."""

    def changes(self, selected: Sequence[int], advance: Advance) -> Iterator[Changes]:
        """Yields the changes of the signals at these places, in bounded memory.

        The first change of a signal states its initial level.

        Raises:
            CaptureError: The file is damaged.
        """


def untold(completed: int, of: int) -> None:
    """Takes progress that nobody looks at."""
