"""Reads the line information of an ELF file in a process of its own, which bounds itself.

``python -m irqscope.machines.elf_lines SOURCE`` reads the file from standard input and prints a
JSON array: the lines of the source file that have code, each with its lowest address; null if the
file has no line information. Damage by a bad file ends only this process.
"""

from __future__ import annotations

import io
import json
import resource
import sys

from elftools.elf.elffile import ELFFile

#: Memory, bytes, and processor time, s, after which the process ends.
_MEMORY, _TIME_S = 1 << 31, 40


def lines(data: bytes, source: str) -> dict[int, int] | None:
    """Return the lowest address of each line of a source that begins a statement.

    Args:
        data: The ELF file.
        source: Name of the source file, or the end of its path.

    Returns:
        Addresses by line numbers, or None if the file has no line information.

    Raises:
        Exception: Whatever the library meets in a damaged file.
    """
    elf = ELFFile(io.BytesIO(data))
    if not elf.has_dwarf_info():
        return None
    dwarf = elf.get_dwarf_info()
    if dwarf.debug_line_sec is None:
        return None
    numbers: dict[int, int] = {}
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        files, folders = program["file_entry"], program["include_directory"]
        first = 0 if program["version"] >= 5 else 1
        pending: dict[int, bool] = {}
        for entry in program.get_entries():
            state = entry.state
            if state is None or state.end_sequence or not state.is_stmt:
                continue
            if state.file not in pending:
                file = files[state.file - first]
                folder = folders[file.dir_index - first] if file.dir_index >= first else b""
                name = f"{folder.decode(errors='replace')}/{file.name.decode(errors='replace')}"
                pending[state.file] = name == source or name.endswith(f"/{source}")
            if pending[state.file]:
                numbers[state.line] = min(numbers.get(state.line, state.address), state.address)
    return numbers


def main() -> None:
    """Print the lines, or end with a line that says why that cannot be."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_TIME_S, _TIME_S))
    try:
        numbers = lines(sys.stdin.buffer.read(), sys.argv[1])
    except MemoryError:
        sys.exit("it takes too much memory")
    except Exception as error:  # noqa: BLE001 - the library checks little of its input
        sys.exit(f"{type(error).__name__}: {error}")
    json.dump(None if numbers is None else sorted(numbers.items()), sys.stdout)


if __name__ == "__main__":
    main()
