/* The two clocks that software can read: the system counter (10 ns) and the core's own cycles. */
#ifndef MACHINE_COUNTER_H
#define MACHINE_COUNTER_H

#include <stdint.h>

#include "machine/cpu.h"

/* Hz that the system counter is set to: 99.99 MHz of the ZCU102 preset (psu_init). */
#define SYSTEM_COUNTER_HZ 99990008

/* Starts the system counter. Once, by core 0: no loader need have done it. */
void counter_start_system(void);

/* Starts this core's cycle counter. It stands still while the core sleeps in WFI. */
void counter_start_cycles(void);

/* The core's clock in Hz, measured against the system counter for 100 us; 0: that stands still. */
uint32_t counter_measure_cpu_hz(void);

static inline uint64_t counter_cycles(void) {
    isb();
    return READ_SYSREG(pmccntr_el0);
}

#endif
