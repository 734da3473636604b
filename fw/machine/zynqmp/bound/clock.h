/* Clock of the four cores (UG1087, CRF_APB.ACPU_CTRL): the PLL's by DIVISOR0. */
#ifndef MACHINE_ZYNQMP_BOUND_CLOCK_H
#define MACHINE_ZYNQMP_BOUND_CLOCK_H

#include <stdint.h>

#include "bound/addresses.h"
#include "description.h"
#include "lib/mmio.h"

#define CLOCK_REGISTER (CRF_APB_BASE + 0x60)
#define CLOCK_DIVISOR_MAX MACHINE_CLOCK_DIVISOR_MOST

/* The PL clock and the system counter are divided from one PLL, by 6 and by 15 on every board: 5
 * ticks are 2 counts, and only the exact ratio holds for as long as a run lasts. */
#define CLOCK_RATIO_TICKS 5

/* The state at a stimulus depends on its time: the PL clock (250 MHz) and the APB clock (100
 * MHz) repeat their relation every 5 ticks; the DDR is refreshed every 7.8 us (JEDEC DDR4 below
 * 85 C). Both repeat after so many ticks. */
#define CLOCK_PHASE_TICKS 1950

/* For so long after arming no background interrupt comes (cases/parts/raising.c). The last round of
 * a warm-up is over by then. */
#define CLOCK_WARM_UP_US 0

/* The register's value for a divisor; all else stays. */
static inline uint32_t clock_value(uint32_t divisor) {
    return (mmio_read32(CLOCK_REGISTER) & ~(UINT32_C(0x3F) << 8)) | divisor << 8;
}

static inline uint32_t clock_divisor(void) { return mmio_read32(CLOCK_REGISTER) >> 8 & 0x3F; }

/* Returns when the clock has changed. */
static inline void clock_set(uint32_t value) {
    mmio_write32(CLOCK_REGISTER, value);
    (void)mmio_read32(CLOCK_REGISTER);
}

#endif
