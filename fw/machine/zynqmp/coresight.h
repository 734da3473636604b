/* What all CoreSight components share: the lock and the identification (Arm IHI 0029). */
#ifndef MACHINE_ZYNQMP_CORESIGHT_H
#define MACHINE_ZYNQMP_CORESIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/mmio.h"

#define CORESIGHT_LAR 0xFB0
#define CORESIGHT_KEY 0xC5ACCE55u
#define CORESIGHT_PIDR0 0xFE0
#define CORESIGHT_PIDR1 0xFE4

/* Reads of a register until it has the state that is waited for; some 10 ms on a ZynqMP. */
#define CORESIGHT_TIMEOUT 50000

/* From now on the component takes writes. */
static inline void coresight_unlock(uintptr_t base) {
    mmio_write32(base + CORESIGHT_LAR, CORESIGHT_KEY);
}

/* Part number, as its maker gave it. */
static inline uint16_t coresight_part(uintptr_t base) {
    uint32_t low = mmio_read32(base + CORESIGHT_PIDR0) & 0xFF;
    uint32_t high = mmio_read32(base + CORESIGHT_PIDR1) & 0xF;
    return (uint16_t)(high << 8 | low);
}

/* False: the bits never took that value. */
static inline bool coresight_wait(uintptr_t address, uint32_t bits, uint32_t value) {
    for (unsigned reads = 0; reads < CORESIGHT_TIMEOUT; reads++)
        if ((mmio_read32(address) & bits) == value)
            return true;
    return false;
}

#endif
