#include "irqchip/clint/clint.h"

static uint32_t enabled; /* while no interrupt is passed to the core */

void irq_init_distributor(void) {
    WRITE_CSR(mie, 0);
    enabled = 0;
    mmio_write32(IRQ_LOWER, UINT32_MAX);
}

void irq_signal(bool on) {
    if (on) {
        SET_CSR(mie, enabled);
        enabled = 0;
    } else {
        enabled |= READ_CSR(mie);
        WRITE_CSR(mie, 0);
    }
}

/* The order of the core: it takes the external and the software interrupt before the timer, and
 * among the rest a larger ID before a smaller one. */
unsigned irq_highest(void) {
    uint32_t pending = mmio_read32(IRQ_RAISE) & READ_CSR(mie);
    return pending == 0 ? IRQ_FIRST_SPECIAL : 31u - (unsigned)__builtin_clz(pending);
}
