"""Writes into a linked program the hash that HELLO reports: a hash over all loaded content.

    python fw/firmware_hash.py ELF

The first 32 bits of the sha256 over the entry and over address, size, rights and bytes of each
segment that is loaded, the hash itself left out. It is stored in the variable ``firmware_hash``,
whose address and size do not depend on it. Content that is not loaded, such as debugging
information with its line numbers, does not count.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

NAME = "firmware_hash"
SIZE = 4


class HashError(Exception):
    """A file has no place for a hash; the text says why."""


def place(elf: ELFFile) -> int:
    """Offset of the hash in the file. Raises HashError."""
    table = elf.get_section_by_name(".symtab")
    symbols = table.iter_symbols() if isinstance(table, SymbolTableSection) else ()
    matches = [symbol for symbol in symbols if symbol.name == NAME]
    if [symbol["st_size"] for symbol in matches] != [SIZE]:
        raise HashError(f"not one variable {NAME} of {SIZE} bytes")
    address = matches[0]["st_value"]
    for segment in loaded(elf):
        offset = address - segment["p_vaddr"]
        if 0 <= offset <= segment["p_filesz"] - SIZE:
            return int(segment["p_offset"] + offset)
    raise HashError(f"{NAME} is not loaded from the file")


def loaded(elf: ELFFile) -> Iterator[Any]:
    """The segments that are loaded."""
    return (segment for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD")


def firmware_hash(elf: ELFFile) -> int:
    """The hash, whatever is in its place. Raises HashError."""
    at = place(elf)
    digest = hashlib.sha256(f"{elf['e_entry']:#x}\n".encode())
    for segment in loaded(elf):
        about = (segment[f"p_{name}"] for name in ("vaddr", "paddr", "memsz", "filesz", "flags"))
        content = bytearray(segment.data())
        offset = at - segment["p_offset"]
        if 0 <= offset < len(content):
            content[offset : offset + SIZE] = bytes(SIZE)
        digest.update(" ".join(map(hex, about)).encode() + b"\n" + content)
    return int.from_bytes(digest.digest()[:SIZE], "big")


def main() -> None:
    """Writes the hash into the program named."""
    path = Path(sys.argv[1])
    try:
        with path.open("r+b") as file:
            elf = ELFFile(file)
            word = firmware_hash(elf).to_bytes(SIZE, "little" if elf.little_endian else "big")
            file.seek(place(elf))
            file.write(word)
    except (OSError, ELFError, HashError) as error:
        sys.exit(f"firmware_hash: {path}: {error}")


if __name__ == "__main__":
    main()
