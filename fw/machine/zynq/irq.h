/* Interrupts of both Zynqs, from the machine's description. */
#ifndef MACHINE_ZYNQ_IRQ_H
#define MACHINE_ZYNQ_IRQ_H

#include "description.h"
#include "irqchip/gic/gic.h"

#define IRQ_TIMER_TICK MACHINE_TIMER_TICK_ID
#define IRQ_FINISHED MACHINE_FINISHED_ID
#define IRQ_PRIVATE MACHINE_PRIVATE_ID
/* Two rows of outputs, by level or edge. */
#define IRQ_SHARED_LOW MACHINE_SHARED_0_FIRST
#define IRQ_SHARED_HIGH MACHINE_SHARED_1_FIRST
#define IRQ_SHARED_ROW MACHINE_SHARED_0_COUNT

/* The level of IRQ_PRIVATE. The meaning of the register is unclear: the TRMs of the Cortex-A15
 * (8.3.2, GICD_PPISR) and Cortex-A9 (table 3-6) call it the actual state of a signal that is active
 * low, that of the GIC-500 says 1 for an input that is high. So it decides nothing; it is shown
 * next to the pending bit. */
#define GICD_PPISR_LEGACY (1u << 15)
static inline bool irq_private_raw(void) { return (GICD->ppisr & GICD_PPISR_LEGACY) != 0; }

/* The levels of both rows, counted as the gateware does; they are in two registers. */
static inline uint16_t irq_shared_levels(void) {
    enum { BASE = IRQ_SHARED_LOW / 32 * 32 };
    uint64_t levels = (uint64_t)GICD->spisr[BASE / 32] << 32 | GICD->spisr[BASE / 32 - 1];
    return (uint16_t)((levels >> (IRQ_SHARED_LOW - BASE) & 0xFF) |
                      (levels >> (IRQ_SHARED_HIGH - BASE) & 0xFF) << 8);
}

/* Interrupts that may be further ones, in that order: shared ones, then software's from the last
 * one down, then private ones. */
static inline unsigned irq_nth(unsigned n) {
    unsigned shared = IRQ_IDS - IRQ_FIRST_SHARED;
    return n < shared                       ? IRQ_FIRST_SHARED + n
           : n < shared + IRQ_FIRST_PRIVATE ? shared + IRQ_FIRST_PRIVATE - 1 - n
                                            : n - shared;
}

#endif
