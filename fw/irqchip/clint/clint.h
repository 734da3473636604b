/* Interrupts of a RISC-V hart by itself (RISC-V privileged architecture): an ID is the cause that
 * mcause tells. They are levels, of a priority that is the core's; enabled in mie. A register of
 * the system makes them pending by software: what it has set stays until it is taken back. */
#ifndef IRQCHIP_CLINT_CLINT_H
#define IRQCHIP_CLINT_CLINT_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/addresses.h"
#include "bound/cpu.h"
#include "lib/mmio.h"

#define IRQ_IDS 32
#define IRQ_FIRST_PRIVATE 4 /* below: software's */
#define IRQ_FIRST_SHARED 16
#define IRQ_FIRST_SPECIAL 32
#define IRQ_ID_MASK 0x3FF

/* Priorities are kept and told, and decide nothing. */
#define IRQ_PRIORITY_NEVER 0xF8
#define IRQ_PRIORITY_STEP 8
#define IRQ_PRIORITY_LAST 0xF0
#define IRQ_PRIORITY_LOW 0xE8
#define IRQ_PRIORITY_MIDDLE 0x80

enum irq_sense { IRQ_BY_LEVEL = 0, IRQ_BY_EDGE = 1 };

/* Everything disabled, and nothing pending by software. */
void irq_init_distributor(void);
static inline void irq_init_core(void) {}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger);
uint8_t irq_priority(uintptr_t id);

static inline uint32_t irq_bit(unsigned id) { return UINT32_C(1) << (id % 32); }

static inline void irq_enable(unsigned id) { SET_CSR(mie, irq_bit(id)); }
static inline void irq_disable(unsigned id) { CLEAR_CSR(mie, irq_bit(id)); }
static inline void irq_disable_here(unsigned id) { irq_disable(id); }
static inline bool irq_is_enabled(unsigned id) { return (READ_CSR(mie) & irq_bit(id)) != 0; }

/* A store of irq_bit to the register makes an ID pending; a load shows all that are. */
static inline volatile uint32_t *irq_pending_register(unsigned id) {
    (void)id;
    return (volatile uint32_t *)IRQ_RAISE;
}
static inline volatile uint32_t *irq_send_register(void) { return irq_pending_register(0); }
#define IRQ_SEND_WORD(type, id, core) ((type)1 << (id))

static inline void irq_set_pending(unsigned id) { mmio_write32(IRQ_RAISE, irq_bit(id)); }
static inline void irq_clear_pending(unsigned id) { mmio_write32(IRQ_LOWER, irq_bit(id)); }
static inline bool irq_is_pending(unsigned id) {
    return (mmio_read32(IRQ_RAISE) & irq_bit(id)) != 0;
}
static inline bool irq_is_high(unsigned id) { return irq_is_pending(id); }
static inline void irq_raise(unsigned word, uint32_t mask) {
    (void)word;
    mmio_write32(IRQ_RAISE, mask);
}
static inline void irq_send(unsigned id, uint8_t cores) {
    (void)cores;
    irq_set_pending(id);
}

/* A hart has no list of what it has taken; what software made pending the vector path takes back.
 */
static inline void irq_end(uint32_t acknowledged) { (void)acknowledged; }
static inline void irq_end_running(void) {}
static inline bool irq_is_active(unsigned id) {
    (void)id;
    return false;
}
static inline bool irq_is_idle(void) { return true; }

/* The enabled one that would be taken, as the core's order is: the external and the software
 * interrupt before the timer, a larger ID before a smaller one among the rest. */
static inline unsigned irq_highest(void) {
    uint32_t pending = mmio_read32(IRQ_RAISE) & READ_CSR(mie);
    return pending == 0 ? IRQ_FIRST_SPECIAL : 31u - (unsigned)__builtin_clz(pending);
}

static inline enum irq_sense irq_trigger(unsigned id) {
    (void)id;
    return IRQ_BY_LEVEL;
}
static inline unsigned irq_group(unsigned id) {
    (void)id;
    return 0;
}
static inline uint8_t irq_targets(uintptr_t id) {
    (void)id;
    return 1;
}
static inline void irq_set_targets(unsigned id, uint8_t cores) {
    (void)id;
    (void)cores;
}

#endif
