#ifndef MACHINE_ZYNQ7000_BOUND_COUNTER_H
#define MACHINE_ZYNQ7000_BOUND_COUNTER_H

#include "bound/cpu.h"

/* Hz of the global timer, by the registers of the clocks: half of the cores' clock. */
#define SYSTEM_COUNTER_HZ counter_hz()
uint32_t counter_hz(void);

/* PMCCNTR: 32 bits, 6 s. */
static inline uint64_t counter_cycles(void) {
    isb();
    return READ_CP15(0, c9, c13, 0);
}

static inline uint64_t counter_cycles_since(uint64_t start) {
    return (uint32_t)(counter_cycles() - start);
}

#endif
