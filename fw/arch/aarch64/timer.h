/* The secure physical timer of this core (CNTPS), interrupt IRQ_TIMER_TICK: its level is high from
 * the count at which it is due until that is set again or the timer is stopped. */
#ifndef ARCH_AARCH64_TIMER_H
#define ARCH_AARCH64_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/cpu.h"

static inline uint64_t timer_now(void) {
    isb();
    return READ_SYSREG(cntpct_el0);
}

static inline bool timer_is_due(void) {
    isb();
    return READ_SYSREG(cntps_ctl_el1) >> 2 & 1;
}

static inline uint64_t timer_due(void) { return READ_SYSREG(cntps_cval_el1); }

/* Returns when the interrupt's level has followed. */
static inline void timer_set_due(uint64_t count) {
    WRITE_SYSREG(cntps_cval_el1, count);
    isb();
    dsb();
}

static inline void timer_start(uint64_t due) {
    timer_set_due(due);
    WRITE_SYSREG(cntps_ctl_el1, 1);
    isb();
}

static inline void timer_stop(void) {
    WRITE_SYSREG(cntps_ctl_el1, 0);
    isb();
}

#endif
