/* The thread that is measured. Its interrupts are those of the lines that Linux hands on; they
 * count as masked but for the moments in which the thread asks for them. */
#ifndef MACHINE_LINUX_BOUND_CPU_H
#define MACHINE_LINUX_BOUND_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/addresses.h"

static inline void dsb(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void isb(void) {}
static inline void tlb_invalidate(void) {}
static inline void branches_forget(void) {}
static inline void system_errors_unmask(void) {}

static inline unsigned cpu_number(void) { return 0; }
static inline unsigned cpu_exception_level(void) { return 0; } /* user space */

/* Linux keeps the caches on. */
#define CACHES_ARE_ON() true
#define CACHES_STAY_ON 1

static inline void interrupts_mask(void) {}
static inline bool interrupts_are_masked(void) { return true; }

/* Takes what is pending by the stack's handler (cpu_set_handler), then returns. */
void interrupts_unmask(void);
void cpu_set_handler(void (*handler)(unsigned id));

/* Sleeps until an enabled interrupt is pending or the timer is due; it may return sooner. */
void wait_for_interrupt(void);

#endif
