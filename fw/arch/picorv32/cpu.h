/* The processor itself: one hart of PicoRV32. It has no CSRs and no modes; its interrupts are a
 * mask, and instructions of its own (instructions.inc). */
#ifndef ARCH_PICORV32_CPU_H
#define ARCH_PICORV32_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/picorv32/vectors.h"

/* Accesses are in order, and one hart sees its own. */
static inline void dsb(void) { __asm__ volatile("" : : : "memory"); }
static inline void isb(void) { __asm__ volatile("" : : : "memory"); }

/* Sleeps until an interrupt is pending, masked or not, enabled or not. */
static inline void wait_for_interrupt(void) {
    __asm__ volatile(".insn r 0x0B, 0, 4, x0, x0, x0" : : : "memory");
}

/* Nothing is translated. */
static inline void tlb_invalidate(void) {}

/* Assembly: the first operand becomes its quotient by the second, unsigned. */
#define CPU_DIVIDE "divu %0, %0, %1"

/* Puts a mask in force, and gives the one before it. */
static inline uint32_t exchange_mask(uint32_t mask) {
    uint32_t before;
    __asm__ volatile(".insn r 0x0B, 0, 3, %0, %1, x0" : "=r"(before) : "r"(mask) : "memory");
    return before;
}

/* The mask while interrupts are not masked. */
extern uint32_t cpu_irq_mask;

/* The mask in force: it can be read only by putting another in its place. */
static inline uint32_t mask_in_force(void) {
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
static inline bool interrupts_are_masked(void) { return (mask_in_force() & IRQ_MASKED) != 0; }

/* There are none. */
static inline void system_errors_unmask(void) {}

static inline unsigned cpu_number(void) { return 0; }
static inline unsigned cpu_exception_level(void) { return 3; } /* the only one */

/* There are no caches. */
#define CACHES_ARE_ON() false

/* The path in force: where the jump goes that stands where interrupts arrive (entry.S). JAL, with
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

/* An exception that nobody expects: it is reported as a fault. */
#define FAULT() __asm__ volatile("ebreak")

/* Words for the path from interrupt to handler: an ID and a pointer. */
extern uint32_t cpu_core_word;
extern void *cpu_core_pointer;
static inline uint32_t core_word(void) { return cpu_core_word; }
static inline void set_core_word(uint64_t word) { cpu_core_word = (uint32_t)word; }
static inline void *core_pointer(void) { return cpu_core_pointer; }
static inline void set_core_pointer(void *to) { cpu_core_pointer = to; }

/* Handlers run on the stack of what they interrupt. */
static inline void set_interrupt_stack(uintptr_t top) { (void)top; }
static inline uintptr_t interrupt_stack(uintptr_t of_loop) { return of_loop; }

/* Where the interrupt that is handled returns to; elsewhere instead, with interrupts masked. A path
 * from the handler puts q0 back from its frame. */
#define CPU_FRAME_RETURN (68 / 4)
extern uint32_t *cpu_frame;
static inline uintptr_t interrupted_at(void) { return cpu_frame[CPU_FRAME_RETURN]; }
static inline void return_masked_to(uintptr_t address) {
    cpu_frame[CPU_FRAME_RETURN] = address;
    interrupts_mask();
}

#endif
