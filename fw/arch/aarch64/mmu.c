/* Flat translation: virtual address = physical address, but for one alias. Only what the firmware
 * uses is mapped; any other address faults and reports itself. 4 KB granule, 33-bit addresses:
 * eight 1 GB entries, of which the fourth is a table of 2 MB blocks. DDR is translated in one of
 * three ways, each with a level 1 table of its own. */
#include "machine/translation.h"

#include "bound/memory_map.h"
#include "machine/caches.h"
#include "machine/cpu.h"

#define KB UINT64_C(0x400)
#define MB UINT64_C(0x100000)
#define GB (1024 * MB)
#define BLOCK_2M (2 * MB)
#define PAGE (4 * KB)

#define DDR_GB (DDR_LOW_END / GB)
#define ENTRIES 512 /* in a table of level 2 or 3 */

/* Indices into MAIR_EL3. */
enum memory_type { NORMAL, DEVICE_nGnRnE, DEVICE_nGnRE };
#define DEVICES (UINT64_C(0x00) << (8 * DEVICE_nGnRnE) | UINT64_C(0x04) << (8 * DEVICE_nGnRE))
#define WRITE_BACK UINT64_C(0xFF)    /* inner and outer, read and write allocate */
#define NON_CACHEABLE UINT64_C(0x44) /* inner and outer */
static const uint64_t mair[] = {
    [MMU_CACHEABLE] = WRITE_BACK << (8 * NORMAL) | DEVICES,
    [MMU_NON_CACHEABLE] = NON_CACHEABLE << (8 * NORMAL) | DEVICES,
};

/* T0SZ 31 (33 bits), walks inner shareable, 4 KB granule, 40-bit physical. Walks are write-back, or
 * non-cacheable like all other memory: a table is read with the attributes with which it was
 * written. */
#define TCR_WALKS (UINT64_C(0x80800000) | 2 << 16 | 3 << 12 | 31)
#define TCR_WRITE_BACK (UINT64_C(1) << 10 | UINT64_C(1) << 8)
static const uint64_t tcr[] = {
    [MMU_CACHEABLE] = TCR_WALKS | TCR_WRITE_BACK,
    [MMU_NON_CACHEABLE] = TCR_WALKS,
};

#define DESCRIPTOR_BLOCK UINT64_C(1)
#define DESCRIPTOR_TABLE UINT64_C(3)
#define DESCRIPTOR_PAGE UINT64_C(3)
#define DESCRIPTOR_KIND UINT64_C(3)
#define DESCRIPTOR_ADDRESS UINT64_C(0xFFFFFFF000)
#define DESCRIPTOR_ACCESSED (UINT64_C(1) << 10)
#define DESCRIPTOR_INNER_SHAREABLE (UINT64_C(3) << 8)
#define DESCRIPTOR_EXECUTE_NEVER (UINT64_C(1) << 54)

static const struct {
    uint64_t base; /* in the fourth GB, multiple of 2 MB */
    enum memory_type type;
} devices[] = {MEMORY_MAP_DEVICES};

static uint64_t level1[3][8] __attribute__((aligned(64)));
static uint64_t level2[ENTRIES] __attribute__((aligned(4096))); /* for the fourth GB */
#if !PROGRAM_ON_CHIP
static uint64_t ddr_blocks[DDR_GB][ENTRIES] __attribute__((aligned(4096)));
static uint64_t ddr_tables[DDR_GB][ENTRIES] __attribute__((aligned(4096)));
#define DDR_PAGES ((uint64_t *)PAGE_TABLES_BASE)
#endif
static uint64_t ocm_pages[ENTRIES] __attribute__((aligned(4096)));

static uint64_t block(uint64_t base, enum memory_type type) {
    uint64_t descriptor = base | DESCRIPTOR_BLOCK | DESCRIPTOR_ACCESSED | (uint64_t)type << 2;
    if (type == NORMAL)
        return descriptor | DESCRIPTOR_INNER_SHAREABLE;
    return descriptor | DESCRIPTOR_EXECUTE_NEVER;
}

static uint64_t page(uint64_t base) { return block(base, NORMAL) | DESCRIPTOR_PAGE; }

static uint64_t table(const uint64_t *entries) { return (uintptr_t)entries | DESCRIPTOR_TABLE; }

static uint64_t *ocm_entry(void) {
    uint64_t base = OCM_BASE & ~(BLOCK_2M - 1);
    return &level2[(base - 3 * GB) / BLOCK_2M];
}

static void write_ocm_pages(void) {
    for (uint64_t at = OCM_BASE; at < 4 * GB; at += PAGE)
        ocm_pages[at / PAGE % ENTRIES] = page(at);
}

void mmu_write_tables(void) {
    for (unsigned i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        uint64_t base = devices[i].base & ~(BLOCK_2M - 1);
        level2[(base - 3 * GB) / BLOCK_2M] = block(base, devices[i].type);
    }
#if PROGRAM_ON_CHIP
    write_ocm_pages();
    *ocm_entry() = table(ocm_pages);
#else
    for (unsigned gb = 0; gb < DDR_GB; gb++) {
        level1[MMU_BLOCKS_1G][gb] = block(gb * GB, NORMAL);
        level1[MMU_BLOCKS_2M][gb] = table(ddr_blocks[gb]);
        level1[MMU_PAGES_4K][gb] = table(ddr_tables[gb]);
    }
#endif
    for (unsigned pages = MMU_BLOCKS_1G; pages <= MMU_PAGES_4K; pages++) {
        level1[pages][3] = table(level2);
        level1[pages][(3 * GB + STRONGLY_ORDERED_ALIAS) / GB] = block(3 * GB, DEVICE_nGnRnE);
    }
    dsb();
}

