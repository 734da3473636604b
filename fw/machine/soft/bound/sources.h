/* Sources at the interrupt inputs of the core, for any controller. */
#ifndef MACHINE_SOFT_BOUND_SOURCES_H
#define MACHINE_SOFT_BOUND_SOURCES_H

#include "bound/addresses.h"
#include "description.h"
#include "lib/mmio.h"

#define IRQ_LINK MACHINE_LINK_ID
#define IRQ_TIMER_TICK MACHINE_TIMER_TICK_ID
#define IRQ_FINISHED MACHINE_FINISHED_ID
#define IRQ_PRIVATE 15 /* reserved by the architecture */
/* One row of outputs. */
#define IRQ_SHARED_LOW MACHINE_SHARED_0_FIRST
#define IRQ_SHARED_ROW MACHINE_SHARED_0_COUNT
#define IRQ_SHARED_HIGH (IRQ_SHARED_LOW + IRQ_SHARED_ROW)

static inline bool irq_private_raw(void) { return false; }
static inline uint16_t irq_shared_levels(void) {
    return (uint16_t)(mmio_read32(IRQ_RAISE) >> IRQ_SHARED_LOW & ((1u << IRQ_SHARED_ROW) - 1));
}

static inline unsigned irq_nth(unsigned n) {
    return n < IRQ_SHARED_ROW ? IRQ_SHARED_LOW + n : IRQ_PRIVATE;
}
static inline bool irq_exists(unsigned id) { return id != IRQ_PRIVATE; }

#endif
