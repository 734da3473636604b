#include "machine/lockdown.h"

#include "bound/addresses.h"
#include "lib/mmio.h"
#include "lib/registers.h"
#include "machine/caches.h"
#include "machine/cpu.h"
#include "machine/path.h"
#include "machine/zynq/gpio.h"

const uintptr_t lockdown_devices[2] = {GPIO_BASE + GPIO_DATA(GPIO_LOW), GICC_BASE};

static uintptr_t locked[LOCKDOWN_TRANSLATIONS];
static unsigned locked_count;

/* ---- TLB: Cortex-A9 TRM, 4.3.15 -------------------------------------------------------------- */

/* The next walk fills this entry of the four that replacement passes over, while P is 1. */
#define VICTIM(entry) ((uint32_t)(entry) << 28)
#define PRESERVE 1u
#define READ_TLB_LOCKDOWN() READ_CP15(0, c10, c0, 0)

static void set_tlb_lockdown(uint32_t value) {
    dsb();
    WRITE_CP15(0, c10, c0, 0, value);
    isb();
}

/* Forgets it by its address, locked or not: Arm does not say whether TLBIALL forgets locked ones.
 */
static void forget_translation(uintptr_t address) {
    WRITE_CP15(0, c8, c7, 1, address & ~(uintptr_t)0xFFF); /* TLBIMVA, ASID 0 */
    dsb();
    isb();
}

/* This code's own translation comes first, or its walk would take the place of another. */
void lockdown_translations(const uintptr_t *addresses, unsigned count) {
    for (unsigned entry = 0; entry < count && entry < LOCKDOWN_TRANSLATIONS; entry++) {
        forget_translation(addresses[entry]);
        set_tlb_lockdown(VICTIM(entry) | PRESERVE);
        (void)mmio_read32(addresses[entry] & ~(uintptr_t)3);
        set_tlb_lockdown(VICTIM(entry));
        locked[entry] = addresses[entry];
        locked_count = entry + 1;
    }
}

/* ---- L2: Arm DDI 0246, lockdown by way ------------------------------------------------------- */

/* The registers of master m, for data and for instructions: a way whose bit is 1 takes in
 * nothing. Arm does not tell which master a core is, so all are written. */
#define L2C_LOCKDOWN_DATA(master) (L2C_BASE + 0x900 + 8 * (master))
#define L2C_LOCKDOWN_INSTRUCTIONS(master) (L2C_BASE + 0x904 + 8 * (master))
#define L2C_MASTERS 8
#define ALL_WAYS 0xFFu
#define LOCKED_WAY 0x01u

static void keep_out_of(uint32_t ways) {
    for (unsigned master = 0; master < L2C_MASTERS; master++) {
        mmio_write32(L2C_LOCKDOWN_DATA(master), ways);
        mmio_write32(L2C_LOCKDOWN_INSTRUCTIONS(master), ways);
    }
    dsb();
}

void lockdown_lines(const struct lockdown_range *ranges, unsigned count) {
    caches_flush(); /* a line that L1 has would not come to L2 */
    keep_out_of(ALL_WAYS & ~LOCKED_WAY);
    for (unsigned i = 0; i < count; i++)
        for (uintptr_t at = ranges[i].from & ~(uintptr_t)(PATH_LINE - 1);
             at < ranges[i].from + ranges[i].size; at += PATH_LINE)
            (void)mmio_read32(at);
    dsb();
    keep_out_of(LOCKED_WAY);
}

/* ---------------------------------------------------------------------------------------------- */

void lockdown_undo(void) {
    keep_out_of(0);
    set_tlb_lockdown(0);
    for (unsigned entry = 0; entry < locked_count; entry++)
        forget_translation(locked[entry]);
    locked_count = 0;
}

size_t lockdown_read(irq_register_t *to) {
    const struct named_register found[] = {
        {"tlb_lockdown", READ_TLB_LOCKDOWN()},
        {"l2c_d_lockdown0", mmio_read32(L2C_LOCKDOWN_DATA(0))},
        {"l2c_i_lockdown0", mmio_read32(L2C_LOCKDOWN_INSTRUCTIONS(0))},
    };
    return registers_put(found, sizeof found / sizeof found[0], to);
}
