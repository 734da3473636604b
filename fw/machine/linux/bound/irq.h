/* Interrupts of the PL as user space has them: a UIO device for each (machine/linux/lines.h). IDs
 * are those of the machine's controller. Linux owns priorities, targets and the sense, so what is
 * set is kept for the readback and decides nothing. */
#ifndef MACHINE_LINUX_BOUND_IRQ_H
#define MACHINE_LINUX_BOUND_IRQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "description.h"

#define IRQ_IDS MACHINE_IDS
#define IRQ_FIRST_PRIVATE 16
#define IRQ_FIRST_SHARED 32
#define IRQ_FIRST_SPECIAL 1020
#define IRQ_ID_MASK 0x3FF

#define IRQ_PRIORITY_NEVER 0xF8
#define IRQ_PRIORITY_STEP 8
#define IRQ_PRIORITY_LAST 0xF0
#define IRQ_PRIORITY_LOW 0xE8
#define IRQ_PRIORITY_MIDDLE 0x80

#define IRQ_LINK MACHINE_LINK_ID
#define IRQ_TIMER_TICK MACHINE_TIMER_TICK_ID
#define IRQ_FINISHED MACHINE_FINISHED_ID
#define IRQ_PRIVATE 1023 /* no core has a line of its own that Linux hands on */
#define IRQ_SHARED_LOW MACHINE_SHARED_0_FIRST
#define IRQ_SHARED_HIGH MACHINE_SHARED_1_FIRST
#define IRQ_SHARED_ROW MACHINE_SHARED_0_COUNT

enum irq_sense { IRQ_BY_LEVEL = 0, IRQ_BY_EDGE = 1 };

static inline void irq_init_distributor(void) {}
static inline void irq_init_core(void) {}
void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger);

/* Enabling forgets what came before. */
void irq_enable(unsigned id);
void irq_disable(unsigned id);
static inline void irq_disable_here(unsigned id) { irq_disable(id); }
bool irq_is_enabled(unsigned id);
bool irq_is_pending(unsigned id);
void irq_clear_pending(unsigned id);

/* Enabled and pending, the measured one before the end of a batch; IRQ_ID_MASK: none. */
unsigned irq_highest(void);

/* Blocks in the read of the line's UIO device, or polls it without sleep, until the interrupt is
 * taken (true) or that of the end of a batch (false), which must be enabled. */
bool irq_wait(unsigned id, bool spin);

/* Takes a pending interrupt by one read of its device; lets Linux hand the next one on. */
void irq_take(unsigned id);
void irq_rearm(unsigned id);

uint8_t irq_priority(uintptr_t id);
enum irq_sense irq_trigger(unsigned id);
static inline uint8_t irq_targets(uintptr_t id) {
    (void)id;
    return 1;
}
static inline uint32_t irq_bit(unsigned id) { return UINT32_C(1) << (id % 32); }
/* Nothing waits by a register of a controller. */
static inline volatile uint32_t *irq_pending_register(unsigned id) {
    (void)id;
    return NULL;
}

/* The inputs of the controller are the kernel's. */
static inline bool irq_private_raw(void) { return false; }
static inline uint16_t irq_shared_levels(void) { return 0; }

#endif
