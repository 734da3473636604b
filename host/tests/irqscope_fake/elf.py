"""Small ELF files, as good or as bad as a test wants them."""

from __future__ import annotations

import struct
from collections.abc import Sequence

RISCV, AARCH64, ARM = 243, 183, 40
BASE = 0x80000000


def elf(
    names: Sequence[bytes] = (b"_start", b"main"),
    machine: int = RISCV,
    code: bytes = b"\x6f\0\0\0" * 64,
    wide: bool = False,
) -> bytes:
    """An executable whose functions have these names, 4 bytes each, at BASE and after it."""
    header = struct.calcsize("<16sHHIQQQIHHHHHH" if wide else "<16sHHIIIIIHHHHHH")
    table, strings = symbols(names, wide)
    segments = header
    text = segments + (56 if wide else 32)
    at_symbols = text + len(code)
    at_names = at_symbols + len(table)
    sections = at_names + len(strings)
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    sizes = (64, 56, 1, 64, 4, 0) if wide else (52, 32, 1, 40, 4, 0)
    fields = (2, machine, 1, BASE, segments, sections, 0, *sizes)
    out = struct.pack("<16sHHIQQQIHHHHHH" if wide else "<16sHHIIIIIHHHHHH", ident, *fields)
    sized = len(code), len(code)
    if wide:
        out += struct.pack("<IIQQQQQQ", 1, 5, text, BASE, BASE, *sized, 4)
    else:
        out += struct.pack("<8I", 1, text, BASE, BASE, *sized, 5, 4)
    out += code + table + strings
    each = struct.calcsize("<IBBHQQ" if wide else "<IIIBBH")
    for row in (
        (0,) * 10,
        (0, 1, 6, BASE, text, len(code), 0, 0, 4, 0),
        (0, 2, 0, 0, at_symbols, len(table), 3, 1, 4, each),
        (0, 3, 0, 0, at_names, len(strings), 0, 0, 1, 0),
    ):
        out += struct.pack("<IIQQQQIIQQ" if wide else "<10I", *row)
    return out


def symbols(names: Sequence[bytes], wide: bool) -> tuple[bytes, bytes]:
    """A table of symbols, and the names that it refers to."""
    table, strings = bytes(24 if wide else 16), b"\0"
    for number, name in enumerate(names):
        at, value, info = len(strings), BASE + 4 * number, 0x12
        row = (at, info, 0, 1, value, 4) if wide else (at, value, 4, info, 0, 1)
        table += struct.pack("<IBBHQQ" if wide else "<IIIBBH", *row)
        strings += name + b"\0"
    return table, strings
