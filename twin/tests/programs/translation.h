/* MMU and caches for a test program: flat tables of one block or page size, made where
 * nothing else is. Includes program.h's names. */
#pragma once

#define MEMORY_MAIR 0x44FF00ul /* 0: device, 1: write-back, 2: uncached */
#define WRITE_BACK 1ul
#define UNCACHED 2ul
#define PAGE_FLAGS(attribute) ((attribute) << 2 | 3ul << 8 | 1ul << 10)
#define TABLES ((u64 *)0x40000000ul)

enum granularity { BLOCKS_1G, BLOCKS_2M, PAGES_4K };

/* DDR and OCM `attribute`, everything else device; a block of 1 GB, 2 MB or pages of 4 KB each in
 * the first GB, where the programs are; OCM is always in a table of 2 MB blocks. */
static inline void write_tables(enum granularity size, u64 attribute) {
    u64 *level1 = TABLES, *devices = TABLES + 512, *level2 = TABLES + 1024;
    u64 *pages = TABLES + 2048;
    level1[0] = PAGE_FLAGS(attribute) | 1;
    level1[1] = 1ul << 30 | PAGE_FLAGS(attribute) | 1;
    level1[2] = 2ul << 30 | 1ul << 10 | 1;
    level1[3] = (u64)devices | 3;
    for (u64 i = 0; i < 512; i++)
        devices[i] = (3ul << 30) + (i << 21) + (i == 511 ? PAGE_FLAGS(attribute) : 1ul << 10) + 1;
    if (size == BLOCKS_1G)
        return;
    level1[0] = (u64)level2 | 3;
    for (u64 i = 0; i < 512; i++)
        level2[i] = i << 21 | PAGE_FLAGS(attribute) | 1;
    if (size == BLOCKS_2M)
        return;
    for (u64 i = 0; i < 64; i++) /* 128 MB of pages */
        level2[i] = (u64)(pages + 512 * i) | 3;
    for (u64 i = 0; i < 64 * 512; i++)
        pages[i] = i << 12 | PAGE_FLAGS(attribute) | 3;
}

/* Uses the tables: 4 GB, walks write-back. */
static inline void mmu_on(void) {
    MSR("mair_el3", MEMORY_MAIR);
    MSR("tcr_el3", 0x80800000 | 2 << 16 | 3 << 12 | 1 << 10 | 1 << 8 | 32);
    MSR("ttbr0_el3", (u64)TABLES);
    ASM("dsb sy\n tlbi alle3\n dsb sy\n isb");
    MSR("sctlr_el3", MRS("sctlr_el3") | 1);
    ASM("isb");
}

static inline void caches_on(void) {
    ASM("ic iallu\n dsb sy");
    MSR("sctlr_el3", MRS("sctlr_el3") | 1 << 2 | 1 << 12);
    ASM("isb");
}

/* DC CISW on every line of a level (0: L1 data, 1: L2). */
static inline void flush_level(u64 level, u64 sets, u64 ways, u64 way_shift) {
    for (u64 way = 0; way < ways; way++)
        for (u64 set = 0; set < sets; set++)
            __asm__ volatile("dc cisw, %0" ::"r"(way << way_shift | set << 6 | level << 1)
                             : "memory");
    ASM("dsb sy");
}
#define FLUSH_L1D() flush_level(0, 128, 4, 30)
#define FLUSH_L2() flush_level(1, 1024, 16, 28)

/* A ring of `count` pointers `stride` bytes apart, in an order without a fixed stride: `step` and
 * `count` have no common factor. */
static inline void make_ring(u64 base, u64 count, u64 stride, u64 step) {
    u64 at = 0;
    for (u64 i = 0; i < count; i++) {
        u64 next = (at + step) % count;
        *(volatile u64 *)(base + at * stride) = base + next * stride;
        at = next;
    }
}

/* Cycles of `steps` loads, each of the address that the one before it loaded. */
static inline u64 chase(u64 from, u64 steps) {
    u64 begin = CYCLES();
    __asm__ volatile("1: ldr %0, [%0]\n subs %1, %1, #1\n b.ne 1b" : "+r"(from), "+r"(steps)::"cc");
    return CYCLES() - begin;
}
