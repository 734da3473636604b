#include "machine/zynq/smp.h"

#include <stdint.h>

#include "bound/addresses.h"
#include "lib/mmio.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/start.h"
#include "machine/timer.h"

#define RST_FPD_APU (CRF_APB_BASE + 0x104)
#define APU_L2_RESET (1u << 8)
#define ACPU_RESET(core) (1u << (core))
#define ACPU_POWER_ON_RESET(core) (1u << (10 + (core)))

#define APU_CONFIG_0 (APU_BASE + 0x20)
#define AA64(core) (1u << (core))
#define APU_RVBARADDR_LOW(core) (APU_BASE + 0x40 + 8 * (core))
#define APU_RVBARADDR_HIGH(core) (APU_BASE + 0x44 + 8 * (core))

/* A core that is to lose its power at its next WFI. */
#define APU_PWRCTL (APU_BASE + 0x90)
#define POWER_DOWN_REQUEST(core) (1u << (core))

#define PWR_STATE (PMU_GLOBAL_BASE + 0x100)
#define REQ_PWRUP_STATUS (PMU_GLOBAL_BASE + 0x110)
#define REQ_PWRUP_INT_EN (PMU_GLOBAL_BASE + 0x118)
#define REQ_PWRUP_TRIG (PMU_GLOBAL_BASE + 0x120)
#define POWERED(core) (1u << (core))

extern const char _start[];

static void (*start_function[CORES])(void);

/* A system that put its cores to sleep (UG1085, "Direct Power Down") leaves them without power, and
 * the PMU keeps that over a system reset (UG1087, LOC_PWR_STATE). The PMU's ROM serves the request,
 * as it does for the FSBL (embeddedsw, XFsbl_PowerUpIsland); one that it does not serve within 10
 * ms shows by a core that does not start. */
static void power_up(unsigned core) {
    mmio_write32(APU_PWRCTL, mmio_read32(APU_PWRCTL) & ~POWER_DOWN_REQUEST(core));
    if (mmio_read32(PWR_STATE) & POWERED(core))
        return;
    mmio_write32(REQ_PWRUP_INT_EN, POWERED(core));
    mmio_write32(REQ_PWRUP_TRIG, POWERED(core));
    uint64_t give_up = timer_now() + SYSTEM_COUNTER_HZ / 100;
    while ((mmio_read32(REQ_PWRUP_STATUS) & POWERED(core)) != 0 && timer_now() < give_up) {
    }
}

void smp_start(unsigned core, void (*function)(void)) {
    start_function[core] = function;
    /* The core starts with its caches off: its data must be in memory. */
    __asm__ volatile("dc civac, %0" : : "r"(&start_function[core]) : "memory");
    dsb();
    power_up(core);
    mmio_write32(APU_RVBARADDR_LOW(core), (uint32_t)(uintptr_t)_start);
    mmio_write32(APU_RVBARADDR_HIGH(core), (uint32_t)((uintptr_t)_start >> 32));
    mmio_write32(APU_CONFIG_0, mmio_read32(APU_CONFIG_0) | AA64(core));
    uint32_t resets = APU_L2_RESET | ACPU_RESET(core) | ACPU_POWER_ON_RESET(core);
    mmio_write32(RST_FPD_APU, mmio_read32(RST_FPD_APU) & ~resets);
}

void secondary_main(void) { start_function[cpu_number()](); }
