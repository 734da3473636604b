#include "irqchip/picorv32/picorv32.h"

static uint32_t kept = IRQ_NONE_ENABLED; /* the mask, while no interrupt is passed to the core */

uint32_t cpu_irq_mask = IRQ_NONE_ENABLED;

void irq_init_distributor(void) {
    cpu_irq_mask = kept = IRQ_NONE_ENABLED;
    interrupts_mask();
    mmio_write32(IRQ_LOWER, UINT32_MAX);
}

void irq_signal(bool on) {
    if (on) {
        cpu_irq_mask &= kept;
        kept = IRQ_NONE_ENABLED;
    } else {
        kept &= cpu_irq_mask;
        cpu_irq_mask = IRQ_NONE_ENABLED;
    }
    mask_anew();
}

/* The largest ID comes first, as on the path to the handler. */
unsigned irq_highest(void) {
    uint32_t pending = mmio_read32(IRQ_RAISE) & ~cpu_irq_mask & IRQ_NONE_ENABLED;
    return pending == 0 ? IRQ_FIRST_SPECIAL : 31u - (unsigned)__builtin_clz(pending);
}
