/* Both are the system's single clock. */
#ifndef MACHINE_SOFT_BOUND_COUNTER_H
#define MACHINE_SOFT_BOUND_COUNTER_H

#include <stdint.h>

#include "bound/timer.h"
#include "description.h"

#define SYSTEM_COUNTER_HZ MACHINE_COUNTER_HZ

static inline uint64_t counter_cycles(void) { return timer_now(); }
static inline uint64_t counter_cycles_since(uint64_t start) { return timer_now() - start; }

#endif
