/* The two clocks that software can read: the system counter, SYSTEM_COUNTER_HZ, and the core's own
 * cycles. */
#ifndef MACHINE_COUNTER_H
#define MACHINE_COUNTER_H

#include <stdint.h>

#include "bound/counter.h"

/* Starts the system counter. Once, by core 0: no loader need have done it. */
void counter_start_system(void);

/* Starts this core's cycle counter. It is still while the core sleeps in WFI. */
void counter_start_cycles(void);

/* The core's clock in Hz, measured against the system counter for 100 us; 0 if that is
 * still. */
uint32_t counter_measure_cpu_hz(void);

/* Cycles, and cycles since a reading, however few bits the counter has (bound/counter.h). */
static inline uint64_t counter_cycles(void);
static inline uint64_t counter_cycles_since(uint64_t start);

#endif
