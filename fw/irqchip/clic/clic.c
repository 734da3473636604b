#include "irqchip/clic/clic.h"

#define CLIC_CONFIGURATION CLIC_BASE /* cliccfg: nlbits from bit 1 on */
#define MINTTHRESH 0x347

/* A larger control is more urgent. It is a level as a whole, or its upper bit alone, 0 in all. */
static unsigned level_bits(void) { return path_nests ? 8 : 1; }
static unsigned below_level(void) { return path_nests ? 0 : 1; }

static uint32_t enabled; /* while no interrupt is passed to the core */

void irq_init_distributor(void) {
    enabled = 0;
    mmio_write32(IRQ_LOWER, UINT32_MAX);
    mmio_write32(CLIC_CONFIGURATION, level_bits() << 1);
    for (unsigned id = 0; id < IRQ_IDS; id++)
        mmio_write32(CLIC_INTERRUPT(id), 0);
    __asm__ volatile("csrw %0, zero" : : "i"(MINTTHRESH));
}

/* Not by the threshold, which would pass on interrupts that are enabled later. */
void irq_signal(bool on) {
    for (unsigned id = 0; id < IRQ_IDS; id++) {
        if (on && (enabled & irq_bit(id)) != 0)
            irq_enable(id);
        if (!on && irq_is_enabled(id)) {
            enabled |= irq_bit(id);
            irq_disable(id);
        }
    }
    if (on)
        enabled = 0;
}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger) {
    (void)targets;
    *clic_byte(id, CLIC_ATTRIBUTES) =
        (uint8_t)((path_vectored ? CLIC_VECTORED : 0) | (trigger == IRQ_BY_EDGE ? CLIC_EDGE : 0));
    *clic_byte(id, CLIC_CONTROL) = (uint8_t)((IRQ_PRIORITY_NEVER - priority) >> below_level());
}

uint8_t irq_priority(uintptr_t id) {
    unsigned control = *clic_byte((unsigned)id, CLIC_CONTROL);
    return (uint8_t)(IRQ_PRIORITY_NEVER - (control << below_level()));
}

unsigned irq_highest(void) {
    unsigned found = IRQ_FIRST_SPECIAL;
    uint8_t highest = 0;
    for (unsigned id = 0; id < IRQ_IDS; id++) {
        uint8_t control = *clic_byte(id, CLIC_CONTROL);
        if (irq_is_pending(id) && irq_is_enabled(id) && control >= highest) {
            found = id;
            highest = control;
        }
    }
    return found;
}
