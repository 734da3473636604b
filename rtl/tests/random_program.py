"""A program of random instructions on all registers, which random interrupts must not disturb.

It runs its instructions once with interrupts masked, then again and again with them, and holds all
registers and the memory it uses against the first time. Its handlers leave nothing as they found it
but what an ABI asks of them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

#: Bytes of the frame that the core saves, offsets in it (fw/stacks/baremetal/rv32/path.inc).
FRAME = 80
SAVED = (
    "ra",
    "t0",
    "t1",
    "a0",
    "a1",
    "a2",
    "a3",
    "a4",
    "a5",
    "a6",
    "a7",
    "t2",
    "t3",
    "t4",
    "t5",
    "t6",
)
MCAUSE, MEPC = 64, 68
#: Memory below 2 KB, which every instruction reaches without a register.
LOW = 0x100
SEEDS, RESULTS, FIRST, SCRATCH, COUNT, NESTED, STATE = (
    LOW, 0x200, 0x300, 0x400, 0x500, 0x504, 0x508,
)  # fmt: skip
SCRATCH_BYTES = 64
STACK = 0x180000
LOCAL_BYTES = 64
TIMER, RAISED = 7, 16
PASSED, FAILED = b"P", b"F"
#: With a CLIC: level of the timer, and of the raised interrupt, which interrupts its handler.
LEVEL, HIGHER = 0x40, 0x80
CLIC = 0x90000000
MTVT, MINTTHRESH, VECTORED, LEVEL_BITS = 0x307, 0x347, 1, 8

_ALU = (
    "add",
    "sub",
    "xor",
    "and",
    "or",
    "sll",
    "srl",
    "sra",
    "slt",
    "sltu",
    "mul",
    "mulh",
    "mulhu",
)
_DIVISIONS = ("div", "divu", "rem", "remu")
_LOADS = ("lw", "lw", "lh", "lhu", "lb", "lbu")
_STORES = ("sw", "sw", "sh", "sb")


def _place(rng: random.Random) -> str:
    """A word, perhaps misaligned, of the call stack or of the scratch."""
    step = rng.choice((4, 4, 4, 1))
    if rng.random() < 0.7:
        return f"{rng.randrange(0, LOCAL_BYTES - 4, step)}(sp)"
    return f"{SCRATCH + rng.randrange(0, SCRATCH_BYTES - 4, step)}(zero)"


def _instruction(rng: random.Random, label: int) -> list[str]:
    to = f"x{rng.choice([n for n in range(1, 32) if n != 2])}"
    one, two = (f"x{rng.randrange(32)}" for _ in range(2))
    kind = rng.random()
    if kind < 0.35:
        return [f"{rng.choice(_ALU)} {to}, {one}, {two}"]
    if kind < 0.40:
        return [f"{rng.choice(_DIVISIONS)} {to}, {one}, {two}"]
    if kind < 0.50:
        return [f"addi {to}, {one}, {rng.randrange(-2048, 2048)}"]
    if kind < 0.65:
        return [f"{rng.choice(_LOADS)} {to}, {_place(rng)}"]
    if kind < 0.80:
        return [f"{rng.choice(_STORES)} {one}, {_place(rng)}"]
    if kind < 0.86:
        return [f"bltu {one}, {two}, {label}f", f"xor {to}, {to}, {one}", f"{label}:"]
    if kind < 0.90:
        return [f"jal {to}, {label}f", f"{label}:"]
    if kind < 0.93:
        return [f"csrrw {to}, mscratch, {one}"]
    if kind < 0.97:
        bytes_ = 16 * rng.randrange(1, 8)
        return [f"addi sp, sp, -{bytes_}", f"sw {one}, 0(sp)", f"sw {two}, 4(sp)",
                f"lw {to}, 0(sp)", f"addi sp, sp, {bytes_}"]  # fmt: skip
    return ["addi sp, sp, -16", "sw sp, 0(sp)", "lw sp, 0(sp)", "addi sp, sp, 16"]


def _body(rng: random.Random, length: int) -> str:
    lines = [line for label in range(length) for line in _instruction(rng, 1000 + label)]
    return "\n".join(f"    {line}" for line in lines)


def _load_frame(offsets: list[int]) -> str:
    names = dict(zip(range(0, 64, 4), SAVED, strict=True))
    return "\n".join(f"    lw {names[offset]}, {offset}(sp)" for offset in offsets)


def _each(numbers: range, *lines: str) -> str:
    """Fills in the lines for each number ``n``, with the address of its word in each table."""
    tables = {"seeds": SEEDS, "results": RESULTS, "first": FIRST, "scratch": SCRATCH}
    return "\n".join(
        "    " + line.format(n=n, **{name: base + 4 * n for name, base in tables.items()})
        for n in numbers
        for line in lines
    )


_ADD = ("slli t2, t0, 1", "srli t0, t0, 31", "or t0, t0, t2", "add t0, t0, t1")


def _tell(address: int) -> str:
    return f"    lw t0, {address}(zero)" + "\n    sw t0, -0x7A0(zero)\n    srli t0, t0, 8" * 4


_RANDOM = f"""
    lw t0, {STATE}(zero)
    slli t1, t0, 13
    xor t0, t0, t1
    srli t1, t0, 17
    xor t0, t0, t1
    slli t1, t0, 5
    xor t0, t0, t1
    sw t0, {STATE}(zero)
