"""The file of the interrupted program: the place of the code under test, and its instructions."""

from __future__ import annotations

import bisect
import re
import zlib
from dataclasses import dataclass

import capstone

from irqscope.errors import ExperimentError, TargetError
from irqscope.kinds.placement.record import Instruction
from irqscope.machines.arm_attributes import is_for_microcontroller
from irqscope.machines.elf import Elf, ProgramError
from irqscope.machines.program_file import Program

#: Code that one run can meet at each instruction, bytes.
_MOST_BYTES = 1 << 16
#: Capstone's architecture and mode, by the ELF file's.
_ARCHITECTURES = {
    "EM_AARCH64": (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM),
    "EM_ARM": (capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM),
    "EM_RISCV": (capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV32 | capstone.CS_MODE_RISCVC),
}


class Code:
    """The instructions of a firmware or a program. Raises TargetError for an unknown processor."""

    def __init__(self, elf: Elf) -> None:
        self.elf = elf
        if elf.machine not in _ARCHITECTURES:
            raise TargetError(f"{elf.path} is no firmware of a machine that is known")
        functions = (symbol for symbol in elf.symbols if symbol.function)
        by_size = sorted(functions, key=lambda symbol: symbol.size)  # a label has none
        self._functions = {symbol.address: symbol for symbol in by_size}
        self._starts = sorted(self._functions)
        self._decoder = capstone.Cs(*_ARCHITECTURES[elf.machine])
        self._marks = list[tuple[int, str]]()
        if elf.machine == "EM_ARM":
            self._marks = sorted(
                (symbol.address, symbol.name[1])
                for symbol in elf.symbols
                if re.fullmatch(r"\$[atd](\..*)?", symbol.name)
            )
            profile = capstone.CS_MODE_MCLASS if is_for_microcontroller(elf) else 0
            self._thumb = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | profile)

    def code_under_test(self, symbol: str) -> CodeUnderTest:
        """The function of that name. Raises ExperimentError if it does not exist."""
        functions = [self._functions[start] for start in self._starts]
        for function in functions:
            if function.name == symbol and function.size:
                code = self._bytes(function.address, function.size)
                return CodeUnderTest(symbol, function.address, function.size, zlib.crc32(code))
        names = ", ".join(
            sorted(f.name for f in functions if f.name.startswith("code_under_test_"))
        )
        raise ExperimentError(
            f'code_under_test.code: {self.elf.path.name} has no function "{symbol}"; '
            f"it has {names or 'none'}"
        )

    def code_of_program(self, text: str) -> CodeUnderTest:
        """A function of a foreign program, or the range ``FROM..TO``. Raises ExperimentError."""
        try:
            address, size = Program(self.elf).code(text)
        except ProgramError as error:
            raise ExperimentError(f"code_under_test.code: {error}") from error
        if size > _MOST_BYTES:
            raise ExperimentError(
                f"code_under_test.code: {text} has {size} bytes; name {_MOST_BYTES} at most"
            )
        if len(self._bytes(address, size)) < size:
            raise ExperimentError(
                f"code_under_test.code: {self.elf.path.name} has no {size} bytes at {address:#x}; "
                "name code that is in the file"
            )
        return CodeUnderTest(text, address, size)

    def instructions(self, address: int, size: int) -> list[Instruction]:
        """The instructions in ``size`` bytes, in order; other bytes are shown as data."""
        code, decoded = self._bytes(address, size), list[Instruction]()
        at = 0
        while at < len(code):
            following = self._decoded(code[at : at + 4], address + at)
            length = following.size if following else min(4, len(code) - at)
            text = (
                f"{following.mnemonic} {following.op_str}".strip()
                if following
                else f".word {int.from_bytes(code[at : at + length], 'little'):#x}"
            )
            decoded.append(
                Instruction(address=address + at, where=self._where(address + at), text=text)
            )
            at += length
        return decoded

    def instruction(self, address: int) -> Instruction:
        """The instruction at an address."""
        decoded = self.instructions(address, 4)
        return decoded[0] if decoded else Instruction(address=address, where="", text="")

    def _decoded(self, code: bytes, address: int) -> capstone.CsInsn | None:
        """The instruction that begins there, or None for data and unknown code.

        Arm's mapping symbols tell where A32 (``$a``), T32 (``$t``) and data (``$d``) begin.
        """
        place = bisect.bisect_right(self._marks, (address, "~")) - 1
        kind = self._marks[place][1] if place >= 0 else "a"
        if kind == "d":
            return None
        decoder = self._thumb if kind == "t" else self._decoder
        return next(decoder.disasm(code, address, 1), None)

    def _where(self, address: int) -> str:
        """Function that holds an address, and the offset in it."""
        place = bisect.bisect_right(self._starts, address) - 1
        if place < 0:
            return ""
        function = self._functions[self._starts[place]]
        if function.size and address >= function.address + function.size:
            return ""
        return f"{function.name}+{address - function.address:#x}"

    def _bytes(self, address: int, size: int) -> bytes:
        for segment in self.elf.segments:
            at = address - segment.address
            if 0 <= at < len(segment.data):
                return segment.data[at : at + size]
        return b""


@dataclass(frozen=True)
class CodeUnderTest:
    """Code: ``address``, ``size`` in bytes, and the CRC-32 of these, if a firmware compares it."""

    symbol: str
    address: int
    size: int
    crc: int = 0
