#ifndef MACHINE_ZYNQMP_BOUND_COUNTER_H
#define MACHINE_ZYNQMP_BOUND_COUNTER_H

#include "bound/cpu.h"

/* Hz that the system counter is set to: 99.99 MHz of the ZCU102 preset (psu_init). */
#define SYSTEM_COUNTER_HZ 99990008

static inline uint64_t counter_cycles(void) {
    isb();
    return READ_SYSREG(pmccntr_el0);
}

static inline uint64_t counter_cycles_since(uint64_t start) { return counter_cycles() - start; }

#endif
