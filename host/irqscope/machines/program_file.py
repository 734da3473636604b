"""The places in a foreign program, as experiments and targets name them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from irqscope.machines.elf import Elf, ProgramError

#: Nearest names that a refusal lists, and the names that it looks at: so many, so long at most.
_NEAREST = 3
_COMPARED, _LONGEST_COMPARED = 20_000, 200
#: A decimal number that Python reads, whatever its length.
_DIGITS = "[0-9]{1,20}"
#: Text before the hash of a mangled name of Rust, and its escapes.
_RUST = re.compile(r"_ZN(.*)17h[0-9a-f]{16}E(?:\.llvm\.[0-9]+)?")
_RUST_ESCAPES = {"$LT$": "<", "$GT$": ">", "$u20$": " ", "$u7b$": "{", "$u7d$": "}", "..": "::"}


@dataclass(frozen=True)
class Kind:
    """Requirements on the file.

    ``machine``: as ELF names it; ``taker``: the component that requires it, and its kind of file.
    """

    machine: str
    bits: int
    taker: str


class Program:
    """The places of a program.

    Args:
        elf: Its file.
        kind: Requirements on it, or None without any.

    Raises:
        ProgramError: It is built for another processor. The text is one line that names the file.
    """

    def __init__(self, elf: Elf, kind: Kind | None = None) -> None:
        self.elf = elf
        if kind is not None and (elf.machine, elf.bits) != (kind.machine, kind.bits):
            name = elf.machine.removeprefix("EM_").lower()
            raise ProgramError(f"{elf.path}: it is built for {name}, {elf.bits} bits; {kind.taker}")
        self._symbols = {symbol.name: (symbol.address, symbol.size) for symbol in elf.symbols}

    def place(self, text: str) -> tuple[int, int]:
        """Returns first address and size in bytes of a place.

        ``SYMBOL``, ``SYMBOL+OFFSET``, ``0xADDRESS``, ``0xFIRST..0xLAST`` or ``FILE:LINE``. Raises
        ProgramError.
        """
        if match := re.fullmatch(r"(0x[0-9A-Fa-f]+)(?:\.\.(0x[0-9A-Fa-f]+))?", text):
            first = int(match[1], 16)
            last = int(match[2], 16) if match[2] else first + 3
            if not first <= last < 1 << self.elf.bits:
                raise ProgramError(
                    f"{text} is no range of addresses of {self.elf.bits} bits; "
                    "write 0xFIRST..0xLAST"
                )
            return first, last - first + 1
        if match := re.fullmatch(rf"(.+\.[A-Za-z]+):({_DIGITS})", text):
            return self._line(match[1], int(match[2])), 4
        if match := re.fullmatch(rf"(.+)\+(0x[0-9A-Fa-f]+|{_DIGITS})", text):
            address = self._symbol(match[1])[0] + int(match[2], 0 if "x" in match[2] else 10)
            if address >= 1 << self.elf.bits:
                raise ProgramError(f"{text} is no address of {self.elf.bits} bits")
            return address, 4
        address, size = self._symbol(text)
        return address, max(size, 1)

    def code(self, text: str) -> tuple[int, int]:
        """Returns first address and size in bytes of a function or of ``FROM..TO``.

        Raises ProgramError.
        """
        first, dots, end = text.partition("..")
        address, size = self.place(first)
        if dots:
            size = self.place(end)[0] - address
        elif first in self._symbols:
            size = self._symbols[first][1]
        if size <= 0:
            why = f"{end} is not behind {first}" if dots else f"{first} has no size"
            raise ProgramError(
                f"{why} in {self.elf.path}; write FROM..TO, two places in their order"
            )
        return address, size

    def _symbol(self, name: str) -> tuple[int, int]:
        if name in self._symbols:
            return self._symbols[name]
        if not self._symbols:
            raise ProgramError(
                f"{self.elf.path} is stripped: it has no symbols, so {name} cannot be found; "
                "write pc:0xADDRESS, or link it without -s"
            )
        called = self._plain.get(name, [])
        if len(called) == 1:
            return self._symbols[called[0]]
        if called:
            raise ProgramError(
                f"{name} is the name of {len(called)} functions: {', '.join(called)}"
            )
        names = (each for each in (*self._symbols, *self._plain) if len(each) <= _LONGEST_COMPARED)
        near = difflib.get_close_matches(
            name[:_LONGEST_COMPARED], [*islice(names, _COMPARED)], _NEAREST, 0.5
        )
        hint = f"; the nearest are {', '.join(near)}" if near else ""
        raise ProgramError(f"{self.elf.path} has no symbol {name}{hint}")

    @cached_property
    def _plain(self) -> dict[str, list[str]]:
        """Symbols by the names that they have in Rust."""
        names: dict[str, list[str]] = {}
        for symbol in self._symbols:
            if plain := demangled(symbol):
                names.setdefault(plain, []).append(symbol)
        return names

    def _line(self, file: str, line: int) -> int:
        """Return the lowest address of a line's code."""
        lines = self.elf.lines(file)
        if lines is None:
            raise ProgramError(
                f"{self.elf.path} has no lines of sources, so {file}:{line} cannot be found; "
                "compile it with -g"
            )
        if line in lines:
            return lines[line]
        if not lines:
            raise ProgramError(f"{self.elf.path} has no code of a source {file}")
        after = min((at for at in lines if at > line), default=None)
        next_one = "" if after is None else f"; the next line that has is {after}"
        raise ProgramError(f"{file}:{line} has no code of its own{next_one}")


def demangled(symbol: str) -> str | None:
    """Demangles a Rust symbol with a hash to its path, or returns None for another symbol."""
    match = _RUST.fullmatch(symbol)
    if match is None:
        return None
    rest, parts = match[1], list[str]()
    while rest:
        length = re.match(r"[0-9]+", rest)
        if length is None:
            return None
        start = length.end()
        end = start + int(length[0])
        part, rest = rest[start:end], rest[end:]
        part = part.removeprefix("_") if part.startswith("_$") else part
        for escape, plain in _RUST_ESCAPES.items():
            part = part.replace(escape, plain)
        parts.append(part)
    return "::".join(parts)
