/* Time and timer of the system: cycles of the one clock. */
#ifndef MACHINE_SOFT_BOUND_TIMER_H
#define MACHINE_SOFT_BOUND_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "bound/addresses.h"
#include "lib/mmio.h"

extern uint64_t timer_compare;

static inline uint64_t timer_now(void) {
    uint32_t low = mmio_read32(TIME_LOW);
    return (uint64_t)mmio_read32(TIME_HIGH) << 32 | low;
}

static inline bool timer_is_due(void) { return timer_now() >= timer_compare; }
static inline uint64_t timer_due(void) { return timer_compare; }

static inline void timer_set_due(uint64_t count) {
    timer_compare = count;
    mmio_write32(COMPARE_LOW, (uint32_t)count);
    mmio_write32(COMPARE_HIGH, (uint32_t)(count >> 32));
}

static inline void timer_start(uint64_t due) { timer_set_due(due); }
static inline void timer_stop(void) { timer_set_due(UINT64_MAX); }

#endif
