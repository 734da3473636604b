"""State of target and run, as one immutable value that is replaced on each change."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace
from pathlib import Path

from irqscope.acquire.ports import Answer, Port
from irqscope.errors import Remedy
from irqscope.experiment.stack import Stack
from irqscope.link.identity import Identity
from irqscope_app.control.feed import Feed

#: Commands of the command line and the button of the window for each.
_IN_THE_WINDOW: dict[str, str] = {
    Remedy.LIST_PORTS: "press Look for boards (F5) on the Connect screen",
    Remedy.NAME_A_RUN: "choose one on the Library screen",
    Remedy.NAME_A_SUITE: "run a suite on the Experiments screen",
}


class Link(enum.Enum):
    """State of the connection to the target."""

    NONE = "not connected"
    ASKING = "asking"
    READY = "ready"
    MEASURING = "measuring"
    LOST = "lost"


@dataclass(frozen=True)
class Fault:
    """One sentence, and what to do about it. ``about``: what must be mended to remove it."""

    cause: str
    remedy: str
    about: str = ""

    @classmethod
    def of(cls, text: str, about: str = "") -> Fault:
        """Splits a message into its cause and, after the last semicolon, the remedy."""
        cause, _, remedy = text.rpartition("; ")
        remedy = _IN_THE_WINDOW.get(remedy, remedy)
        return cls(cause or remedy, remedy if cause else "", about)


@dataclass(frozen=True)
class Found:
    """A serial port and the target that answered on it."""

    port: Port
    answer: Answer


@dataclass(frozen=True)
class Tab:
    """A run that can be looked at: its data, and its folder if it has one."""

    feed: Feed
    folder: Path | None = None


@dataclass(frozen=True)
class State:
    """Everything shown except the data. ``tabs``: the first one is of the run that is measured, or
    was measured last; ``at``: place of the one on the screen.
    """

    tabs: tuple[Tab, ...] = field(default_factory=lambda: (Tab(Feed()),))
    at: int = 0
    opening: Feed | None = None  #: where a folder is being read into
    link: Link = Link.NONE
    target: str = ""
    identity: Identity | None = None
    stack: Stack | None = None  #: of a board; a simulation is started with that of the experiment
    of_program: bool = False  #: the target runs a foreign program
    signals: tuple[str, ...] = ()  #: of a logic analyser, which has no identity
    attempts: int = 0  #: to reach a lost target again
    step: str = ""
    done: int = 0
    of: int = 0
    began: float = 0.0  #: clock at which the first stimulus was requested, s
    pace: float | None = None  #: target time over wall-clock time of a twin's run
    recording: bool = False
    stopping: bool = False  #: the run was asked to end and has not ended yet
    amended: bool = False  #: a segment with another pattern was requested and has not begun yet
    suite: str = ""  #: name of the suite under way
    fault: Fault | None = None
    hint: Fault | None = None  #: doubts about the current run; removed with their cause
    ports: tuple[Found, ...] | None = None  #: None: never looked
    scanning: bool = False

    @property
    def free(self) -> bool:
        """Whether a run can begin."""
        return self.link is Link.READY and self.opening is None

    @property
    def tab(self) -> Tab:
        """The run on the screen."""
        return self.tabs[self.at]

    @property
    def folder(self) -> Path | None:
        """Folder of the run on the screen, once it has been read."""
        return None if self.loading else self.tab.folder

    @property
    def loading(self) -> bool:
        """Whether the run on the screen is still being read."""
        return self.opening is self.tab.feed

    @property
    def goes_on(self) -> bool:
        """Whether the run on the screen is being measured."""
        return self.link is Link.MEASURING and self.at == 0

    def measured_in(self, folder: Path | None) -> tuple[Tab, ...]:
        """The tabs if the run that is measured is in another folder."""
        return replace(self.tabs[0], folder=folder), *self.tabs[1:]


def is_simulation(target: str) -> bool:
    """Whether a target is a simulation that is started for each run, not one already running at a
    port.
    """
    return target.partition(":")[0] in ("twin", "rtl")
