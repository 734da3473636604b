/* Interrupts of a RISC-V hart by itself (RISC-V privileged architecture): they are levels,
 * enabled in mie, and the core has the priorities. Priorities that are set are kept and told,
 * and decide nothing. */
#ifndef IRQCHIP_CLINT_CLINT_H
#define IRQCHIP_CLINT_CLINT_H

#include "bound/inputs.h"

static inline void irq_enable(unsigned id) { SET_CSR(mie, irq_bit(id)); }
static inline void irq_disable(unsigned id) { CLEAR_CSR(mie, irq_bit(id)); }
static inline void irq_disable_here(unsigned id) { irq_disable(id); }
static inline bool irq_is_enabled(unsigned id) { return (READ_CSR(mie) & irq_bit(id)) != 0; }

static inline void irq_clear_pending(unsigned id) { mmio_write32(IRQ_LOWER, irq_bit(id)); }
static inline bool irq_is_pending(unsigned id) { return irq_is_high(id); }

static inline enum irq_sense irq_trigger(unsigned id) {
    (void)id;
    return IRQ_BY_LEVEL;
}

#endif
