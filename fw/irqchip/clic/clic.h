/* Interrupts of a RISC-V hart by a core-local interrupt controller, its registers as the draft of
 * 2021-07-20 has them: an ID is the code that mcause tells. Each has an enable, a level and a
 * priority, comes by level or by edge, and goes to an entry of its own or to the one for all, as
 * the path to the handler wants it (path_vectored). The system's register that makes levels pending
 * by software is that of a CLINT. */
#ifndef IRQCHIP_CLIC_CLIC_H
#define IRQCHIP_CLIC_CLIC_H

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

/* As a GIC counts them, the most urgent first; all of one level, so that none interrupts a handler,
 * whatever the path allows. */
#define IRQ_PRIORITY_NEVER 0xF8
#define IRQ_PRIORITY_STEP 8
#define IRQ_PRIORITY_LAST 0xF0
#define IRQ_PRIORITY_LOW 0xE8
#define IRQ_PRIORITY_MIDDLE 0x80
#define CLIC_LEVEL_BITS 1

enum irq_sense { IRQ_BY_LEVEL = 0, IRQ_BY_EDGE = 1 };

/* A word for each ID, and what its bytes hold. */
#define CLIC_INTERRUPT(id) (CLIC_BASE + 0x1000 + 4 * (id))
enum { CLIC_PENDING = 0, CLIC_ENABLE = 1, CLIC_ATTRIBUTES = 2, CLIC_CONTROL = 3 };
#define CLIC_VECTORED 0x01
#define CLIC_EDGE 0x02

static inline volatile uint8_t *clic_byte(unsigned id, unsigned byte) {
    return (volatile uint8_t *)(CLIC_INTERRUPT(id) + byte);
}

/* Everything disabled, and nothing pending by software. */
void irq_init_distributor(void);
static inline void irq_init_core(void) {}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger);
uint8_t irq_priority(uintptr_t id);

static inline uint32_t irq_bit(unsigned id) { return UINT32_C(1) << (id % 32); }

static inline void irq_enable(unsigned id) { *clic_byte(id, CLIC_ENABLE) = 1; }
static inline void irq_disable(unsigned id) { *clic_byte(id, CLIC_ENABLE) = 0; }
static inline void irq_disable_here(unsigned id) { irq_disable(id); }
static inline bool irq_is_enabled(unsigned id) { return *clic_byte(id, CLIC_ENABLE) != 0; }

/* A store of irq_bit to the register makes an ID's input high; a load shows all that are. */
static inline volatile uint32_t *irq_pending_register(unsigned id) {
    (void)id;
    return (volatile uint32_t *)IRQ_RAISE;
}
static inline volatile uint32_t *irq_send_register(void) { return irq_pending_register(0); }
#define IRQ_SEND_WORD(type, id, core) ((type)1 << (id))

static inline void irq_set_pending(unsigned id) { mmio_write32(IRQ_RAISE, irq_bit(id)); }
static inline void irq_clear_pending(unsigned id) {
    mmio_write32(IRQ_LOWER, irq_bit(id));
    *clic_byte(id, CLIC_PENDING) = 0; /* kept from an edge */
}
static inline bool irq_is_pending(unsigned id) { return *clic_byte(id, CLIC_PENDING) != 0; }
static inline bool irq_is_high(unsigned id) { return (mmio_read32(IRQ_RAISE) & irq_bit(id)) != 0; }
static inline void irq_raise(unsigned word, uint32_t mask) {
    (void)word;
    mmio_write32(IRQ_RAISE, mask);
}
static inline void irq_send(unsigned id, uint8_t cores) {
    (void)cores;
    irq_set_pending(id);
}

/* What is taken ends with the return from its handler; an edge is served when it is taken. */
static inline void irq_end(uint32_t acknowledged) { (void)acknowledged; }
static inline void irq_end_running(void) {}
static inline bool irq_is_active(unsigned id) {
    (void)id;
    return false;
}
static inline bool irq_is_idle(void) { return true; }

/* The enabled pending one that is offered first. */
unsigned irq_highest(void);

static inline enum irq_sense irq_trigger(unsigned id) {
    return *clic_byte(id, CLIC_ATTRIBUTES) & CLIC_EDGE ? IRQ_BY_EDGE : IRQ_BY_LEVEL;
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
