"""The path that two articles on the Cortex-A9 measured, as far as it can be known.

Neither prints its program. Nine rows of the first (a9_article.TAKEN) determine the path: 5 lines of
instructions, 7 lines of data that depend on each other, 6 branches, 2 sections of translation. The
program here has that and nothing else; it reads the global timer, raises an interrupt by software,
and reads the timer again in a handler after two indirect calls.
"""

from __future__ import annotations

import board
from board import Kit

KIT = Kit(board.ZYNQ7000.programs, board.ZYNQ7000.target, "a9")

#: In C: path_start, and ``measure(data, MPCORE)`` at the address of the code: half the cycles.
PATH = r"""
#include "translation.h"

/* What the path did besides, of which nothing is known but that all of it takes 242 cycles: it
 * waits for what was loaded before it, and does not fit beside anything. */
#define PAD " mcr p15, 0, r0, c13, c0, 4\n"

/* The measured part, the vectors and the handlers, each where it starts a line. It is copied to
 * where it runs. r8: data, r9: private region, r10: distributor, r11: what raises SGI 0. */
__asm__(".arm\n .balign 32\n .global part\n part:\n"
        " push {r4-r11, lr}\n mov r8, r0\n mov r9, r1\n add r10, r9, #0x1000\n"
        " mov r11, #0x02000000\n mov r5, #0\n cpsie i\n b 1f\n .balign 32\n"
        "1: ldr r4, [r9, #0x200]\n" PAD " str r11, [r10, #0xF00]\n"
        "2: b 2b\n"
        " cpsid i\n sub r0, r5, r4\n pop {r4-r11, pc}\n .balign 32\n part_end:\n .global part_end\n"

        " .balign 32\n .global path\n path:\n"
        " b .\n b .\n b .\n b .\n b .\n b .\n b entry\n b .\n"
        "entry: push {r0-r3, r12, lr}\n ldr r0, [r8]\n" PAD PAD PAD PAD PAD
        " bl dispatch\n .balign 32\n"
        "dispatch: ldr r1, [r9, #0x10C]\n ldr r0, [r0]\n b 3f\n nop\n"
        "3:" PAD " ldr r0, [r0]\n ldr r2, [r0]\n blx r2\n .balign 32\n"
        "first: ldr r0, [r0, #4]\n ldr r0, [r0]\n" PAD PAD PAD PAD " ldr r2, [r0]\n blx r2\n"
        " .balign 32\n"
        "second: ldr r0, [r0, #4]\n ldr r3, [r0]\n b 4f\n nop\n"
        "4:" PAD PAD " ldr r5, [r3, #0x200]\n b 5f\n .balign 32\n"
        "5: str r1, [r9, #0x110]\n pop {r0-r3, r12, lr}\n movs pc, lr\n"
        " .balign 32\n path_end:\n .global path_end\n .global first\n .global second\n");
#define CALL_STACK_TOP 0x800
extern char part[], part_end[], path[], path_end[], first[], second[];

static void copy(u32 to, const char *from, const char *end) {
    for (u32 i = 0; i < (u32)(end - from); i += 4)
        REG(to + i) = *(const u32 *)(from + i);
}

/* Puts the path where it shall run, with its data after it, and makes interrupts go there.
 * `cached`: what is said of 0x8000000 to 0xAFFFFFF and of on-chip memory. */
static void path_start(u32 code, u32 handlers, u32 data, u32 cached) {
    copy(code, part, part_end);
    copy(handlers, path, path_end);
    for (u32 i = 0; i < 6; i++) /* each line has the address of the next */
        REG(data + 64 * i + (i == 3 || i == 5 ? 4 : 0)) = data + 64 * (i + 1);
    REG(data + 64 * 3) = handlers + (u32)(first - path);
    REG(data + 64 * 5) = handlers + (u32)(second - path);
    REG(data + 64 * 6) = MPCORE;
    empty_l1d();
    empty_l2();
    if (!cached) {
        for (u32 i = 0x80; i < 0xB0; i++)
            table[i] = i << 20 | UNCACHED;
        table[0xFFF] = 0xFFF << 20 | UNCACHED;
        empty_l1d();
        empty_l2();
    }
    MCR(c12, 0, c0, 0, handlers);
    MCR(c7, 0, c5, 0, 0);
    MCR(c8, 0, c7, 0, 0);
    __asm__ volatile("cps #0x12\n mov sp, %0\n cps #0x13" ::"r"(data + CALL_STACK_TOP) : "memory");
    gic_start();
    REG(MPCORE + 0x208) = 1;
    ASM("dsb\n isb");
}
"""
