/* Linux chooses the cores' clock: nothing here divides it. */
#ifndef MACHINE_LINUX_BOUND_CLOCK_H
#define MACHINE_LINUX_BOUND_CLOCK_H

#include <stdint.h>

#define CLOCK_REGISTER 0
#define CLOCK_DIVISOR_MAX 1
#define CLOCK_RATIO_TICKS 1000 /* the counter's own crystal: a ratio to four digits */
#define CLOCK_PHASE_TICKS 1    /* nobody knows a phase of the kernel's */
#define CLOCK_WARM_UP_US 0

static inline uint32_t clock_value(uint32_t divisor) { return divisor; }
static inline uint32_t clock_divisor(void) { return 1; }
static inline void clock_set(uint32_t value) { (void)value; }

#endif
