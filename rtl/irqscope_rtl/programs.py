"""A foreign program on a soft core: its devices and its markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from irqscope.machines.program_file import Kind, Program
from irqscope.units import whole

from .cores import FIRST_CAUSE, CoreError

RV32 = Kind("EM_RISCV", 32, "this core takes RV32")
#: Sources of markers, by the stage that an experiment names (rtl/system/subject.h).
STAGES = {"pc": 1, "id": 2, "store": 3}
#: UARTs, as docs/programs.md describes them.
UARTS = ("ns16550", "sifive", "uartlite")
_ADDRESSES = 1 << 32
#: Memory of a board. Few programs fill more, and a simulation has to clear it.
_LARGEST_RAM = 1 << 28
_MOST_WAIT = 1000
#: Address space of a CLIC's registers.
CLIC_SIZE = 1 << 16
#: Address space of each device (rtl/system/board.cpp).
_SIZES = {
    "clint": 0xC000,
    "plic": 0x400000,
    "gpio": 0x1000,
    "finisher": 4,
    "uart": 0x1000,
    "clic": CLIC_SIZE,
}
#: Levels of the core's interrupt input.
_CAUSES = 32
#: Architecture string of the section .riscv.attributes: the base, then extensions with versions.
_ARCHITECTURE = re.compile(rb"rv32[ie]\d+p\d+((?:_[a-z]+\d+p\d+)*)\0")
#: Extensions that each core executes.
_EXTENSIONS = {"m", "c", "zicsr", "zifencei", "zmmul", "zca"}
#: Cause of the external interrupt, which the PLIC raises.
_EXTERNAL = 11


@dataclass(frozen=True)
class Around:
    """Environment of the program.

    Words of the simulation's command line, and differences from the default, for the label.
    """

    words: tuple[str, ...]
    said: str


def around(
    program: Program,
    options: Sequence[str],
    gateware: Sequence[str] = (),
    first_cause: int = FIRST_CAUSE,
) -> Around:
    """Reads ``KEY=VALUE`` of the target.

    ``gateware``: our gateware in its core; ``first_cause``: cause of line 0 unless an option gives
    it. Raises CoreError, ProgramError.
    """
    ram, words, ready = list[str](), list[str](), None
    pairs = [option.partition("=")[::2] for option in options]
    keys = [key for key, _ in pairs if key != "ram"]
    if twice := {key for key in keys if keys.count(key) > 1}:
        raise CoreError(f"{min(twice)} is given twice; give it once")
    plain = {
        "clint": "0x2000000",
        "plic": "0xC000000",
        "uart": "ns16550@0x10000000",
        "gpio": "0x10012000",
        "finisher": "0x100000",
        "timer": "1",
        "line": str(first_cause),
        "wait": "0",
        "seed": "1",
    }
    if "clic" in gateware:
        plain["clic"] = "0x90000000"
    allowed = ("ready", "ram", *plain, "host")
    for key, _ in pairs:
        if key not in allowed:
            raise CoreError(f'there is no option "{key}"; there are: {", ".join(allowed)}')
    for key, value in pairs:
        if key == "ram":
            ram.append(value)
        elif key == "ready":
            ready = program.place(value)[0]
        else:
            plain[key] = value
    windows = list[_Window]()
    for region in ram or ["0x80000000+0x400000"]:
        base, _, size = region.partition("+")
        first, length = number("ram", base, 0, _ADDRESSES - 4), number("ram", size, 4, _LARGEST_RAM)
        windows.append(_Window(f"ram={region}", first, length))
        words += ["--ram", f"{first}+{length}"]
    for key, length in _SIZES.items():
        if key in plain:
            at = plain[key].rpartition("@")[2] if key == "uart" else plain[key]
            first = number(key, at, 0, _ADDRESSES - length)
            windows.append(_Window(f"{key}={plain[key]}", first, length))
            words += [f"--{key}", str(first)]
    if "clic" in plain and windows[-1].first % CLIC_SIZE:
        raise CoreError(f"clic={plain['clic']}: give a multiple of {CLIC_SIZE:#x}")
    model, _, _ = plain["uart"].rpartition("@")
    if model not in UARTS:
        raise CoreError(f"uart={plain['uart']}: write MODEL@ADDRESS, of {', '.join(UARTS)}")
    words += ["--uart-model", model]
    _refuse_overlap(windows)
    words += ["--timer", str(number("timer", plain["timer"], 1, _ADDRESSES - 1))]
    words += line_words(plain["line"])
    shortest, dots, longest = plain["wait"].partition("..")
    low = number("wait", shortest, 0, _MOST_WAIT)
    high = number("wait", longest, low, _MOST_WAIT) if dots else low
    words += ["--wait-least", str(low), "--wait-most", str(high)]
    words += ["--wait-seed", str(number("seed", plain["seed"], 1, _ADDRESSES - 1))]
    if ready is not None:
        words += ["--ready", str(ready)]
    rest = [option for option in options if not option.startswith("ready=")]
    return Around(tuple(words), ", ".join(rest))


def lacking(program: Program) -> str:
    """Warning if the file's architecture string has extensions that the cores lack, or "".

    Such a program may run all the same, if it never executes what its compiler was allowed to use.
    """
    match = _ARCHITECTURE.search(program.elf.data)
    if match is None:
        return ""
    extensions = re.findall(r"_([a-z]+)\d+p\d+", match[1].decode())
    names = [name for name in extensions if name not in _EXTENSIONS]
    if not names:
        return ""
    return (
        f"{program.elf.path.name} may use extensions that this core lacks: {', '.join(names)}; "
        "their instructions trap (mcause 2)"
    )


def line_words(text: str) -> list[str]:
    """Command-line words for the cause of line 0, or for its source of the PLIC, as "plic10".

    Raises CoreError.
    """
    if not text.startswith("plic"):
        return ["--line", str(number("line", text, 0, _CAUSES - 1))]
    source = number(f"line={text}, source", text.removeprefix("plic"), 1, _CAUSES - 1)
    return ["--line", str(_EXTERNAL), "--source", str(source)]


class _Window(NamedTuple):
    """An occupied range of the address space, and its option."""

    option: str
    first: int
    size: int


def _refuse_overlap(windows: Sequence[_Window]) -> None:
    """Raises CoreError if two ranges overlap, since either device could answer."""
    ordered = sorted(windows, key=lambda window: window.first)
    for one, after in pairwise(ordered):
        if one.first + one.size > after.first:
            raise CoreError(
                f"{one.option} and {after.option} overlap: the first has {one.size:#x} bytes, to "
                f"{one.first + one.size - 1:#x}; give one of them another address"
            )


def number(key: str, text: str, minimum: int, maximum: int) -> int:
    """Parses the number of an option, decimal or 0x. Raises CoreError."""
    value = whole(text)
    if value is None:
        raise CoreError(f"{key}={text}: {text!r} is no number; write digits, or 0x and such")
    if not minimum <= value <= maximum:
        raise CoreError(f"{key}={text}: give {minimum} to {maximum}")
    return value


def places(program: Program, watches: Sequence[str]) -> list[str]:
    """Words of the simulation's command line for ``STAGE:PLACE=CODE``. Raises ProgramError."""
    words = []
    for watch in watches:
        event, _, code = watch.rpartition("=")
        stage, _, place = event.partition(":")
        address, size = program.place(place)
        words += ["--place", f"{STAGES[stage]}:{address}:{size}={code}"]
    return words
