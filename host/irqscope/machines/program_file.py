"""A program that is not ours: its ELF file, and the places in it."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from elftools.common.exceptions import DWARFError, ELFError
from elftools.elf.elffile import ELFFile

#: Nearest names that a refusal lists.
_NEAREST = 3
#: What stands in front of the hash of a mangled name of Rust, and its escapes.
_RUST = re.compile(r"_ZN(.*)17h[0-9a-f]{16}E(?:\.llvm\.[0-9]+)?")
_RUST_ESCAPES = {"$LT$": "<", "$GT$": ">", "$u20$": " ", "$u7b$": "{", "$u7d$": "}", "..": "::"}


class ProgramError(Exception):
    """A program cannot be used, or lacks a place; the text is one line."""


@dataclass(frozen=True)
class Kind:
    """What the file has to be. ``machine``: as ELF names it; ``taker``: who says so, and what it
    is that it takes.
    """

    machine: str
    bits: int
    taker: str


class Program:
    """An ELF file. Raises ProgramError, in one line that names the file."""

    def __init__(self, path: Path, kind: Kind | None = None) -> None:
        self.path = path
        try:
            data = path.read_bytes()
            with path.open("rb") as file:
                elf = ELFFile(file)
                machine, width = elf["e_machine"], elf.elfclass
                self._addresses = 1 << width
                if kind is not None and (machine, width) != (kind.machine, kind.bits):
                    name = str(machine).removeprefix("EM_").lower()
                    raise ProgramError(
                        f"{path}: it is built for {name}, {width} bits; {kind.taker}"
                    )
                self._symbols = dict(_symbols(elf))
                self._lines = dict(_lines(elf))
        except OSError as error:
            raise ProgramError(f"{path}: {error.strerror}; name a program") from None
        except (ELFError, DWARFError) as error:
            raise ProgramError(
                f"{path}: it is no whole ELF file ({error}); name a program"
            ) from None
        self.sha256 = hashlib.sha256(data).hexdigest()

    @property
    def named(self) -> str:
        """The file and its hash, for labels."""
        return f"{self.path.name} (sha256 {self.sha256[:12]})"

    def place(self, text: str) -> tuple[int, int]:
        """First address and size in bytes of ``SYMBOL``, ``SYMBOL+OFFSET``, ``0xADDRESS``,
        ``0xFIRST..0xLAST`` or ``FILE:LINE``. Raises ProgramError.
        """
        if match := re.fullmatch(r"(0x[0-9A-Fa-f]+)(?:\.\.(0x[0-9A-Fa-f]+))?", text):
            first = int(match[1], 16)
            last = int(match[2], 16) if match[2] else first + 3
            if not first <= last < self._addresses:
                raise ProgramError(
                    f"{text} is no range of addresses of {self._addresses.bit_length() - 1} bits; "
                    "write 0xFIRST..0xLAST"
                )
            return first, last - first + 1
        if match := re.fullmatch(r"(.+\.[A-Za-z]+):([0-9]+)", text):
            return self._line(match[1], int(match[2])), 4
        name, _, offset = text.partition("+")
        address, size = self._symbol(name)
        return (address + int(offset, 0), 4) if offset else (address, max(size, 1))

    def code(self, text: str) -> tuple[int, int]:
        """First address and size in bytes of a function, or of ``FROM..TO``: from one place up to
        the other. Raises ProgramError.
        """
        first, dots, end = text.partition("..")
        address, size = self.place(first)
        if dots:
            size = self.place(end)[0] - address
        elif first in self._symbols:
            size = self._symbols[first][1]
        if size <= 0:
            why = f"{end} is not behind {first}" if dots else f"{first} has no size"
            raise ProgramError(f"{why} in {self.path}; write FROM..TO, two places in their order")
        return address, size

    def _symbol(self, name: str) -> tuple[int, int]:
        if name in self._symbols:
            return self._symbols[name]
        if not self._symbols:
            raise ProgramError(
                f"{self.path} is stripped: it has no symbols, so {name} cannot be found; "
                "write pc:0xADDRESS, or link it without -s"
            )
        called = self._plain.get(name, [])
        if len(called) == 1:
            return self._symbols[called[0]]
        if called:
            raise ProgramError(
                f"{name} is the name of {len(called)} functions: {', '.join(called)}"
            )
        known = [*self._symbols, *self._plain]
        near = difflib.get_close_matches(name, known, _NEAREST, 0.5)
        hint = f"; the nearest are {', '.join(near)}" if near else ""
        raise ProgramError(f"{self.path} has no symbol {name}{hint}")

    @cached_property
    def _plain(self) -> dict[str, list[str]]:
        """Symbols by the names that they have in Rust."""
        found: dict[str, list[str]] = {}
        for symbol in self._symbols:
            if plain := demangled(symbol):
                found.setdefault(plain, []).append(symbol)
        return found

    def _line(self, file: str, line: int) -> int:
        """Lowest address of a line's code."""
        if not self._lines:
            raise ProgramError(
                f"{self.path} has no lines of sources, so {file}:{line} cannot be found; "
                "compile it with -g"
            )
        files = {name for name, _ in self._lines if name == file or name.endswith(f"/{file}")}
        found = [a for (name, at), a in self._lines.items() if name in files and at == line]
        if found:
            return min(found)
        numbers = sorted({at for name, at in self._lines if name in files})
        if not numbers:
            raise ProgramError(f"{self.path} has no code of a source {file}")
        after = [at for at in numbers if at > line]
        next_one = f"; the next line that has is {after[0]}" if after else ""
        raise ProgramError(f"{file}:{line} has no code of its own{next_one}")


def demangled(symbol: str) -> str | None:
    """The path that a symbol of Rust stands for, by the mangling with a hash; None: another one."""
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


def _symbols(elf: Any) -> Iterator[tuple[str, tuple[int, int]]]:
    table = elf.get_section_by_name(".symtab")
    for symbol in table.iter_symbols() if table is not None else ():
        kind, where = symbol["st_info"]["type"], symbol["st_shndx"]
        if symbol.name and where != "SHN_UNDEF" and kind not in ("STT_FILE", "STT_SECTION"):
            yield symbol.name, (symbol["st_value"], symbol["st_size"])


def _lines(elf: Any) -> Iterator[tuple[tuple[str, int], int]]:
    """Lowest address of each line that begins a statement, by source and number."""
    found: dict[tuple[str, int], int] = {}
    if not elf.has_dwarf_info():
        return
    dwarf = elf.get_dwarf_info()
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        files, folders = program["file_entry"], program["include_directory"]
        first = 0 if program["version"] >= 5 else 1
        for entry in program.get_entries():
            state = entry.state
            if state is None or state.end_sequence or not state.is_stmt:
                continue
            file = files[state.file - first]
            folder = folders[file.dir_index - first] if file.dir_index >= first else b""
            name = f"{folder.decode(errors='replace')}/{file.name.decode(errors='replace')}"
            key = (name, state.line)
            found[key] = min(found.get(key, state.address), state.address)
    yield from found.items()
