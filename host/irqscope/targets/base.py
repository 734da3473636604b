"""The one shape of a target."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from irqscope.errors import IrqscopeError, LinkError, TargetError
from irqscope.link.link import Link
from irqscope.machines.elf import Elf


class Target:
    """An open link to a firmware, and what must be closed with it. A context manager."""

    link: Link
    #: By which it was opened; empty where nobody gave one.
    name: str = ""
    #: How it differs from what its identity names; for the label.
    deviation: str = ""
    #: The firmware or the foreign program that it runs, as read when the target was opened, or None
    #: for the firmware that ``make`` builds for its machine.
    program: Elf | None = None
    #: File of the firmware, or None if the target does not name it: what ``make`` builds.
    firmware: Path | None = None

    #: CSV of a masked map, once the target is closed; empty: none was asked for.
    masked: str = ""

    @property
    def quantum_cycles(self) -> int | None:
        """Returns the greatest distance between a twin's cores, CPU cycles, or None.

        It is None for a board or if unknown.
        """
        return None

    @property
    def most_repetitions(self) -> int | None:
        """Of a step of a calibration, where a simulation is so slow that its label says fewer."""
        return None

    def said(self) -> list[str]:
        """Lines for a log since the last call, from the running program."""
        return []

    def interruptions(self) -> str:
        """Returns the places where lines interrupted a program since the last call.

        As CSV "tick,line,pc"; empty if not reported.
        """
        return ""

    def encounters(self) -> str:
        """Returns the encounter of each rise of a line as CSV.

        :mod:`irqscope.results.encounters` reads it.

        Empty if the target does not observe it. Also of a target that is closed.
        """
        return ""

    def close(self) -> None:
        """Ends the link in good order. May be called twice."""
        self.link.close()

    def abandon(self) -> None:
        """Ends the link without a message, for when it does not work or time is short."""
        self.link.abandon()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        talks = error is None or (
            isinstance(error, IrqscopeError) and not isinstance(error, LinkError | TargetError)
        )
        if talks:
            self.close()
        else:
            self.abandon()
