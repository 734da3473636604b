"""Loads and stores as the engine reads them from an opcode, and as the emulator makes them."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from unicorn import (
    UC_ARCH_ARM64,
    UC_HOOK_MEM_READ,
    UC_HOOK_MEM_WRITE,
    UC_MEM_WRITE,
    UC_MODE_ARM,
    Uc,
    UcError,
)
from unicorn.arm64_const import (
    UC_ARM64_REG_CPACR_EL1,
    UC_ARM64_REG_SP,
    UC_ARM64_REG_X0,
    UC_ARM64_REG_X29,
    UC_ARM64_REG_X30,
    UC_CPU_ARM64_A53,
)

from irqscope_twin import build
from irqscope_twin.toolchain import compiler

HERE = Path(__file__).parent
PC, DATA, SIZE = 0x1000_0000, 0x4000_0000, 1 << 26
REGISTERS = [*range(UC_ARM64_REG_X0, UC_ARM64_REG_X0 + 29), UC_ARM64_REG_X29, UC_ARM64_REG_X30]
SP = 31

Accesses = list[tuple[int, int, bool]]
"""Address, bytes, whether it stores."""

Read = Callable[[int, list[int]], Accesses]


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """The engine's function: an opcode and 32 registers, the last SP."""
    folder = tmp_path_factory.mktemp("operand")
    flags, objects = ["-O1", "-fPIC", "-fno-exceptions", f"-I{build.ENGINE}"], []
    for source in (build.ENGINE / "cpu/a64/memory_operand.cpp", HERE / "memory_operand.cpp"):
        objects.append(str(folder / f"{source.parent.name}.o"))
        subprocess.run([*compiler(), *flags, "-c", source, "-o", objects[-1]], check=True)
    library = folder / "memory_operand.so"
    # Without the C++ library, which the linker would compile first.
    link = [*compiler(), "-shared", "-nostdlib", *objects, "-o", str(library)]
    subprocess.run(link, check=True)
    function = ctypes.CDLL(str(library)).memory_operand

    def accesses(opcode: int, registers: list[int]) -> Accesses:
        address, size, store = ctypes.c_uint64(), ctypes.c_uint(), ctypes.c_uint()
        values = (ctypes.c_uint64 * 32)(*registers)
        count = function(
            ctypes.c_uint32(opcode), ctypes.c_uint64(PC), values,
            ctypes.byref(address), ctypes.byref(size), ctypes.byref(store),
        )  # fmt: skip
        return [
            (address.value + i * size.value, size.value, bool(store.value)) for i in range(count)
        ]

    return accesses


class Emulator:
    """One instruction at a time, with everything that it loads and stores."""

    def __init__(self) -> None:
        self._uc = uc = Uc(UC_ARCH_ARM64, UC_MODE_ARM, cpu=UC_CPU_ARM64_A53)
        uc.mem_map(PC - (1 << 20), 1 << 21)
        uc.mem_map(DATA - SIZE // 2, SIZE)
        uc.reg_write(UC_ARM64_REG_CPACR_EL1, 3 << 20)
        uc.hook_add(UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, self._note)
        self._seen: Accesses = []

    def _note(self, _uc: Uc, kind: int, address: int, size: int, *_: object) -> None:
        self._seen.append((address, size, kind == UC_MEM_WRITE))

    def accesses(self, opcode: int, registers: list[int]) -> Accesses | None:
        """None for an instruction of another core, or one that faults."""
        self._seen = []
        self._uc.mem_write(PC, opcode.to_bytes(4, "little"))
        self._uc.ctl_remove_cache(PC, PC + 4)
        for name, value in zip([*REGISTERS, UC_ARM64_REG_SP], registers, strict=True):
            self._uc.reg_write(name, value)
        try:
            self._uc.emu_start(PC, PC + 4, count=1)
        except UcError:
            return None
        return self._seen


@pytest.fixture(scope="module")
def emulator() -> Iterator[Emulator]:
    yield Emulator()


def whole(accesses: Accesses) -> Accesses:
    """Accesses that follow one another as one: the emulator may take more at a time or less."""
    joined: Accesses = []
    for address, size, store in accesses:
        if joined and sum(joined[-1][:2]) == address and joined[-1][2] == store:
            address, size = joined[-1][0], joined.pop()[1] + size
        joined.append((address, size, store))
    return joined


#: Bits that make an opcode one of a class of loads and stores (Arm DDI 0487, C4.1): mask, value.
CLASSES = {
    "acquire, release": (0x3FA0_FC00, 0x0880_FC00),
    "exclusive load": (0x3FE0_7C00, 0x0840_7C00),
    "exclusive load of a pair": (0xBFE0_0000, 0x8860_0000),
    "literal": (0x3B00_0000, 0x1800_0000),
    "pair": (0x3A00_0000, 0x2800_0000),
    "immediate, before or after": (0x3B20_0000, 0x3800_0000),
    "register": (0x3B20_0C00, 0x3820_0800),
    "unsigned immediate": (0x3B00_0000, 0x3900_0000),
    "structures": (0xBFBF_0000, 0x0C00_0000),
    "structures, moving": (0xBFA0_0000, 0x0C80_0000),
    "one structure": (0xBF9F_0000, 0x0D00_0000),
    "one structure, moving": (0xBF80_0000, 0x0D80_0000),
}


@pytest.mark.parametrize("kind", CLASSES)
def test_the_engine_reads_what_the_emulator_accesses(
    kind: str, read: Read, emulator: Emulator
) -> None:
    mask, value = CLASSES[kind]
    random = Random(kind)
    agreed = 0
    for _ in range(800):
        opcode = random.getrandbits(32) & ~mask | value
        registers = [DATA + 16 * random.randint(-0x4000, 0x4000) for _ in range(32)]
        if kind == "register":
            # An index beside the base: of 32 bits with rubbish above, or of 64 and of either sign.
            small = random.randint(-0x4000, 0x4000)
            narrow = not opcode >> 13 & 1
            index = random.getrandbits(32) << 32 | small & 0xFFFF_FFFF if narrow else small
            registers[opcode >> 16 & 31] = index & 0xFFFF_FFFF_FFFF_FFFF
        created = emulator.accesses(opcode, registers)
        if created is not None:
            assert whole(read(opcode, registers)) == whole(created), hex(opcode)
            agreed += 1
    assert agreed > 100


def test_a_store_exclusive_is_one_store(read: Read) -> None:
    assert read(0x8802_7C20, [DATA] * 32) == [(DATA, 4, True)]  # STXR W2, W0, [X1]
    assert read(0xC822_0440, [DATA] * 32) == [(DATA, 8, True), (DATA + 8, 8, True)]  # STXP


@pytest.mark.parametrize(
    ("opcode", "accesses"),
    [
        (0xF9400020, [(DATA, 8, False)]),  # LDR X0, [X1]
        (0xA9000440, [(DATA, 8, True), (DATA + 8, 8, True)]),  # STP X0, X1, [X2]
        (0xAD000440, [(DATA + 8 * i, 8, True) for i in range(4)]),  # STP Q0, Q1, [X2]
        (0x4C407040, [(DATA, 8, False), (DATA + 8, 8, False)]),  # LD1 {V0.16B}, [X2]
        (0xF9800020, []),  # PRFM PLDL1KEEP, [X1]
        (0x8B020020, []),  # ADD X0, X1, X2
    ],
)
def test_each_access_has_its_size(opcode: int, accesses: Accesses, read: Read) -> None:
    assert read(opcode, [DATA] * 32) == accesses
