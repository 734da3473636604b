/* The timestamp generator that stamps what the STM traces (UG1087, module TSGEN: a counter as Arm's
 * generic timer describes it). Its clock is CRF_APB.DBG_TSTMP_CTRL's: 250 MHz by the ZCU102 preset.
 */
#ifndef MACHINE_ZYNQMP_TSGEN_H
#define MACHINE_ZYNQMP_TSGEN_H

#include <stdint.h>

#include "bound/addresses.h"
#include "machine/zynqmp/coresight.h"

#define TSGEN_CNTCR (TSGEN_BASE + 0x000)
#define TSGEN_CNTCVL (TSGEN_BASE + 0x008)
#define TSGEN_CNTCVU (TSGEN_BASE + 0x00C)
#define TSGEN_CNTCR_EN 1u

static inline void tsgen_start(void) {
    coresight_unlock(TSGEN_BASE);
    mmio_write32(TSGEN_CNTCR, TSGEN_CNTCR_EN);
}

/* Read high, low, high: it runs on. */
static inline uint64_t tsgen_now(void) {
    uint32_t high, low, again = mmio_read32(TSGEN_CNTCVU);
    do {
        high = again;
        low = mmio_read32(TSGEN_CNTCVL);
        again = mmio_read32(TSGEN_CNTCVU);
    } while (again != high);
    return (uint64_t)high << 32 | low;
}

#endif
