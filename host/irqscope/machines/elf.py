"""Reads ELF files of others: each file once, bounded, and its text made harmless.

Nothing else in irqscope reads a foreign ELF file. A lying header cannot make it read outside of the
file, loop, or take more memory than the bounds below allow. Line information, which is the largest
part of a file, is read by :mod:`.elf_lines`, in a process of its own.
"""

from __future__ import annotations

import fcntl
import hashlib
import itertools
import json
import os
import struct
import subprocess
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from elftools.elf.enums import ENUM_E_MACHINE

from irqscope.errors import one_line
from irqscope.files import read_bytes

#: Bounds of a file: its bytes, its symbols, the bytes of a name, and those of all names.
MOST_BYTES = 1 << 28
MOST_SYMBOLS = 1 << 20
MOST_NAME = 1 << 10
MOST_NAMES = 1 << 26
#: Time for the line information, s. Its process ends itself after a part of that.
_LINES_S = 60.0

_MAGIC, _WIDE, _NARROW, _LITTLE = b"\x7fELF", 2, 1, 1
_PT_LOAD, _SHT_SYMTAB, _SHT_NOBITS = 1, 2, 8
_NO_TYPE, _FUNCTION, _SECTION, _FILE = 0, 2, 3, 4
_UNDEFINED, _RESERVED, _LOCAL = 0, 0xFF00, 0
_MACHINES = {number: name for name, number in ENUM_E_MACHINE.items() if isinstance(number, int)}


class ProgramError(Exception):
    """A program cannot be used, or lacks a place; the text is one line."""

    def __str__(self) -> str:
        return one_line(super().__str__())


class Symbol(NamedTuple):
    """A symbol that is defined.

    ``function``: whether it is a function or a label of assembly. ``source``: file of a local one,
    empty if not known.
    """

    name: str
    address: int
    size: int
    function: bool
    source: str


@dataclass(frozen=True)
class Segment:
    """Bytes that are loaded at ``address``, where the program runs."""

    address: int
    data: bytes = field(repr=False)


class _Layout(NamedTuple):
    """Headers and symbols of one width, as ``struct`` has them."""

    header: struct.Struct
    segment: struct.Struct
    section: struct.Struct
    symbol: struct.Struct


_LAYOUTS = {
    _NARROW: _Layout(*map(struct.Struct, ("<16sHHIIIIIHHHHHH", "<8I", "<10I", "<IIIBBH"))),
    _WIDE: _Layout(
        *map(struct.Struct, ("<16sHHIQQQIHHHHHH", "<IIQQQQQQ", "<IIQQQQIIQQ", "<IBBHQQ"))
    ),
}


@dataclass(frozen=True)
class Elf:
    """An ELF file.

    Attributes:
        path: Where it was read.
        data: Its bytes; all else follows from these.
        sha256: Hash of them, hexadecimal.
        machine: Its architecture, as ``EM_RISCV``.
        bits: Width of an address, 32 or 64.
        symbols: Its symbols, in their order.
        segments: What is loaded.
    """

    path: Path
    data: bytes = field(repr=False)
    sha256: str
    machine: str
    bits: int
    symbols: tuple[Symbol, ...] = field(repr=False)
    segments: tuple[Segment, ...] = field(repr=False)

    @property
    def named(self) -> str:
        """The file and its hash, for labels."""
        return one_line(f"{self.path.name} (sha256 {self.sha256[:12]})")

    @cached_property
    def functions(self) -> dict[int, str]:
        """Names of functions and labels by their addresses, ascending; of several the last."""
        return dict(sorted({s.address: s.name for s in self.symbols if s.function}.items()))

    @cached_property
    def told_apart(self) -> dict[int, str]:
        """Returns names of functions that share theirs, with the source file or their order.

        As ``step (uart.c)``, and in one file ``step (uart.c, 2)``.
        """
        sources = {s.address: s.source for s in self.symbols if s.function}
        full = {
            at: f"{name} ({sources[at]})" if sources[at] else name
            for at, name in self.functions.items()
        }
        of_name, of_source = Counter(self.functions.values()), Counter(full.values())
        before = Counter[str]()
        names = {}
        for at, name in self.functions.items():
            if of_name[name] == 1:
                continue
            name_there = full[at]
            if of_source[name_there] > 1:
                before[name_there] += 1
                name_there = f"{name_there[:-1]}, " if sources[at] else f"{name} ("
                name_there += f"{before[full[at]]})"
            names[at] = f"{name_there} at {at:#x}" if name_there in of_name else name_there
        return names

    def lines(self, source: str) -> dict[int, int] | None:
        """Return the lowest address of each line of a source file that has code.

        Args:
            source: Name of the file, or the end of its path.

        Returns:
            Addresses by line numbers, or None if the file has no line information at all.

        Raises:
            ProgramError: The line information is damaged, or reading it takes too long.
        """
        # -P: modules of the working directory are not imported.
        command = [sys.executable, "-P", "-m", "irqscope.machines.elf_lines", source]
        try:
            process = subprocess.run(
                command, input=self.data, capture_output=True, check=False, timeout=_LINES_S
            )
            if process.returncode == 0:
                numbers = json.loads(process.stdout)
                return None if numbers is None else {line: address for line, address in numbers}
            reason = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        except (subprocess.TimeoutExpired, ValueError):
            reason = ""
        raise ProgramError(
            f"{self.path}: its line information cannot be read "
            f"({reason or 'it takes too much time or memory'}); write pc:0xADDRESS"
        )

    def section(self, kind: int) -> bytes:
        """Return the bytes of the first section of that type, or none without such a section."""
        layout = _LAYOUTS[self.data[4]]
        (header,) = _entries("its header", self.data, layout.header, 0, 1)
        offset, size, count = header[6], header[11], header[12]
        for entry in _entries("its sections", self.data, layout.section, offset, count, size):
            if entry[1] == kind and entry[4] + entry[5] <= len(self.data):
                return bytes(_piece("a section", self.data, entry[4], entry[5]))
        return b""

    def descriptor(self) -> int:
        """Return a descriptor of these very bytes for another process, which cannot be changed.

        The caller closes it.
        """
        return _sealed(self.path.name, self.data)


