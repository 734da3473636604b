/* Clock of the four cores (UG1087, CRF_APB.ACPU_CTRL): the PLL's by DIVISOR0. */
#ifndef SOC_CLOCK_H
#define SOC_CLOCK_H

#include <stdint.h>

#include "soc/addresses.h"
#include "soc/mmio.h"

#define CLOCK_REGISTER (CRF_APB_BASE + 0x60)
#define CLOCK_DIVISOR_MAX 63

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
