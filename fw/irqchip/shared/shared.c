#include "irqchip/shared/shared.h"

uint32_t irq_enabled;
static uint32_t held; /* while no interrupt is passed to the core */

/* Of the core's causes only one has an input. */
void irq_init_distributor(void) {
    irq_set_enabled(0);
    held = 0;
    mmio_write32(IRQ_LOWER, UINT32_MAX);
    WRITE_CSR(mie, UINT32_MAX);
}

void irq_signal(bool on) {
    if (on) {
        irq_set_enabled(irq_enabled | held);
        held = 0;
    } else {
        held |= irq_enabled;
        irq_set_enabled(0);
    }
}

unsigned irq_highest(void) {
    uint32_t pending = mmio_read32(IRQ_SHARED);
    return pending == 0 ? IRQ_FIRST_SPECIAL : 31u - (unsigned)__builtin_clz(pending);
}