def handed_over(elf: Elf) -> list[str]:
    """Return words of the command line by which this process becomes a simulation of a program.

    They name descriptors: of the bytes of the file, and of a text with a line "ADDRESS NAME" for
    each function, so that a simulation reads no symbols itself. A name after a tab distinguishes it
    from others of that name. Where loaded bytes end, a line has no name: no function goes on there.
    Labels outside of them, such as the end of a stack, are left out.
    """
    renamed = {address: f"\t{name}" for address, name in elf.told_apart.items()}
    ends = dict[int, int]()  # of what is loaded, by where it begins
    begin = end = -1
    for segment in sorted(elf.segments, key=lambda one: one.address):
        if segment.address > end:
            begin = segment.address
        end = ends[begin] = max(end, segment.address + len(segment.data))
    begins = list(ends)

    def is_loaded(address: int) -> bool:
        before = bisect_right(begins, address)
        return before > 0 and address < ends[begins[before - 1]]

    names = {at: name for at, name in elf.functions.items() if is_loaded(at)}
    names |= dict.fromkeys(ends.values(), "")
    lines = (f"{at:x} {name}{renamed.get(at, '')}\n" for at, name in names.items())
    descriptors = elf.descriptor(), _sealed("symbols", "".join(lines).encode())
    for descriptor in descriptors:
        os.set_inheritable(descriptor, True)
    program, symbols = map(descriptor_path, descriptors)
    name = one_line(str(elf.path))
    return ["--program", program, "--program-name", name, "--symbols", symbols]


def descriptor_path(descriptor: int) -> str:
    """Return the path by which a process that inherits a descriptor opens it."""
    return f"/proc/self/fd/{descriptor}"


