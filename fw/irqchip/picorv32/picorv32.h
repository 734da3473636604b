/* Interrupts of PicoRV32 by itself: levels, each with a bit of the core's mask. One handler gets
 * all that are pending, and which comes first is its business. Priorities are kept and told, and
 * decide nothing. */
#ifndef IRQCHIP_PICORV32_PICORV32_H
#define IRQCHIP_PICORV32_PICORV32_H

#include "bound/inputs.h"

static inline void irq_enable(unsigned id) {
    cpu_irq_mask &= ~irq_bit(id);
    mask_anew();
}
static inline void irq_disable(unsigned id) {
    cpu_irq_mask |= irq_bit(id);
    mask_anew();
}
static inline void irq_disable_here(unsigned id) { irq_disable(id); }
static inline bool irq_is_enabled(unsigned id) { return (cpu_irq_mask & irq_bit(id)) == 0; }

static inline void irq_clear_pending(unsigned id) { mmio_write32(IRQ_LOWER, irq_bit(id)); }
static inline bool irq_is_pending(unsigned id) { return irq_is_high(id); }

static inline enum irq_sense irq_trigger(unsigned id) {
    (void)id;
    return IRQ_BY_LEVEL;
}

#endif
