/* Flat translation: virtual address = physical address, but for one alias. Only what the firmware
 * uses is mapped; any other address faults and reports itself. Short descriptors (Arm DDI 0406):
 * 4096 entries of 1 MB, of which those of DDR may be tables of 4 KB pages, or 16 in a row one
 * section of 16 MB; on-chip memory is always a table. Each way of translating DDR, and each type of
 * memory, has tables of its own. */
#include "machine/translation.h"

#include "bound/memory_map.h"
#include "machine/caches.h"
#include "machine/cpu.h"

#define MB 0x100000u
#define PAGE 0x1000u
#define ENTRIES 4096
#define PAGES_OF_SECTION (MB / PAGE)
#define DDR_SECTIONS (DDR_END / MB)
/* Not all of the first 16 MB is DDR (bound/addresses.h), so they have sections of 1 MB, always. */
#define LARGE (16 * MB)

/* Where tables are looked up: write-back, write-allocate, shareable, whatever memory is: a table
 * does not change while it is active. */
#define TTBR_FLAGS 0x4A
#define TTBR_TABLE 0xFFFFC000u
#define DOMAIN_CLIENT 1

/* Full access in all of these; TEX, C and B select the memory type, and it is shareable. */
enum memory_type { CACHEABLE, NON_CACHEABLE, ON_CHIP, DEVICE, STRONGLY_ORDERED };
#define SECTION_BITS 0x00000C02u
#define SECTION_LARGE 0x00040000u
#define SECTION_TYPE 0x0001700Cu /* S, TEX, C, B */
#define EXECUTE_NEVER 0x10u
static const uint32_t section_types[] = {
    [CACHEABLE] = 0x00015004,     /* inner and outer write-back, write-allocate */
    [NON_CACHEABLE] = 0x00011000, /* inner and outer */
    [ON_CHIP] = 0x00014004,       /* inner as above, outer not: it does not pass L2 */
    [DEVICE] = 0x00000004 | EXECUTE_NEVER,
    [STRONGLY_ORDERED] = EXECUTE_NEVER,
};

#define DESCRIPTOR_KIND 3u
#define DESCRIPTOR_TABLE 1u
#define PAGE_BITS 0x032u
#define PAGE_EXECUTE_NEVER 1u

static const struct {
    uint32_t base; /* multiple of 1 MB */
    enum memory_type type;
} devices[] = {MEMORY_MAP_DEVICES};

/* Indices: how DDR is translated, and the type of memory. Sections, and pages of on-chip memory. */
enum way { BY_SECTIONS, BY_LARGE, BY_PAGES, WAYS };
static uint32_t tables[WAYS][2][ENTRIES] __attribute__((aligned(4 * ENTRIES)));
static uint32_t on_chip[2][PAGES_OF_SECTION] __attribute__((aligned(4 * PAGES_OF_SECTION)));
#define DDR_PAGES(memory)                                                                          \
    ((uint32_t *)(PAGE_TABLES_BASE + (memory) * DDR_SECTIONS * PAGES_OF_SECTION * 4))

void mmu_switch(uint32_t ttbr0);

static uint32_t section(uint32_t base, enum memory_type type) {
    return base | SECTION_BITS | section_types[type];
}

/* All 16 entries of a section of 16 MB are alike. */
static uint32_t large(uint32_t base, enum memory_type type) {
    if (base < LARGE)
        return section(base, type);
    return section(base & ~(LARGE - 1), type) | SECTION_LARGE;
}

/* The same bits are elsewhere in the descriptor of a page. */
static uint32_t page(uint32_t base, enum memory_type type) {
    uint32_t bits = section_types[type];
    return base | PAGE_BITS | (bits & 0xC) | (bits >> 12 & 7) << 6 | (bits >> 16 & 1) << 10 |
           (bits & EXECUTE_NEVER ? PAGE_EXECUTE_NEVER : 0);
}

static uint32_t table(const uint32_t *entries) { return (uintptr_t)entries | DESCRIPTOR_TABLE; }

static enum memory_type of_ddr(enum mmu_memory memory) {
    return memory == MMU_CACHEABLE ? CACHEABLE : NON_CACHEABLE;
}

/* The last page has the word that starts the other core: it is never in a cache. */
static void write_on_chip(enum mmu_memory memory) {
    enum memory_type type = memory == MMU_CACHEABLE ? ON_CHIP : NON_CACHEABLE;
    for (uint32_t at = OCM_BASE; at >= OCM_BASE; at += PAGE)
        on_chip[memory][at / PAGE % PAGES_OF_SECTION] = page(at, type);
    on_chip[memory][PAGES_OF_SECTION - 1] = page(0 - PAGE, STRONGLY_ORDERED);
}

