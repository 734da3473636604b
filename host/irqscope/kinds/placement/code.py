"""The file of what is interrupted: where code under test is, and what its instructions are."""

from __future__ import annotations

import bisect
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import capstone
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from irqscope.errors import ExperimentError, TargetError
from irqscope.files import require_regular
from irqscope.kinds.placement.record import Instruction
from irqscope.machines.program_file import Program, ProgramError

#: Capstone's architecture and mode, by the ELF file's.
_ARCHITECTURES = {
    "EM_AARCH64": (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM),
    "EM_ARM": (capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM),
    "EM_RISCV": (capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV32 | capstone.CS_MODE_RISCVC),
}


@dataclass(frozen=True)
class _Function:
    name: str
    address: int
    size: int


class Code:
    """The file of a firmware or a program. Raises TargetError if it cannot be read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            require_regular(path)
            with path.open("rb") as file:
                elf = ELFFile(file)
                self._functions = sorted(_functions(elf), key=lambda function: function.address)
                self._segments = [
                    (segment["p_vaddr"], segment.data())
                    for segment in elf.iter_segments()
                    if segment["p_type"] == "PT_LOAD"
                ]
                architecture = _ARCHITECTURES[elf["e_machine"]]
        except OSError as error:
            raise TargetError(
                f"{path} is wanted for [code_under_test] ({error.strerror}); run `make build`"
            ) from error
        except (ELFError, KeyError) as error:
            raise TargetError(f"{path} is no firmware of a machine that is known") from error
        self._starts = [function.address for function in self._functions]
        self._capstone = capstone.Cs(*architecture)

    def code_under_test(self, symbol: str) -> CodeUnderTest:
        """The function of that name. Raises ExperimentError if there is none."""
        for function in self._functions:
            if function.name == symbol and function.size:
                code = self._bytes(function.address, function.size)
                return CodeUnderTest(symbol, function.address, function.size, zlib.crc32(code))
        known = ", ".join(
            sorted(f.name for f in self._functions if f.name.startswith("code_under_test_"))
        )
        raise ExperimentError(
            f'code_under_test.code: {self.path.name} has no function "{symbol}"; '
            f"it has {known or 'none'}"
        )

    def code_of_program(self, text: str) -> CodeUnderTest:
        """A function of a program that is not ours, or all ``FROM..TO``. Raises ExperimentError."""
        try:
            address, size = Program(self.path).code(text)
        except ProgramError as error:
            raise ExperimentError(f"code_under_test.code: {error}") from error
        if len(self._bytes(address, size)) < size:
            raise ExperimentError(
                f"code_under_test.code: {self.path.name} has no {size} bytes at {address:#x}; "
                "name code that is in the file"
            )
        return CodeUnderTest(text, address, size)

    def instructions(self, address: int, size: int) -> list[Instruction]:
        """The instructions in ``size`` bytes, in order; what is none is shown as data."""
        code, found = self._bytes(address, size), list[Instruction]()
        at = 0
        while at < len(code):
            known = next(self._capstone.disasm(code[at : at + 4], address + at, 1), None)
            length = known.size if known else min(4, len(code) - at)
            text = (
                f"{known.mnemonic} {known.op_str}".strip()
                if known
                else f".word {int.from_bytes(code[at : at + length], 'little'):#x}"
            )
            found.append(
                Instruction(address=address + at, where=self._where(address + at), text=text)
            )
            at += length
        return found

    def instruction(self, address: int) -> Instruction:
        """The instruction at an address."""
        found = self.instructions(address, 4)
        return found[0] if found else Instruction(address=address, where="", text="")

    def _where(self, address: int) -> str:
        """Function that holds an address, and the offset in it."""
        place = bisect.bisect_right(self._starts, address) - 1
        if place < 0:
            return ""
        function = self._functions[place]
        if function.size and address >= function.address + function.size:
            return ""
        return f"{function.name}+{address - function.address:#x}"

    def _bytes(self, address: int, size: int) -> bytes:
        for start, data in self._segments:
            if start <= address < start + len(data):
                return bytes(data[address - start : address - start + size])
        return b""


@dataclass(frozen=True)
class CodeUnderTest:
    """Code: ``address``, ``size`` in bytes, and the CRC-32 of these, if a firmware compares it."""

    symbol: str
    address: int
    size: int
    crc: int = 0


def _functions(elf: Any) -> list[_Function]:
    table = elf.get_section_by_name(".symtab")
    if table is None:
        return []
    return [
        _Function(symbol.name, symbol["st_value"], symbol["st_size"])
        for symbol in table.iter_symbols()
        if symbol["st_info"]["type"] in ("STT_FUNC", "STT_NOTYPE")
        and symbol["st_shndx"] not in ("SHN_ABS", "SHN_UNDEF")
        and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.]*", symbol.name)  # no label of the compiler's
    ]
