/* The processor itself: one hart of PicoRV32. It has no CSRs and no modes; its interrupts are a
 * mask, and instructions of its own (instructions.inc). */
#ifndef ARCH_PICORV32_CPU_H
#define ARCH_PICORV32_CPU_H

#include "arch/picorv32/vectors.h"
#include "bound/hart.h"

/* Sleeps until an interrupt is pending, masked or not, enabled or not. */
static inline void wait_for_interrupt(void) {
    __asm__ volatile(".insn r 0x0B, 0, 4, x0, x0, x0" : : : "memory");
}

/* It remembers no branch. */
static inline void branches_forget(void) {}

/* Sets a mask, and gives the one before it. */
static inline uint32_t exchange_mask(uint32_t mask) {
    uint32_t before;
    __asm__ volatile(".insn r 0x0B, 0, 3, %0, %1, x0" : "=r"(before) : "r"(mask) : "memory");
    return before;
}

/* The mask while interrupts are not masked. */
extern uint32_t cpu_irq_mask;

/* The mask: it can be read only by putting another in its place. */
static inline uint32_t current_mask(void) {
    uint32_t mask = exchange_mask(IRQ_MASK_ALL);
    exchange_mask(mask);
    return mask;
}

/* Called when cpu_irq_mask has changed. */
static inline void mask_anew(void) {
    if ((exchange_mask(IRQ_MASK_ALL) & IRQ_MASKED) == 0)
        exchange_mask(cpu_irq_mask);
}

static inline void interrupts_mask(void) { exchange_mask(IRQ_MASK_ALL); }
static inline void interrupts_unmask(void) { exchange_mask(cpu_irq_mask); }
static inline bool interrupts_are_masked(void) { return (current_mask() & IRQ_MASKED) != 0; }

/* The active path: where the jump goes that is where interrupts arrive (entry.S). JAL, with
 * the distance in bits 31, 19:12, 20 and 30:21. */
extern volatile uint32_t irq_vector;

static inline uintptr_t vectors(void) {
    uint32_t jump = irq_vector;
    uint32_t negative = jump >> 31;
    return (uintptr_t)&irq_vector + ((0u - negative) << 20 | (jump & 0xFF000) |
                                     (jump >> 20 & 1) << 11 | (jump >> 21 & 0x3FF) << 1);
}

static inline void set_vectors(uintptr_t path) {
    uint32_t distance = (uint32_t)(path - (uintptr_t)&irq_vector);
    irq_vector = (distance >> 20 & 1) << 31 | (distance >> 1 & 0x3FF) << 21 |
                 (distance >> 11 & 1) << 20 | (distance & 0xFF000) | 0x6F;
}

/* A path from the handler puts q0, where the interrupt returns to, back from its frame. */
#define CPU_FRAME_RETURN (68 / 4)

/* The address to which the handled interrupt returns. */
static inline uintptr_t interrupted_at(void) { return cpu_frame[CPU_FRAME_RETURN]; }

/* Makes the handled interrupt return elsewhere, with interrupts masked. */
static inline void return_masked_to(uintptr_t address) {
    cpu_frame[CPU_FRAME_RETURN] = address;
    interrupts_mask();
}

#endif
