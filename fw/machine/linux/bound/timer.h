/* Nanoseconds of CLOCK_MONOTONIC_RAW. */
#ifndef MACHINE_LINUX_BOUND_TIMER_H
#define MACHINE_LINUX_BOUND_TIMER_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t timer_compare; /* UINT64_MAX: stopped */

uint64_t timer_now(void);
static inline uint64_t timer_due(void) { return timer_compare; }
static inline bool timer_is_due(void) { return timer_now() >= timer_compare; }
static inline void timer_set_due(uint64_t count) { timer_compare = count; }
static inline void timer_start(uint64_t due) { timer_compare = due; }
static inline void timer_stop(void) { timer_compare = UINT64_MAX; }

#endif
