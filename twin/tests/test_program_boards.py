"""Board parts and start of a foreign program: small programs that act like the start-up code of
BSPs, kernels and guests.
"""

import re
import subprocess
import sys

import pytest
from test_programs import LATENCY

from irqscope.acquire.measure import measure
from irqscope.errors import TargetError
from irqscope.experiment import load
from irqscope.targets import open_target

A53 = ["-target", "aarch64-freestanding-none", "-mcpu=cortex_a53"]
A9 = ["-target", "arm-freestanding-eabi", "-mcpu=cortex_a9"]
FLAT = "ENTRY(_start) SECTIONS { . = 0x100000; .text : { *(.text) } }"


def linked(folder, text, machine=A53, script=FLAT, *flags):
    source, layout, elf = (folder / f"program.{end}" for end in ("S", "ld", "elf"))
    source.write_text(text)
    layout.write_text(script)
    command = [sys.executable, "-m", "ziglang", "cc", *machine, "-nostdlib", "-static", *flags]
    command += ["-Wl,--build-id=none", "-T", str(layout), str(source), "-o", str(elf)]
    subprocess.run(command, check=True, capture_output=True)
    return elf


def run(target, folder, stop="pc:irq", count=8, **changes):
    channels = [{"start": "line 0", "stop": stop, "timeout": "4 us"}]
    lines = changes.pop("lines", [{"high": "1 us", "low": "9 us"}])
    changes |= {"channels": channels, "lines": lines, "count": count}
    return measure(load(LATENCY, **changes), target, folder)


#: x1: distributor, x2: interface. Interrupt 121 by level, on core 0.
GIC = """
    ldr x1, =0xF9010000
    mov w0, #1
    str w0, [x1]
    mov w0, #(1 << 25)
    str w0, [x1, #0x10C]
    ldr w0, =0xA0A0A0A0
    str w0, [x1, #0x478]
    ldr w0, =0x01010101
    str w0, [x1, #0x878]
    ldr x2, =0xF9020000
    mov w0, #0xF0
    str w0, [x2, #4]
    mov w0, #1
    str w0, [x2]
"""
HANDLER = """
    .balign 2048
vectors:
    .space 0x280
irq:
    ldr w3, [x2, #0xC]
    BODY
    dsb sy
    str w3, [x2, #0x10]
    eret
    .ltorg
"""
AT_EL3 = f"""
    .globl _start, irq
_start:
    adr x0, vectors
    msr vbar_el3, x0
    mov x0, #2
    msr scr_el3, x0
    {GIC}
    msr daifclr, #2
    LOOP
    {HANDLER}
"""


def at_el3(body="nop", loop="1: wfi\nb 1b"):
    return AT_EL3.replace("BODY", body).replace("LOOP", loop)


# ---- the PL, and other memory --------------------------------------------------------------------

#: As a driver of an AXI block acknowledges its interrupt.
AXI = at_el3("ldr x4, =0xA0000000\nstr w3, [x4, #12]\nldr w5, [x4, #12]")


def test_a_handler_that_acknowledges_an_axi_block_is_measured_with_gpio(tmp_path):
    lines = [
        {"high": "5 us", "low": "5 us", "mode": "acknowledged", "acknowledge": "store:0xa000000c"}
    ]
    elf = linked(tmp_path, AXI)
    target = f"twin:functional:elf={elf}:gpio=0xA0000000"
    record = run(target, tmp_path / "run", stop="store:0xa000000c", lines=lines).run
    assert record.valid, record.reasons
    assert record.counters[0].stops == 8
    assert record.label.endswith(", gpio=0xA0000000")


