"""The machines that have twins, as machines/NAME.toml describes them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from irqscope.machines.firmware_file import OF_ITS_OWN
from irqscope.resources import resource

FOLDER = resource("machines")


_Kind = TypeVar("_Kind")


class MachineError(Exception):
    """A machine is not described, or lacks what a profile names; the text is one line."""


@dataclass(frozen=True)
class Board:
    """Identity of a board's gateware, and the UART that the host reaches.

    ``own``: its firmware is another program than that of its machine's other boards.
    """

    number: int
    tick_hz: int
    uart: int
    own: bool


@dataclass(frozen=True)
class Machine:
    """Numbers of the machine, its boards and its twins in the gateware's `source` register."""

    name: str
    number: int
    boards: dict[str, Board]
    twins: dict[str, int]  #: by profile; the last is the default

    def board(self, name: str) -> Board:
        """The board of that name. Raises MachineError."""
        return self._named(self.boards, "board", name)

    def twin(self, profile: str) -> int:
        """The number of the twin with a timing profile. Raises MachineError."""
        return self._named(self.twins, "twin of profile", profile)

    def _named(self, kinds: dict[str, _Kind], subject: str, name: str) -> _Kind:
        if name not in kinds:
            raise MachineError(f"machines/{self.name}.toml has no {subject} {name!r}")
        return kinds[name]


def names(folder: Path = FOLDER) -> list[str]:
    """Names of the machines that are described."""
    return sorted(path.stem for path in folder.glob("*.toml"))


def load(name: str, folder: Path = FOLDER) -> Machine:
    """The machine of that name. Raises MachineError without such a description.

    That a description is right is checked where everything is generated from it.
    """
    available = names(folder)
    if name not in available:
        raise MachineError(f"there is no machine {name!r}; there are: {', '.join(available)}")
    table = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    return Machine(
        name,
        table["number"],
        {
            board["name"]: Board(
                board["number"], board["tick_hz"], board["uart"], board["name"] in OF_ITS_OWN
            )
            for board in table.get("boards", ())
        },
        {twin["profile"]: twin["number"] for twin in table.get("twins", ())},
    )