def read_elf(path: Path, name: str | None = None) -> Elf:
    """Read an ELF file.

    Args:
        path: Where it is.
        name: Name of the file for labels and errors, where `path` is a descriptor.

    Raises:
        ProgramError: The file is not a little-endian ELF file, is cut short or damaged, or exceeds
            a bound. The text is one line that names the file.
    """
    named = path if name is None else Path(name)
    try:
        data = read_bytes(path, MOST_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ProgramError(f"{named}: {reason}; name a program") from None
    try:
        return _parse(named, data)
    except _Damaged as error:
        raise ProgramError(f"{named}: {error}; name a program") from None


class _Damaged(Exception):
    """Why a file cannot be read as a little-endian ELF file, in a sentence."""


def _parse(path: Path, data: bytes) -> Elf:
    if data[:4] != _MAGIC:
        raise _Damaged("it is not an ELF file, which begins with 7f 45 4c 46")
    layout = _LAYOUTS.get(data[4] if len(data) > 5 else 0)
    if layout is None:
        raise _Damaged("it is an ELF file of neither 32 nor 64 bits")
    if data[5] != _LITTLE:
        raise _Damaged("it is a big-endian ELF file, and cores here are little-endian")
    (header,) = _entries("its header", data, layout.header, 0, 1)
    (_, _, machine, _, _, phoff, shoff, _, _, phentsize, phnum, shentsize, shnum, _) = header
    name = _MACHINES.get(machine, f"machine {machine}")
    return Elf(
        path=path,
        data=data,
        sha256=hashlib.sha256(data).hexdigest(),
        machine=name,
        bits=64 if data[4] == _WIDE else 32,
        symbols=tuple(_symbols(data, layout, shoff, shnum, shentsize, thumb=name == "EM_ARM")),
        segments=tuple(_segments(data, layout, phoff, phnum, phentsize)),
    )


def _entries(
    table: str, data: bytes, layout: struct.Struct, offset: int, count: int, size: int | None = None
) -> Iterator[tuple[Any, ...]]:
    """Entries of a table that lies in the file as a whole."""
    if not count:
        return iter(())
    if size not in (None, layout.size):
        raise _Damaged(f"the ELF file is damaged: {table} have entries of {size} bytes")
    return layout.iter_unpack(_piece(table, data, offset, count * layout.size))


def _piece(table: str, data: bytes, offset: int, size: int) -> memoryview:
    if offset + size > len(data):
        raise _Damaged(f"the ELF file is cut short or damaged: it ends before {table}")
    return memoryview(data)[offset : offset + size]


def _segments(
    data: bytes, layout: _Layout, offset: int, count: int, size: int
) -> Iterator[Segment]:
    loaded, places = 0, list[tuple[int, int]]()
    for entry in _entries("its segments", data, layout.segment, offset, count, size):
        if layout is _LAYOUTS[_WIDE]:
            kind, _, at, address, physical, filed, memory_size, _ = entry
        else:
            kind, at, address, physical, filed, memory_size, _, _ = entry
        if kind != _PT_LOAD or filed == 0:
            continue
        loaded += filed
        if loaded > MOST_BYTES:  # many that lie on each other
            raise _Damaged("the ELF file is damaged: its segments hold more than the file")
        yield Segment(address, bytes(_piece("a segment", data, at, filed)))
        if memory_size < filed or physical + memory_size > 1 << (
            64 if layout is _LAYOUTS[_WIDE] else 32
        ):
            raise _Damaged(
                f"the ELF file is damaged: its segment at {physical:#x} has {filed} bytes and "
                f"takes {memory_size} bytes of memory"
            )
        places.append((physical, physical + filed))
    places.sort()
    for (_, end), (begin, _) in itertools.pairwise(places):
        if begin < end:
            raise _Damaged(f"the ELF file is damaged: two of its segments are at {begin:#x}")


def _symbols(
    data: bytes, layout: _Layout, offset: int, count: int, size: int, *, thumb: bool
) -> Iterator[Symbol]:
    """Symbols of the first symbol table; a stripped file has none."""
    sections = list(_entries("its sections", data, layout.section, offset, count, size))
    table = next((section for section in sections if section[1] == _SHT_SYMTAB), None)
    if table is None:
        return
    _, _, _, _, at, length, link, _, _, entry_size = table
    if link >= len(sections) or sections[link][1] == _SHT_NOBITS:
        raise _Damaged("the ELF file is damaged: its symbols have no names")
    names = bytes(_piece("the names of its symbols", data, sections[link][4], sections[link][5]))
    number, rest = divmod(length, layout.symbol.size)
    if rest:
        raise _Damaged("the ELF file is damaged: the table of its symbols is cut short")
    if number > MOST_SYMBOLS:
        raise _Damaged(f"the ELF file has {number} symbols, more than {MOST_SYMBOLS}")
    left, source = MOST_NAMES, ""
    wide = layout is _LAYOUTS[_WIDE]
    for entry in _entries("its symbols", data, layout.symbol, at, number, entry_size):
        if wide:
            begin, info, _, section, value, extent = entry
        else:
            begin, value, extent, info, _, section = entry
        kind, is_local = info & 0xF, info >> 4 == _LOCAL
        if begin == 0 or section == _UNDEFINED or kind == _SECTION:
            continue
        if begin >= len(names):
            raise _Damaged("the ELF file is damaged: a symbol has no name")
        end = names.find(b"\0", begin, begin + MOST_NAME)
        raw = names[begin : begin + MOST_NAME if end < 0 else end]
        left -= len(raw)
        if left < 0:
            raise _Damaged(f"the ELF file has names of more than {MOST_NAMES} bytes")
        if kind == _FILE:  # the local symbols after it belong to it
            source = harmless(raw)
            continue
        if not raw:
            continue
        # Labels of assembly have no type; those that begin with a dollar or a point are marks.
        code = kind in (_NO_TYPE, _FUNCTION) and section < _RESERVED and raw[0] not in b"$."
        if thumb and kind == _FUNCTION:
            value &= ~1  # bit 0 tells the instruction set
        yield Symbol(harmless(raw), value, extent, code, source if is_local else "")


def harmless(raw: bytes) -> str:
    """Return a name as text of one line that moves no cursor, whatever its bytes are."""
    return one_line(raw.decode("utf-8", "backslashreplace"), 4 * MOST_NAME)


def _sealed(name: str, data: bytes) -> int:
    """A file in memory that holds ``data`` and takes nothing else. The caller closes it."""
    descriptor = os.memfd_create(name[:100], os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(data)
        fcntl.fcntl(descriptor, _F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


#: Of linux/fcntl.h, which Python 3.11 does not name: no shorter, no longer, no other bytes.
_F_ADD_SEALS, _SEALS = 1033, 0x1 | 0x2 | 0x4 | 0x8
