#ifndef MACHINE_ZYNQMP_BOUND_COUNTER_H
#define MACHINE_ZYNQMP_BOUND_COUNTER_H

#include "bound/cpu.h"

/* Hz by the ZCU102 preset (psu_init). Other boards have other crystals, 100 ppm more at most: the
 * host takes the rate from the PL clock, of which the gateware knows (machines/zynqmp.toml,
 * counter). */
#define SYSTEM_COUNTER_HZ 99990008

static inline uint64_t counter_cycles(void) {
    isb();
    return READ_SYSREG(pmccntr_el0);
}

static inline uint64_t counter_cycles_since(uint64_t start) { return counter_cycles() - start; }

#endif