@pytest.mark.parametrize(
    ("machine", "load", "said"),
    [
        (A53, "ldr x0, =0xA0000000\nldr w1, [x0]",
         r"0xa0000000 \(the PL by M_AXI_HPM0_FPD, .*gpio=0xa0000000 .*ram=0xa0000000\+SIZE"),
        (A53, "ldr x0, =0xFF040000\nldr w1, [x0]", r"0xff040000 \(SPI0, which is not modelled\)"),
        (A53, "ldr x0, =0x150000000\nldr w1, [x0]",
         r"0x150000000; memory is 0x0 to 0x7fffffff, .*, 0x800000000 to 0x87fffffff"),
        (A9, "ldr r0, =0x41200000\nldr r1, [r0]",
         r"0x41200000 \(the PL by M_AXI_GP0, .*gpio=0x41200000"),
    ],
)  # fmt: skip
def test_a_refused_access_names_what_the_chip_has_there(tmp_path, machine, load, said):
    elf = linked(tmp_path, f".globl _start\n_start: {load}\n1: b 1b\n", machine)
    target = "twin:functional" if machine is A53 else "twin:zynq7000:functional"
    result = run(f"{target}:elf={elf}", tmp_path / "run", stop="pc:_start")
    assert re.search(said, str(result.error))


#: Set-up as LK's for the Zybo: PLLs, pins, core 1 out of reset at 0, then a byte by each UART.
SLCR = """
    .globl _start, irq
_start:
    mrc p15, 0, r0, c0, c0, 5
    tst r0, #3
    bne core_1
    ldr r1, =0xF8000000
    ldr r0, =0xDF0D
    str r0, [r1, #8]             @ unlock
    ldr r0, =0x1A000
    str r0, [r1, #0x100]         @ ARM_PLL_CTRL
    ldr r2, [r1, #0x10C]
    tst r2, #1                   @ PLL_STATUS: locked
    beq .
    ldr r0, =0x1600
    str r0, [r1, #0x740]         @ MIO_PIN_16
    ldr r2, [r1, #0x740]
    cmp r0, r2
    bne .
    ldr r2, =0xE51FF004          @ ldr pc, [pc, #-4]
    mov r3, #0
    str r2, [r3]
    adr r2, _start
    str r2, [r3, #4]
    mov r0, #2
    str r0, [r1, #0x244]         @ A9_CPU_RST_CTRL
    dsb
    mov r0, #0
    str r0, [r1, #0x244]
    ldr r3, =arrived
1:  ldr r2, [r3]
    cmp r2, #1
    bne 1b
    ldr r1, =0xF8F00200
    ldr r2, [r1]
    ldr r3, [r1]
    cmp r2, r3                   @ the global timer counts
    beq .
    ldr r1, =0xE000A000
    mov r0, #0x55
    str r0, [r1, #0x204]         @ GPIO: direction of bank 0
    ldr r2, [r1, #0x204]
    cmp r2, #0x55
    bne .
    ldr r1, =0xE0000000
    mov r0, #0x17
    mov r2, #10
    mov r3, #'a'
2:  str r0, [r1]
    str r3, [r1, #0x30]
    str r2, [r1, #0x30]
    add r1, r1, #0x1000
    add r3, r3, #1
    tst r1, #0x2000
    beq 2b
irq:
    b irq
core_1:
    ldr r3, =arrived
    mov r2, #1
    str r2, [r3]
    b .
    .ltorg
arrived: .word 0
"""


def test_a_program_sets_up_the_zynq_7000_itself(tmp_path):
    """Clocks stay as they are, which the log says; core 1 starts at 0, as on the chip."""
    elf = linked(tmp_path, SLCR, A9)
    result = run(f"twin:zynq7000:functional:elf={elf}", tmp_path / "run")
    log = (result.folder / "log.txt").read_text()
    assert "[clocks stay as they are, though the program stores 0x1a000 to SLCR" in log
    assert "program: ab" in log


def test_further_memory_may_be_given_and_may_not_overlap(tmp_path):
    body = "ldr x4, =0xA0010000\nldr x5, =0x800000000\nstr w3, [x4]\nstr w3, [x5]"
    elf = linked(tmp_path, at_el3(body))
    record = run(f"twin:functional:elf={elf}:ram=0xA0010000+0x10000", tmp_path / "run").run
    assert record.valid, record.reasons
    with pytest.raises(TargetError, match="memory at 0x1000 overlaps that at 0x0"):
        open_target(f"twin:elf={elf}:ram=0x1000+0x1000", of_program=True).close()


