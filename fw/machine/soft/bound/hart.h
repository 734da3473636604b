/* Common properties of all soft cores: one hart, one mode, no caches, no translation,
 * and words in memory where others have registers of the system. */
#ifndef MACHINE_SOFT_BOUND_HART_H
#define MACHINE_SOFT_BOUND_HART_H

#include <stdbool.h>
#include <stdint.h>

/* Accesses are in order, and a hart sees its own: barriers have nothing to do. */
static inline void dsb(void) { __asm__ volatile("" : : : "memory"); }
static inline void isb(void) { __asm__ volatile("" : : : "memory"); }

/* Nothing is translated. */
static inline void tlb_invalidate(void) {}

#ifdef __riscv_div
/* Assembly: the first operand becomes its quotient by the second, unsigned. */
#define CPU_DIVIDE "divu %0, %0, %1"
#endif

/* There are none. */
static inline void system_errors_unmask(void) {}

static inline unsigned cpu_number(void) { return 0; }
static inline unsigned cpu_exception_level(void) { return 3; } /* machine mode */

/* There are no caches. */
#define CACHES_ARE_ON() false

/* An exception that nobody expects: it is reported as a fault. */
#define FAULT() __asm__ volatile("ebreak")

/* Words for the path from interrupt to handler: an ID and a pointer. */
extern uint32_t cpu_core_word;
extern void *cpu_core_pointer;
static inline uint32_t core_word(void) { return cpu_core_word; }
static inline void set_core_word(uint64_t word) { cpu_core_word = (uint32_t)word; }
static inline void *core_pointer(void) { return cpu_core_pointer; }
static inline void set_core_pointer(void *to) { cpu_core_pointer = to; }

/* Handlers run on the call stack of the interrupted code. */
static inline void set_interrupt_call_stack(uintptr_t top) { (void)top; }
static inline uintptr_t interrupt_call_stack(uintptr_t of_loop) { return of_loop; }

/* Registers of the interrupted code, as saved by the path to the handler. */
extern uint32_t *cpu_frame;

#endif
