/* CLOCK_MONOTONIC_RAW stands for both clocks: user space may not read the core's cycle counter. */
#ifndef MACHINE_LINUX_BOUND_COUNTER_H
#define MACHINE_LINUX_BOUND_COUNTER_H

#include <stdint.h>

#include "bound/timer.h"

#define SYSTEM_COUNTER_HZ UINT64_C(1000000000)

static inline uint64_t counter_cycles(void) { return timer_now(); }
static inline uint64_t counter_cycles_since(uint64_t start) { return timer_now() - start; }

#endif