# ---- how it begins -------------------------------------------------------------------------------

#: A guest: it neither has nor touches what is above EL1, and finds an argument in x0.
AT_EL1 = f"""
    .globl _start, irq
_start:
    mrs x5, CurrentEL
    cmp x5, #4
    b.ne .
    mov x6, #0x5000
    cmp x0, x6
    b.ne .
    adr x0, vectors
    msr vbar_el1, x0
    {GIC}
    msr daifclr, #2
    EXTRA
1:  wfi
    b 1b
    {HANDLER.replace("BODY", "nop")}
"""


@pytest.mark.parametrize("profile", ["functional", "a53"])
def test_a_guest_begins_at_el1_with_its_argument(tmp_path, profile):
    elf = linked(tmp_path, AT_EL1.replace("EXTRA", ""))
    record = run(f"twin:{profile}:elf={elf}:el=1:x0=0x5000", tmp_path / "run").run
    assert record.valid, record.reasons
    assert record.counters[0].served == 8


def test_a_guest_that_asks_for_firmware_is_told_that_there_is_none(tmp_path):
    elf = linked(tmp_path, AT_EL1.replace("EXTRA", "smc #0"))
    result = run(f"twin:functional:elf={elf}:el=1:x0=0x5000", tmp_path / "run")
    assert "the program at EL1 asks what is above it, and nothing is" in str(result.error)
    assert "begin at EL3" in str(result.error)


@pytest.mark.parametrize(
    ("machine", "options", "text", "said"),
    [
        (A53, ":el=1", "msr scr_el3, x0", r"_start\) \(msr of SCR_EL3 at EL1\), and again"),
        (A53, ":el=2", "mrs x0, vbar_el3", r"_start\) \(mrs of VBAR_EL3 at EL2\), and again"),
        (A53, "", "nop\nsmc #3", r"where it handles smc #3 at 0x100004 \(_start\+0x4\)"),
        (A53, "", "hvc #0", r"_start\) \(hvc #0\), and again"),
        (A53, "", ".inst 0x04000000", r"_start\) \(instruction 0x4000000\), and again"),
        (A53, "", "mov x0, #0x40000000\nbr x0", r"0x40000000 .*\(zeros, no instruction\)"),
        (A9, "", ".arch_extension sec\nsmc #0",
         r"the program runs through zeros, from 0x8 on, after 0x100000 \(_start\)"),
        (A9, "", "mov r0, #0x200000\nbx r0", r"zeros, from 0x200000 .*on, after 0x100004"),
        (A9, "", "ldr r0, =0x200001\nbx r0", r"zeros, from 0x200000 .*on, after 0x100004"),
        (A9, "", "ldr r0, =vectors\nmcr p15, 0, r0, c12, c0, 0\nmrc p14, 1, r0, c2, c3, 4\n"
         ".balign 32\nvectors: mrc p14, 1, r0, c2, c3, 4\nmrc p14, 1, r0, c2, c3, 4",
         r"\(mrc p14, 1, r0, c2, c3, 4\), and again"),
    ],
)  # fmt: skip
def test_a_program_that_goes_astray_is_ended_where_it_did(tmp_path, machine, options, text, said):
    elf = linked(tmp_path, f".globl _start\n_start:\n{text}\n1: b 1b\n", machine)
    target = "twin:functional" if machine is A53 else "twin:zynq7000:functional"
    result = run(f"{target}:elf={elf}{options}", tmp_path / "run", stop="pc:_start")
    assert re.search(said, str(result.error)), result.error
    assert "\n" not in str(result.error)


def test_a_few_zeros_are_no_way_lost(tmp_path):
    zeros = ".globl _start\n_start: .rept 15\n.word 0\n.endr\n1: wfi\nb 1b\n"
    result = run(
        f"twin:zynq7000:functional:elf={linked(tmp_path, zeros, A9)}", tmp_path / "run",
        stop="pc:_start", count=20,
    )  # fmt: skip
    assert "answered none of the first 16 stimuli" in str(result.error)


