/* Interrupts of a RISC-V hart, whatever controller is between: an ID is the cause that mcause
 * tells. A register of the system lets software raise inputs, which stay high until software lowers
 * them. There is no list of active interrupts: a handler ends its own. */
#ifndef MACHINE_SOFT_BOUND_INPUTS_H
#define MACHINE_SOFT_BOUND_INPUTS_H

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

/* Priorities as a GIC counts them, the most urgent first. */
#define IRQ_PRIORITY_NEVER 0xF8
#define IRQ_PRIORITY_STEP 8
#define IRQ_PRIORITY_LAST 0xF0
#define IRQ_PRIORITY_LOW 0xE8
#define IRQ_PRIORITY_MIDDLE 0x80

enum irq_sense { IRQ_BY_LEVEL = 0, IRQ_BY_EDGE = 1 };

/* Disables everything, and takes back all that software made pending. */
void irq_init_distributor(void);
static inline void irq_init_core(void) {}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger);
uint8_t irq_priority(uintptr_t id);

/* Whether any interrupt is handed to the core. */
void irq_signal(bool on);

static inline uint32_t irq_bit(unsigned id) { return UINT32_C(1) << (id % 32); }

/* A store of irq_bit to the register makes an ID's input high; a load shows all that are. */
static inline volatile uint32_t *irq_pending_register(unsigned id) {
    (void)id;
    return (volatile uint32_t *)IRQ_RAISE;
}
static inline volatile uint32_t *irq_send_register(void) { return irq_pending_register(0); }
#define IRQ_SEND_WORD(type, id, core) ((type)1 << (id))

static inline void irq_set_pending(unsigned id) { mmio_write32(IRQ_RAISE, irq_bit(id)); }
static inline bool irq_is_high(unsigned id) { return (mmio_read32(IRQ_RAISE) & irq_bit(id)) != 0; }
static inline void irq_raise(unsigned word, uint32_t mask) {
    (void)word;
    mmio_write32(IRQ_RAISE, mask);
}
static inline void irq_send(unsigned id, uint8_t cores) {
    (void)cores;
    irq_set_pending(id);
}

/* An interrupt that was taken ends with the return from its handler; the path takes back what
 * software made pending. */
static inline void irq_end(uint32_t acknowledged) { (void)acknowledged; }
static inline void irq_end_running(void) {}
static inline bool irq_is_active(unsigned id) {
    (void)id;
    return false;
}
static inline bool irq_is_idle(void) { return true; }

/* The enabled pending interrupt that is taken first. */
unsigned irq_highest(void);

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
