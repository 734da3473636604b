/* Interrupts of a RISC-V hart with one cause for all inputs, whatever its number: a register of the
 * system has which inputs reach the core, and shows those that do. They are levels; the largest ID
 * comes first. Priorities that are set are kept and told, and decide nothing. */
#ifndef IRQCHIP_SHARED_SHARED_H
#define IRQCHIP_SHARED_SHARED_H

#include "bound/inputs.h"

extern uint32_t irq_enabled;

static inline void irq_set_enabled(uint32_t enabled) {
    irq_enabled = enabled;
    mmio_write32(IRQ_SHARED, enabled);
}

static inline void irq_enable(unsigned id) { irq_set_enabled(irq_enabled | irq_bit(id)); }
static inline void irq_disable(unsigned id) { irq_set_enabled(irq_enabled & ~irq_bit(id)); }
static inline void irq_disable_here(unsigned id) { irq_disable(id); }
static inline bool irq_is_enabled(unsigned id) { return (irq_enabled & irq_bit(id)) != 0; }

static inline void irq_clear_pending(unsigned id) { mmio_write32(IRQ_LOWER, irq_bit(id)); }
static inline bool irq_is_pending(unsigned id) { return irq_is_high(id); }

static inline enum irq_sense irq_trigger(unsigned id) {
    (void)id;
    return IRQ_BY_LEVEL;
}

#endif
