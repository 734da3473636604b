/* Caches and translation as the firmware has them, for tests of timing. */
#pragma once

#include "program.h"

#define OCM 0xFFFC0000
#define CACHED 0x15DE6   /* write-back, write-allocate, inner and outer, shared */
#define UNCACHED 0x11DE2 /* normal, not cacheable */
#define OCM_CACHED 0x4C0E
#define DEVICE 0xC06

static u32 table[4096] __attribute__((aligned(16384)));
static u32 pages[256] __attribute__((aligned(1024)));

/* Sections; 0x180 to 0x1FF (MB) are not cacheable, 0x200 is 4 KB pages. */
static __attribute__((unused)) void translation_start(void) {
    for (u32 i = 0; i < 4096; i++) {
        u32 kind = i < 0x180 ? CACHED : i < 0x200 ? UNCACHED : DEVICE;
        table[i] = i << 20 | (i == 0xFFF ? OCM_CACHED : kind);
    }
    table[0x100] = (u32)pages | 1;
    for (u32 i = 0; i < 256; i++)
        pages[i] = 0x10000000 | i << 12 | 0x45E; /* small, write-back, write-allocate, shared */
    MCR(c2, 0, c0, 0, (u32)table | 0x5B);
    MCR(c3, 0, c0, 0, ~0u);
    MCR(c8, 0, c7, 0, 0);
    REG(L2 + 0x7FC) = 0xFF;
    while (REG(L2 + 0x7FC)) {
    }
    REG(L2 + 0x100) = 1;
    ASM("dsb\n isb");
    MCR(c1, 0, c0, 0, MRC(c1, 0, c0, 0) | 0x1805);
    ASM("dsb\n isb");
    counters_start();
}

/* A chain of `count` pointers, `stride` bytes apart, that ends where it began. */
static __attribute__((unused)) void make_chain(u32 base, u32 stride, u32 count) {
    for (u32 i = 0; i < count; i++)
        REG(base + i * stride) = base + (i + 1) % count * stride;
    ASM("dsb");
}

/* Cycles of a way along a chain, a link, times 100. */
static __attribute__((unused)) u32 chase(u32 base, u32 links) {
    u32 at = base;
    ASM("dsb");
    u32 start = CYCLES();
    for (u32 i = 0; i < links; i += 4) {
        __asm__ volatile("ldr %0, [%0]\n ldr %0, [%0]\n ldr %0, [%0]\n ldr %0, [%0]" : "+r"(at));
    }
    __asm__ volatile("cmp %0, #0\n dsb" ::"r"(at) : "cc", "memory");
    return (CYCLES() - start) * 100 / links;
}

static __attribute__((unused)) void empty_l1d(void) {
    for (u32 way = 0; way < 4; way++)
        for (u32 set = 0; set < 256; set++)
            MCR(c7, 0, c14, 2, way << 30 | set << 5);
    ASM("dsb");
}

static __attribute__((unused)) void empty_l2(void) {
    REG(L2 + 0x7FC) = 0xFF;
    while (REG(L2 + 0x7FC)) {
    }
    ASM("dsb");
}

/* Cycles of a function that neither is unrolled nor moves. */
#define TIMED(name, argument, text, ...)                                                           \
    static __attribute__((noinline, unused)) u32 name(u32 argument) {                              \
        ASM("dsb\n isb");                                                                          \
        u32 start = CYCLES();                                                                      \
        __asm__ volatile(text "\n dsb" ::"r"(argument) : "memory", __VA_ARGS__);                   \
        return CYCLES() - start;                                                                   \
    }

TIMED(one, address, "ldr r4, [%0]", "r4")
