#include "soc/smp.h"

#include <stdint.h>

#include "boot/main.h"
#include "soc/addresses.h"
#include "soc/cpu.h"
#include "soc/mmio.h"

#define RST_FPD_APU (CRF_APB_BASE + 0x104)
#define APU_L2_RESET (1u << 8)
#define ACPU_RESET(core) (1u << (core))
#define ACPU_POWER_ON_RESET(core) (1u << (10 + (core)))

#define APU_CONFIG_0 (APU_BASE + 0x20)
#define AA64(core) (1u << (core))
#define APU_RVBARADDR_LOW(core) (APU_BASE + 0x40 + 8 * (core))
#define APU_RVBARADDR_HIGH(core) (APU_BASE + 0x44 + 8 * (core))

extern const char _start[];

static void (*start_function[CORES])(void);

void smp_start(unsigned core, void (*function)(void)) {
    start_function[core] = function;
    /* The core comes up with its caches off: what it reads must be in memory. */
    __asm__ volatile("dc civac, %0" : : "r"(&start_function[core]) : "memory");
    dsb();
    mmio_write32(APU_RVBARADDR_LOW(core), (uint32_t)(uintptr_t)_start);
    mmio_write32(APU_RVBARADDR_HIGH(core), (uint32_t)((uintptr_t)_start >> 32));
    mmio_write32(APU_CONFIG_0, mmio_read32(APU_CONFIG_0) | AA64(core));
    uint32_t resets = APU_L2_RESET | ACPU_RESET(core) | ACPU_POWER_ON_RESET(core);
    mmio_write32(RST_FPD_APU, mmio_read32(RST_FPD_APU) & ~resets);
}

void secondary_main(void) { start_function[cpu_number()](); }