void mmu_enable(void) {
    WRITE_SYSREG(mair_el3, mair[MMU_CACHEABLE]);
    WRITE_SYSREG(tcr_el3, tcr[MMU_CACHEABLE]);
    WRITE_SYSREG(ttbr0_el3, (uintptr_t)level1[MMU_USUAL]);
    dsb();
    __asm__ volatile("tlbi alle3" : : : "memory");
    dsb();
    isb();
    WRITE_SYSREG(sctlr_el3, READ_SYSREG(sctlr_el3) | SCTLR_M);
    isb();
}

#if PROGRAM_ON_CHIP
void mmu_prepare(enum mmu_pages pages, bool on_chip_memory) {
    (void)pages;          /* it has those of on-chip memory */
    (void)on_chip_memory; /* it is always there */
}
#else
static void invalidate_tlbs(void) {
    dsb();
    __asm__ volatile("tlbi alle3is" : : : "memory");
    dsb();
    isb();
}

static void map_ddr(enum mmu_pages pages) {
    static bool mapped[MMU_PAGES_4K + 1];
    if (mapped[pages])
        return;
    mapped[pages] = true;
    for (uint64_t i = 0; i < DDR_GB * ENTRIES; i++)
        if (pages == MMU_BLOCKS_2M)
            ddr_blocks[i / ENTRIES][i % ENTRIES] = block(i * BLOCK_2M, NORMAL);
        else if (pages == MMU_PAGES_4K)
            ddr_tables[i / ENTRIES][i % ENTRIES] = table(DDR_PAGES + i * ENTRIES);
    if (pages == MMU_PAGES_4K)
        for (uint64_t i = 0; i < DDR_LOW_END / PAGE; i++)
            DDR_PAGES[i] = page(i * PAGE);
}

/* On-chip memory has pages, however DDR is translated: a block of 2 MB would take in the tightly
 * coupled memories of the Cortex-R5s below, which may have no power, and a core may fetch from
 * what is mapped as memory without being told to. */
static void map_ocm(bool mapped) {
    uint64_t *entry = ocm_entry();
    /* A translation that changes its size is invalid in between (Arm DDI 0487, break before
     * make). */
    *entry = 0;
    invalidate_tlbs();
    write_ocm_pages();
    if (mapped)
        *entry = table(ocm_pages);
    invalidate_tlbs();
}

void mmu_prepare(enum mmu_pages pages, bool on_chip_memory) {
    map_ddr(pages);
    map_ocm(on_chip_memory);
    caches_flush(); /* a core with its caches off walks what is in memory */
}
#endif

void mmu_use(enum mmu_pages pages, enum mmu_memory memory) {
    uintptr_t root = (uintptr_t)level1[pages];
    if (READ_SYSREG(ttbr0_el3) == root && READ_SYSREG(mair_el3) == mair[memory])
        return;
    /* The MMU is off in between, so that a translation never exists in two sizes or of two types.
     * Nothing here touches memory, which would temporarily be of another type; and caches are
     * emptied before uncached memory is read. */
    __asm__ volatile("mrs x12, sctlr_el3\n\t"
                     "bic x13, x12, #1\n\t"
                     "dsb sy\n\t"
                     "msr sctlr_el3, x13\n\t"
                     "isb\n\t"
                     "msr ttbr0_el3, %0\n\t"
                     "msr mair_el3, %1\n\t"
                     "msr tcr_el3, %2\n\t"
                     "tlbi alle3\n\t"
                     "dsb sy\n\t"
                     "isb\n\t"
                     "bl caches_flush\n\t"
                     "msr sctlr_el3, x12\n\t"
                     "isb"
                     :
                     : "r"(root), "r"(mair[memory]), "r"(tcr[memory])
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x30", "cc", "memory");
}

static const uint64_t *next_table(uint64_t descriptor) {
    return (const uint64_t *)(descriptor & DESCRIPTOR_ADDRESS);
}

/* The descriptor that translates an address. */
static uint64_t leaf(uint64_t address, enum mmu_pages *size) {
    const uint64_t *root = (const uint64_t *)READ_SYSREG(ttbr0_el3);
    uint64_t descriptor = root[address / GB];
    *size = MMU_BLOCKS_1G;
    if ((descriptor & DESCRIPTOR_KIND) == DESCRIPTOR_BLOCK)
        return descriptor;
    descriptor = next_table(descriptor)[address / BLOCK_2M % ENTRIES];
    *size = MMU_BLOCKS_2M;
    if ((descriptor & DESCRIPTOR_KIND) == DESCRIPTOR_BLOCK)
        return descriptor;
    *size = MMU_PAGES_4K;
    return next_table(descriptor)[address / PAGE % ENTRIES];
}

enum mmu_pages mmu_pages_of(uint64_t address) {
    enum mmu_pages size;
    (void)leaf(address, &size);
    return size;
}

enum mmu_memory mmu_memory_of(uint64_t address) {
    enum mmu_pages size;
    uint64_t index = leaf(address, &size) >> 2 & 7;
    uint64_t attribute = READ_SYSREG(mair_el3) >> (8 * index) & 0xFF;
    return attribute == WRITE_BACK ? MMU_CACHEABLE : MMU_NON_CACHEABLE;
}
