"""Faults and refusals of a program for a Cortex-M name cause and place."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import m_programs
import pytest

from irqscope.errors import TargetError
from irqscope.targets import open_target

LOADED, SRAM = 1, 0x2000_0000
#: Of SPI1_SR, CRC_DR, DMA1_S7FCR, WWDG_CR, I2C1_TRISE, CAN1_TSR.
RESETS = {
    0x4001_3008: 2,
    0x4002_3000: 0xFFFF_FFFF,
    0x4002_60CC: 0x21,
    0x4000_2C00: 0x7F,
    0x4000_5420: 2,
    0x4000_6408: 0x1C00_0000,
}
FAULTS = {
    "a load from where nothing is, address 0x60000000": "(void)REGISTER(0x60000000)",
    "a store to where nothing is, address 0x60000000": "REGISTER(0x60000000)=1",
    "a jump to where no memory is": "((void(*)(void))0x60000001)()",
    "a jump to an address without bit 0": '__asm volatile("movs r0, #0\\n bx r0")',
    "an undefined instruction": '__asm volatile("udf 1")',
    "a division by zero": "REGISTER(0xE000ED14)|=16;"
    '__asm volatile("movs r0, #0\\n udiv r0, r0, r0":::"r0")',
    "an access that is not aligned": '__asm volatile("ldr r0, =0x20000002\\n ldmia r0, {r1, r2}"'
    ':::"r0","r1","r2")',
    "an instruction of the FPU, which CPACR does not enable": '__asm volatile(".fpu vfpv4\\n'
    ' vmov s0, r0")',
    "a breakpoint, and no debugger is there": '__asm volatile("bkpt 0")',
    "the vector of SVCall, 0x0, without bit 0": '__asm volatile("svc 0")',
    "the vector of BusFault, 0x0, without bit 0, taken after a load from where nothing is, address"
    " 0x60000000": "REGISTER(0xE000ED24)|=7<<16;(void)REGISTER(0x60000000)",
    "SVC, which the priority of what executes keeps back": '__asm volatile("cpsid i\\n svc 0")',
}


def says(folder: Path, *flags: str) -> list[str]:
    """Return the lines of the twin while it executes a statement."""
    elf = m_programs.compiled("faults.c", folder, *flags)
    twin = [sys.executable, "-m", "irqscope_twin", "--profile", "m4", "--board", "f446"]
    command = [*twin, "--program", str(elf), "--ready", "done"]
    return m_programs.lines_until_end(command, "stderr")


@pytest.mark.parametrize("cause", FAULTS)
def test_a_hard_fault_is_told_by_its_cause_and_place(cause: str, tmp_path: Path) -> None:
    collected = [line for line in says(tmp_path, f"-DSTATEMENT={FAULTS[cause]}") if "Fault" in line]
    assert len(collected) == 1
    assert f"HardFault: {cause}" in collected[0]
    if "jump" not in cause:
        assert "(start+" in collected[0]


def test_a_wait_for_an_unmodelled_bit_ends_with_its_register(tmp_path: Path) -> None:
    lines = says(tmp_path, "-DSTATEMENT=while(!(REGISTER(0x40013008)&64));")
    (why,) = (line for line in lines if "waits for" in line)
    assert "a bit of SPI1+0x8 (0x40013008), which is not modelled" in why
    assert "(start+" in why
    assert m_programs.LAST not in lines


def test_registers_that_are_not_modelled_begin_as_after_reset(tmp_path: Path) -> None:
    clocks = "REGISTER(0x40023830)|=1<<12|1<<21;REGISTER(0x40023840)|=1<<11|1<<21|1<<25;"
    waits = "".join(f"while(REGISTER({at:#x})!={value:#x}u);" for at, value in RESETS.items())
    lines = says(tmp_path, f"-DSTATEMENT={clocks}{waits}")
    assert lines[-1] == m_programs.LAST, lines


def test_a_wait_for_two_registers_that_are_not_modelled_ends_too(tmp_path: Path) -> None:
    both = "while(!(REGISTER(0x40013008)&64)&&!(REGISTER(0x40005414)&1));"
    (why,) = (line for line in says(tmp_path, f"-DSTATEMENT={both}") if "waits for" in line)
    assert "a bit of SPI1+0x8 (0x40013008), which is not modelled" in why


def test_a_wait_for_a_modelled_bit_tells_what_is_polled(tmp_path: Path) -> None:
    lines = says(tmp_path, "-DSTATEMENT=while(!(REGISTER(0x40023800)&(1u<<17)));")
    (why,) = (line for line in lines if "where it is ready" in line)
    assert "it polls RCC+0x0 (0x40023800), which has been 0x83 for " in why


def test_a_stack_that_overflows_is_told(tmp_path: Path) -> None:
    push = '__asm volatile("mov sp, %0\\n push {r0-r7}"::"r"(0x20000008))'
    lines = says(tmp_path, f"-DSTATEMENT={push}")
    assert any("a store to where nothing is, address 0x1fffffe8" in line for line in lines)
    assert any("the stack pointer 0x20000008 is outside of the memory" in line for line in lines)


def test_a_store_by_a_null_pointer_is_told_once(tmp_path: Path) -> None:
    lines = says(tmp_path, "-DSTATEMENT=REGISTER(4)=1;REGISTER(8)=1")
    (told,) = (line for line in lines if "flash" in line)
    assert "a store to flash at 0x4" in told
    assert "(start+" in told


def test_a_stack_outside_of_sram_is_refused(tmp_path: Path) -> None:
    elf = m_programs.compiled("faults.c", tmp_path, "-DSTATEMENT=", "-DSTACK=0x30000000")
    with pytest.raises(TargetError, match="the stack pointer would be 0x30000000, outside of SRAM"):
        open_target(f"twin:m4:elf={elf}", of_program=True, leads=("0=irq:1",))


def test_zeroed_data_takes_no_place_in_flash(tmp_path: Path) -> None:
    """GNU ld writes .bss after .data, with a load address within other segments."""
    elf = m_programs.compiled("cycles.c", tmp_path)
    image = bytearray(elf.read_bytes())
    (headers,) = struct.unpack_from("<I", image, 28)
    size, count = struct.unpack_from("<HH", image, 42)
    moved = 0
    for at in range(headers, headers + size * count, size):
        kind, _, base, _, filled = struct.unpack_from("<5I", image, at)
        if kind == LOADED and base == SRAM and not filled:
            struct.pack_into("<I", image, at + 12, 0x0800_0000)
            moved += 1
    elf.write_bytes(image)
    assert moved == 1
    open_target(f"twin:m4:elf={elf}:ready=done", of_program=True, leads=("0=irq:1",)).close()
