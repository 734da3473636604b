#include "machine/counter.h"

#include "bound/addresses.h"
#include "lib/mmio.h"

#define IOU_SCNTRS_CONTROL (IOU_SCNTRS_BASE + 0x00)
#define IOU_SCNTRS_FREQUENCY (IOU_SCNTRS_BASE + 0x20)

#define PMCR_ENABLE (UINT64_C(1) << 0)
#define PMCR_CYCLES_64BIT (UINT64_C(1) << 6)
#define PMCNTENSET_CYCLES (UINT64_C(1) << 31)

/* Some 0.9 s of 1.2 GHz: the system counter has counted by then, or is still. */
#define TIMEOUT_CYCLES (UINT64_C(1) << 30)

void counter_start_system(void) {
    mmio_write32(IOU_SCNTRS_FREQUENCY, SYSTEM_COUNTER_HZ);
    mmio_write32(IOU_SCNTRS_CONTROL, 1);
    WRITE_SYSREG(cntfrq_el0, SYSTEM_COUNTER_HZ);
}

void counter_start_cycles(void) {
    WRITE_SYSREG(pmccfiltr_el0, 0);
    WRITE_SYSREG(pmcr_el0, PMCR_ENABLE | PMCR_CYCLES_64BIT);
    WRITE_SYSREG(pmcntenset_el0, PMCNTENSET_CYCLES);
    isb();
}

static uint64_t system_counter(void) {
    isb();
    return READ_SYSREG(cntpct_el0);
}

uint32_t counter_measure_cpu_hz(void) {
    uint64_t start = system_counter();
    uint64_t first = counter_cycles();
    uint64_t stop;
    do {
        stop = system_counter();
        if (stop == start && counter_cycles() - first > TIMEOUT_CYCLES)
            return 0;
    } while (stop - start < SYSTEM_COUNTER_HZ / 10000);
    uint64_t cycles = counter_cycles() - first;
    return (uint32_t)(cycles * SYSTEM_COUNTER_HZ / (stop - start));
}