#: A kernel for a Cortex-A9 that is linked to run at 0xC0000000 from memory at 0: sections, then on
#: at its own addresses.
KERNEL = """
    .syntax unified
    .globl _start, irq
_start:
    ldr r0, =table - 0xC0000000
    mov r1, #0
1:  lsl r2, r1, #20
    ldr r3, =0xC02
    orr r3, r2
    str r3, [r0, r1, lsl #2]
    add r1, #1
    cmp r1, #4096
    bne 1b
    ldr r3, =0x11C0E              @ memory at 0xC0000000, write-back
    ldr r1, =0xC00
    str r3, [r0, r1, lsl #2]
    orr r3, #0x100000
    add r1, #1
    str r3, [r0, r1, lsl #2]
    mcr p15, 0, r0, c2, c0, 0
    mvn r1, #0
    mcr p15, 0, r1, c3, c0, 0
    dsb
    mrc p15, 0, r0, c1, c0, 0
    orr r0, #1
    mcr p15, 0, r0, c1, c0, 0
    isb
    ldr pc, =high
high:
    ldr r0, =0xC0180000
    mov sp, r0
    ldr r0, =vectors
    mcr p15, 0, r0, c12, c0, 0
    ldr r1, =0xF8F00100
    mov r0, #0xF0
    str r0, [r1, #4]
    mov r0, #1
    str r0, [r1]
    ldr r1, =0xF8F01000
    str r0, [r1]
    ldr r2, =0xF8F0183C
    ldr r0, =0x01010101
    str r0, [r2]
    ldr r2, =0xF8F01104
    ldr r0, =0x20000000
    str r0, [r2]
    cpsie i
2:  wfi
    b 2b
    .ltorg
    .balign 32
vectors:
    .rept 6
    b .
    .endr
    b irq
    b .
irq:
    ldr r10, =0xF8F00100
    ldr r11, [r10, #0xC]
    ldr r12, =counted
    str r11, [r12]
    str r11, [r10, #0x10]
    subs pc, lr, #4
    .ltorg
counted: .word 0
    .bss
    .balign 16384
table: .space 16384
"""
HIGH = """ENTRY(_start) SECTIONS {
    . = 0xC0100000;
    .text : AT(0x100000) { *(.text) }
    .bss : { *(.bss) }
}"""


@pytest.mark.parametrize("profile", ["functional", "a9"])
def test_a_kernel_that_is_mapped_elsewhere_begins_by_its_segment_and_is_measured(tmp_path, profile):
    elf = linked(tmp_path, KERNEL, A9, HIGH)
    target = f"twin:zynq7000:{profile}:elf={elf}"
    record = run(target, tmp_path / "run", stop="store:counted", masked=True).run
    assert record.valid, record.reasons
    assert record.counters[0].served == 8


def test_a_raw_file_is_loaded_where_it_is_said_and_begun_there(tmp_path):
    elf = linked(tmp_path, at_el3())
    raw = tmp_path / "branch.bin"
    raw.write_bytes(bytes.fromhex("00000014"))  # a branch to itself
    target = f"twin:functional:elf={elf}:bin={raw}@0x20000000:entry=0x20000000"
    result = run(target, tmp_path / "run", count=20)
    assert "PC 0x20000000" in str(result.error)
    assert "a branch to itself" in str(result.error)
    outside = f"twin:functional:elf={elf}:bin={raw}@0xC0000000"
    with pytest.raises(TargetError, match="branch.bin at 0xc0000000 .*outside the memory"):
        open_target(outside, of_program=True).close()


# ---- the file ------------------------------------------------------------------------------------

E_TYPE = 16


@pytest.mark.parametrize(
    ("kind", "said"),
    [(1, "is an object file; link it"), (3, "is a position-independent executable"), (4, "core")],
)
def test_what_is_no_executable_is_called_by_its_kind(tmp_path, kind, said):
    elf = linked(tmp_path, at_el3())
    image = bytearray(elf.read_bytes())
    image[E_TYPE] = kind
    elf.write_bytes(image)
    with pytest.raises(TargetError, match=said):
        open_target(f"twin:elf={elf}", of_program=True).close()