"""
_LOSE = "\n".join(f"    xori {name}, t0, {n * 37 % 2048}" for n, name in enumerate(SAVED[3:]))


@dataclass(frozen=True)
class Levels:
    """``raised``: that interrupt's. ``threshold``: while the timer's handler can be interrupted."""

    raised: int = HIGHER
    threshold: int = 0


def _enable(levels: Levels | None) -> str:
    if levels is None:
        return f"    li t0, {1 << TIMER | 1 << RAISED}\n    csrw mie, t0"
    words = {CLIC: LEVEL_BITS << 1}
    for number, level in ((TIMER, LEVEL), (RAISED, levels.raised)):
        words[CLIC + 0x1000 + 4 * number] = level << 24 | VECTORED << 16 | 1 << 8
    return "\n".join(f"    li t0, {to:#x}\n    li t1, {word:#x}\n    sw t1, 0(t0)"
                     for to, word in words.items())  # fmt: skip


def _interrupted(swaps: bool) -> str:
    """With a CLIC the interrupted level shows whether it was a handler (``mcause.mpil``)."""
    level = "    csrr a0, mcause\n    srli a0, a0, 16\n    andi a0, a0, 0xFF\n"
    if swaps:
        return f"{level}    bnez a0, failed"
    return f"{level}    beqz a0, 2f\n    li a1, {LEVEL}\n    bne a0, a1, failed"


def source(
    seed: int, interrupts: int, swaps: bool, levels: Levels | None = None, length: int = 250
) -> str:
    """Assembly.

    ``swaps``: handlers end by a return that swaps banks, or continues with the next; otherwise they
    load, and nest. ``levels``: for a core with a CLIC, where they nest by their levels, and NESTED
    counts those that interrupted a handler.
    """
    clic = levels is not None
    rng = random.Random(seed)
    seeds = [rng.choice((0, 1, 0xFFFFFFFF, rng.getrandbits(32))) for _ in range(32)]
    seeds[2] = STACK - 0x400
    upwards = list(range(0, 64, 4))
    trap = (
        f"    lw t0, {MCAUSE}(sp)\n    lw t1, {MEPC}(sp)\n    csrw mcause, t0\n    csrw mepc, t1\n"
    )
    back = "" if swaps else f"{trap}{_load_frame(upwards)}\n    addi sp, sp, {FRAME}\n"
    early = "" if swaps else f"{_load_frame(upwards)}\n    addi sp, sp, {FRAME}\n"
    nest = "" if swaps else "csrsi mstatus, 8\n    nop\n    csrci mstatus, 8"
    if levels is not None and not swaps:
        nest = f"li t1, {levels.threshold}; csrw {MINTTHRESH}, t1; {nest}; csrw {MINTTHRESH}, zero"
        nest = nest.replace(";", "\n    ")
    return f"""
    .section .low, "aw"

    .word {", ".join(map(hex, seeds))}
    .org {STATE - LOW}
    .word {rng.getrandbits(32) | 1:#x}

    .text
    .globl _start
_start:
    j start
    .balign 256
vectors:
    j failed
    .rept {TIMER - 1}
    j failed
    .endr
    j timer
    .rept {RAISED - TIMER - 1}
    j failed
    .endr
    j raised
    .rept {31 - RAISED}
    j failed
    .endr

start:
    la t0, vectors
    {f"csrw {MTVT}, t0" if clic else ""}
    ori t0, t0, {3 if clic else 1}
    csrw mtvec, t0
    li t0, {3 if swaps else 1}
    sw t0, -0x790(zero)         # the core saves registers itself
    j run
ran:
    lw t0, {FIRST - 4}(zero)
    bnez t0, compare
    sw t0, {FIRST - 4}(zero)
    li t0, 1
    sw t0, {FIRST - 4}(zero)    # the first time: what all others are held against
{_each(range(33), "lw t0, {results}(zero)", "sw t0, {first}(zero)")}
{_enable(levels)}
    sw zero, -0x7A8(zero)
    sw zero, -0x7A4(zero)       # the timer is due
    j run
compare:
{_each(range(33), "lw t0, {results}(zero)", "lw t1, {first}(zero)", "bne t0, t1, failed")}
    lw t0, {COUNT}(zero)
    li t1, {interrupts}
    bltu t0, t1, run
    li t0, {PASSED[0]}
    j tell
failed:
    csrci mstatus, 8
    li t0, {FAILED[0]}
tell:
    sw t0, -0x7A0(zero)
{_tell(COUNT)}
{_tell(NESTED)}
    csrw mie, zero
    li t0, 0xFF
    {f"csrw {MINTTHRESH}, t0" if clic else ""}
1:  wfi
    j 1b

run:
    csrw mscratch, zero
{_each(range(SCRATCH_BYTES // 4), "li t0, 0x12345 * ({n} + 1)", "sw t0, {scratch}(zero)")}
    li sp, {STACK - 0x400}
    lw t0, {FIRST - 4}(zero)
    beqz t0, 1f
    csrsi mstatus, 8
1:
{_each(range(1, 32), "lw x{n}, {seeds}(zero)")}
    addi sp, sp, -{LOCAL_BYTES}
{_each(range(LOCAL_BYTES // 4), "sw zero, 4*{n}(sp)")}
{_body(rng, length)}
{_each(range(1, 32), "sw x{n}, {results}(zero)")}
    csrci mstatus, 8
    csrr t0, mscratch           # and all of the memory, in one word
{_each(range(SCRATCH_BYTES // 4), "lw t1, {scratch}(zero)", *_ADD)}
{_each(range(LOCAL_BYTES // 4), "lw t1, 4*{n}(sp)", *_ADD)}
    sw t0, {RESULTS}+4*32(zero)
    j ran

timer:
    lw a5, {LOCAL_BYTES - 4}(sp)    # the first to be saved, and the last: both at once
    lw a4, 0(sp)
    sw a4, 0(sp)
{_RANDOM}
    lw t1, {COUNT}(zero)
    addi t1, t1, 1
    sw t1, {COUNT}(zero)
    lw t1, -0x7B0(zero)
    andi t2, t0, 0x1FF
    add t1, t1, t2
    addi t1, t1, 40
    sw t1, -0x7A8(zero)
    sw zero, -0x7A4(zero)
    andi t1, t0, 0x300
    bnez t1, 1f
    lui t2, 0x10
    sw t2, -0x7BC(zero)         # the other interrupt: within this one, or next
    addi sp, sp, -16
    sw t0, 0(sp)
    {nest}
    lw t1, 0(sp)                # what this handler had is what it has
    addi sp, sp, 16
    bne t0, t1, failed
1:
    andi t1, t0, 0x600
    beqz t1, 2f
{_LOSE}
    addi sp, sp, -32
    sw t0, 28(sp)
    sw t6, 0(sp)
    addi sp, sp, 32
2:
{back}
    mret

raised:
    lui a0, 0x10
    sw a0, -0x7B8(zero)
{_interrupted(swaps) if clic else ""}
    lw a0, {NESTED}(zero)
    addi a0, a0, 1
    sw a0, {NESTED}(zero)
2:
    lw a0, {NESTED}(zero)
    andi a0, a0, 1
    bnez a0, 1f
{_LOSE}
1:
{early}
    mret
"""
