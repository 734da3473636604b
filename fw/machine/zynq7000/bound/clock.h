/* Clock of the cores: one divisor serves cores, timers, interrupt controller and GPIO (UG585,
 * ARM_CLK_CTRL), so it is not changed. */
#ifndef MACHINE_ZYNQ7000_BOUND_CLOCK_H
#define MACHINE_ZYNQ7000_BOUND_CLOCK_H

#include <stdint.h>

#include "description.h"

#define CLOCK_REGISTER 0
#define CLOCK_DIVISOR_MAX MACHINE_CLOCK_DIVISOR_MOST

/* The PL clock and the system counter come from one crystal: 3 ticks are 8 counts on a ZedBoard, 5
 * ticks 13 on a PYNQ-Z2. Only the exact ratio holds for as long as a run lasts. */
#define CLOCK_RATIO_TICKS 15

/* The state at a stimulus depends on its time: the PL clock (125 MHz) and the APB clock repeat
 * their relation every 9 ticks on a ZedBoard, every 15 on a PYNQ-Z2; the DDR is refreshed every
 * 7.74 us (967.5 ticks, ps7_init). All repeat after so many ticks. */
#define CLOCK_PHASE_TICKS 1935

/* For so long after arming no background interrupt comes (cases/parts/raising.c). It is half of the
 * 50000 ticks that are left for the last round of a warm-up. */
#define CLOCK_WARM_UP_US 200

static inline uint32_t clock_value(uint32_t divisor) { return divisor; }
static inline uint32_t clock_divisor(void) { return 1; }
static inline void clock_set(uint32_t value) { (void)value; }

#endif
