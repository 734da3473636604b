#include "machine/counter.h"

#include "bound/timer.h"
#include "machine/zynq7000/slcr.h"

#define PMCR_ENABLE 1u
#define PMCR_RESET_CYCLES 4u
#define PMCNTENSET_CYCLES (1u << 31)

/* Some 0.8 s of 667 MHz: the global timer has counted by then, or is still. */
#define TIMEOUT_CYCLES (1u << 29)

static uint32_t hz;

uint32_t counter_hz(void) { return hz; }

/* The crystal by the IO PLL, the cores' clock by the ARM PLL and its divisor, and half of that. */
static uint32_t by_registers(void) {
    uint32_t io = slcr_feedback(SLCR_IO_PLL_CTRL);
    uint32_t divisor = mmio_read32(SLCR_ARM_CLK_CTRL) >> 8 & 0x3F;
    if (io == 0 || divisor == 0)
        return 0;
    uint64_t pll = (uint64_t)IO_PLL_HZ * slcr_feedback(SLCR_ARM_PLL_CTRL);
    return (uint32_t)(pll / (2 * io * divisor));
}

/* No prescaler. */
void counter_start_system(void) {
    hz = by_registers();
    mmio_write32(TIMER_CONTROL, TIMER_ENABLE);
}

void counter_start_cycles(void) {
    WRITE_CP15(0, c9, c12, 0, PMCR_ENABLE | PMCR_RESET_CYCLES);
    WRITE_CP15(0, c9, c12, 1, PMCNTENSET_CYCLES);
    isb();
}

uint32_t counter_measure_cpu_hz(void) {
    uint64_t start = timer_now();
    uint64_t first = counter_cycles();
    uint64_t stop;
    do {
        stop = timer_now();
        if (stop == start && counter_cycles_since(first) > TIMEOUT_CYCLES)
            return 0;
    } while (stop - start < SYSTEM_COUNTER_HZ / 10000);
    uint64_t cycles = counter_cycles_since(first);
    return stop == start ? 0 : (uint32_t)(cycles * SYSTEM_COUNTER_HZ / (stop - start));
}
