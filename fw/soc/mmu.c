/* Flat translation: virtual address = physical address, but for one alias. Only what the firmware
 * uses is mapped; any other address faults and reports itself. 4 KB granule, 33-bit addresses:
 * eight 1 GB entries, of which the fourth is a table of 2 MB blocks. */
#include "soc/mmu.h"

#include "soc/addresses.h"
#include "soc/cpu.h"

#define MB UINT64_C(0x100000)
#define GB (1024 * MB)
#define BLOCK_2M (2 * MB)

/* Indices into MAIR_EL3. */
enum memory_type { NORMAL, DEVICE_nGnRnE, DEVICE_nGnRE };
#define MAIR                                                                                       \
    (UINT64_C(0xFF) << (8 * NORMAL) /* write-back, read and write allocate */                      \
     | UINT64_C(0x00) << (8 * DEVICE_nGnRnE) | UINT64_C(0x04) << (8 * DEVICE_nGnRE))

/* T0SZ 31 (33 bits), walks write-back and inner shareable, 4 KB granule, 40-bit physical. */
#define TCR (UINT64_C(0x80800000) | 2 << 16 | 3 << 12 | 1 << 10 | 1 << 8 | 31)

#define DESCRIPTOR_BLOCK UINT64_C(1)
#define DESCRIPTOR_TABLE UINT64_C(3)
#define DESCRIPTOR_ACCESSED (UINT64_C(1) << 10)
#define DESCRIPTOR_INNER_SHAREABLE (UINT64_C(3) << 8)
#define DESCRIPTOR_EXECUTE_NEVER (UINT64_C(1) << 54)

static const struct {
    uint64_t base; /* in the fourth GB, multiple of 2 MB */
    enum memory_type type;
} devices[] = {
    /* An acknowledge or end of interrupt is complete when its instruction is. */
    {GICD_BASE, DEVICE_nGnRnE}, /* and GICC */
    {CRF_APB_BASE, DEVICE_nGnRnE},
    {APU_BASE, DEVICE_nGnRnE},
    /* Early write response: a marker does not hold the core up. */
    {UART0_BASE, DEVICE_nGnRE}, /* and GPIO */
    {IOU_SCNTRS_BASE, DEVICE_nGnRE},
    {CRL_APB_BASE, DEVICE_nGnRE},
};

static uint64_t level1[8] __attribute__((aligned(64)));
static uint64_t level2[512] __attribute__((aligned(4096)));

static uint64_t block(uint64_t base, enum memory_type type) {
    uint64_t descriptor = base | DESCRIPTOR_BLOCK | DESCRIPTOR_ACCESSED | (uint64_t)type << 2;
    if (type == NORMAL)
        return descriptor | DESCRIPTOR_INNER_SHAREABLE;
    return descriptor | DESCRIPTOR_EXECUTE_NEVER;
}

void mmu_write_tables(void) {
    level1[0] = block(0 * GB, NORMAL); /* DDR low, 2 GB */
    level1[1] = block(1 * GB, NORMAL);
    level1[3] = (uintptr_t)level2 | DESCRIPTOR_TABLE;
    level1[(3 * GB + STRONGLY_ORDERED_ALIAS) / GB] = block(3 * GB, DEVICE_nGnRnE);
    for (unsigned i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        uint64_t base = devices[i].base & ~(BLOCK_2M - 1);
        level2[(base - 3 * GB) / BLOCK_2M] = block(base, devices[i].type);
    }
    dsb();
}

void mmu_enable(void) {
    WRITE_SYSREG(mair_el3, MAIR);
    WRITE_SYSREG(tcr_el3, TCR);
    WRITE_SYSREG(ttbr0_el3, (uintptr_t)level1);
    dsb();
    __asm__ volatile("tlbi alle3" : : : "memory");
    dsb();
    isb();
    WRITE_SYSREG(sctlr_el3, READ_SYSREG(sctlr_el3) | SCTLR_M);
    isb();
}