void mmu_write_tables(void) {
    for (unsigned memory = MMU_CACHEABLE; memory <= MMU_NON_CACHEABLE; memory++) {
        write_on_chip((enum mmu_memory)memory);
        for (unsigned way = 0; way < WAYS; way++) {
            uint32_t *root = tables[way][memory];
            enum memory_type type = of_ddr((enum mmu_memory)memory);
            for (uint32_t mb = DDR_FIRST / MB; mb < DDR_SECTIONS; mb++)
                root[mb] = way == BY_PAGES   ? table(DDR_PAGES(memory) + mb * PAGES_OF_SECTION)
                           : way == BY_LARGE ? large(mb * MB, type)
                                             : section(mb * MB, type);
            for (unsigned i = 0; i < sizeof devices / sizeof devices[0]; i++)
                root[devices[i].base / MB] = section(devices[i].base, devices[i].type);
            root[STRONGLY_ORDERED_ALIAS / MB] = section(GPIO_BASE & ~(MB - 1), STRONGLY_ORDERED);
            root[ENTRIES - 1] = table(on_chip[memory]);
        }
    }
    dsb();
}

void mmu_enable(void) {
    WRITE_CP15(0, c2, c0, 2, 0); /* TTBCR: TTBR0 translates all */
    WRITE_CP15(0, c2, c0, 0, (uintptr_t)tables[BY_SECTIONS][MMU_CACHEABLE] | TTBR_FLAGS);
    WRITE_CP15(0, c3, c0, 0, DOMAIN_CLIENT);
    dsb();
    tlb_invalidate();
    WRITE_CP15(0, c1, c0, 0, READ_SCTLR() | SCTLR_M);
    isb();
}

void mmu_prepare(enum mmu_pages pages, bool on_chip_memory) {
    static bool written;
    (void)on_chip_memory; /* it is always there */
    if (pages == MMU_PAGES_4K && !written)
        for (unsigned memory = MMU_CACHEABLE; memory <= MMU_NON_CACHEABLE; memory++)
            for (uint32_t i = DDR_FIRST / PAGE; i < DDR_SECTIONS * PAGES_OF_SECTION; i++)
                DDR_PAGES(memory)[i] = page(i * PAGE, of_ddr((enum mmu_memory)memory));
    written = written || pages == MMU_PAGES_4K;
    caches_flush(); /* a core with its caches off walks what is in memory */
}

void mmu_use(enum mmu_pages pages, enum mmu_memory memory) {
    enum way way = pages == MMU_PAGES_4K       ? BY_PAGES
                   : pages == MMU_SECTIONS_16M ? BY_LARGE
                                               : BY_SECTIONS;
    uint32_t ttbr0 = (uintptr_t)tables[way][memory] | TTBR_FLAGS;
    if (READ_TTBR0() != ttbr0)
        mmu_switch(ttbr0);
}

/* The descriptor of the first level that translates an address. */
static const uint32_t *first_level(uint64_t address) {
    const uint32_t *root = (const uint32_t *)(READ_TTBR0() & TTBR_TABLE);
    return &root[(uint32_t)address / MB];
}

static bool is_table(uint32_t descriptor) {
    return (descriptor & DESCRIPTOR_KIND) == DESCRIPTOR_TABLE;
}

uintptr_t mmu_descriptor_of(uint64_t address) {
    const uint32_t *found = first_level(address);
    if (is_table(*found)) {
        const uint32_t *entries = (const uint32_t *)(*found & ~(4 * PAGES_OF_SECTION - 1));
        found = &entries[(uint32_t)address / PAGE % PAGES_OF_SECTION];
    }
    return (uintptr_t)found;
}

enum mmu_pages mmu_pages_of(uint64_t address) {
    uint32_t descriptor = *first_level(address);
    if (is_table(descriptor))
        return MMU_PAGES_4K;
    return descriptor & SECTION_LARGE ? MMU_SECTIONS_16M : MMU_SECTIONS_1M;
}

enum mmu_memory mmu_memory_of(uint64_t address) {
    uint32_t descriptor = *(const uint32_t *)mmu_descriptor_of(address);
    uint32_t types[] = {section_types[NON_CACHEABLE] & SECTION_TYPE, SECTION_TYPE};
    if (is_table(*first_level(address))) {
        types[0] = page(0, NON_CACHEABLE) & 0x5CC;
        types[1] = 0x5CC; /* S, TEX, C, B */
    }
    return (descriptor & types[1]) == types[0] ? MMU_NON_CACHEABLE : MMU_CACHEABLE;
}
