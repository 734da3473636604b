/* Interrupts of a RISC-V hart by a core-local interrupt controller, with registers as in the
 * draft of 2021-07-20. Each interrupt has an enable, a level and a priority, comes by level or
 * by edge, and goes to an entry of its own or to the one for all, as the path to the handler
 * wants it (path_vectored). Where handlers nest (path_nests) the level is the urgency; else all
 * have one level, so that none interrupts a handler, whatever the path allows. */
#ifndef IRQCHIP_CLIC_CLIC_H
#define IRQCHIP_CLIC_CLIC_H

#include "bound/inputs.h"

/* A word for each ID, and what its bytes hold. */
#define CLIC_INTERRUPT(id) (CLIC_BASE + 0x1000 + 4 * (id))
enum { CLIC_PENDING = 0, CLIC_ENABLE = 1, CLIC_ATTRIBUTES = 2, CLIC_CONTROL = 3 };
#define CLIC_VECTORED 0x01
#define CLIC_EDGE 0x02

static inline volatile uint8_t *clic_byte(unsigned id, unsigned byte) {
    return (volatile uint8_t *)(CLIC_INTERRUPT(id) + byte);
}

static inline void irq_enable(unsigned id) { *clic_byte(id, CLIC_ENABLE) = 1; }
static inline void irq_disable(unsigned id) { *clic_byte(id, CLIC_ENABLE) = 0; }
static inline void irq_disable_here(unsigned id) { irq_disable(id); }
static inline bool irq_is_enabled(unsigned id) { return *clic_byte(id, CLIC_ENABLE) != 0; }

static inline void irq_clear_pending(unsigned id) {
    mmio_write32(IRQ_LOWER, irq_bit(id));
    *clic_byte(id, CLIC_PENDING) = 0; /* kept from an edge */
}
static inline bool irq_is_pending(unsigned id) { return *clic_byte(id, CLIC_PENDING) != 0; }

static inline enum irq_sense irq_trigger(unsigned id) {
    return *clic_byte(id, CLIC_ATTRIBUTES) & CLIC_EDGE ? IRQ_BY_EDGE : IRQ_BY_LEVEL;
}

#endif
