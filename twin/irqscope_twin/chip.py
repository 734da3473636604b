"""Chips with a Cortex-M that run a program next to the instrument: boards, lines, pins."""

from __future__ import annotations

import re

from irqscope.machines.arm_attributes import architecture_of
from irqscope.machines.elf import Elf, ProgramError

#: Models of timing that only one chip has, and the profile of its instrument.
CARRIERS = {"m4": "functional"}
DEFAULT_BOARD = "f446"
#: Boards by name, with whether lines reach their pins.
BOARDS = {"f446": True, "f411": True, "lm3s6965evb": False, "mps2-an386": False}
_PINS_OF_PORT = 16
#: Architectures as Tag_CPU_arch numbers them, that such a core does not run as they are meant.
_OTHERS = {
    1: "Armv4", 2: "Armv4T", 3: "Armv5T", 4: "Armv5TE", 5: "Armv5TEJ", 6: "Armv6", 7: "Armv6KZ",
    8: "Armv6T2", 9: "Armv6K", 11: "Armv6-M", 12: "Armv6-M", 14: "Armv8-A", 15: "Armv8-R",
    16: "Armv8-M Baseline", 17: "Armv8-M Mainline", 21: "Armv8.1-M Mainline",
}  # fmt: skip
_V7, _APPLICATION, _REAL_TIME = 10, ord("A"), ord("R")


def board(name: str | None) -> str:
    """The board of that name, or the default. Raises ProgramError."""
    if name is None:
        return DEFAULT_BOARD
    if name not in BOARDS:
        raise ProgramError(f"there is no board {name!r} with a Cortex-M; say {', '.join(BOARDS)}")
    return name


def check(elf: Elf) -> None:
    """Raises ProgramError for a program that is built for another core than an Armv7-M one."""
    architecture, profile = architecture_of(elf)
    other = _OTHERS.get(architecture or 0)
    if architecture == _V7 and profile in (_APPLICATION, _REAL_TIME):
        other = f"Armv7-{chr(profile)}"
    if other:
        raise ProgramError(
            f"{elf.path}: it is built for {other}; the Cortex-M4 of this twin takes Armv7-M and "
            "Armv7E-M: compile it with -mcpu=cortex-m4 or -mcpu=cortex-m3"
        )


def pin(name: str) -> int:
    """The number of a pin, as "PC13". Raises ProgramError."""
    match = re.fullmatch(r"P([A-K])(1[0-5]|[0-9])", name)
    if match is None:
        raise ProgramError(f"{name!r} is no pin; write PA0 to PK15")
    return (ord(match[1]) - ord("A")) * _PINS_OF_PORT + int(match[2])


def pin_place(text: str, board_name: str) -> tuple[int, int]:
    """Number and level of "PG0 rise". Raises ProgramError."""
    name, _, edge = text.partition(" ")
    if not BOARDS[board_name]:
        raise ProgramError(f"pin:{text}: {board_name} has no pins here; write pc: or store:")
    return pin(name), int(edge == "rise")


def lead(text: str, board_name: str) -> str:
    """The engine's word for where a line leads, from "0=pin:PC13" or "0=irq:40".

    Raises ProgramError.
    """
    line, _, to = text.partition("=")
    kind, _, where = to.partition(":")
    if kind == "pin" and not BOARDS[board_name]:
        raise ProgramError(
            f"line {line}: lines reach no pins of {board_name}; give the line irq = NUMBER"
        )
    if kind == "pin":
        return f"{line}=pin:{pin(where)}"
    if kind == "irq":
        return f"{line}=irq:{where}"
    raise ProgramError(
        f'line {line} leads nowhere; give it pin = "PC13" or irq = 40 in the experiment'
    )
