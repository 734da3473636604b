#include "irqchip/clic/clic.h"

#define CLIC_CONFIGURATION CLIC_BASE /* cliccfg: nlbits from bit 1 on */
#define MINTTHRESH 0x347

/* A larger control is more urgent; the upper bit, the level, is 0 in all. */
#define CONTROL_OF(priority) ((uint8_t)((IRQ_PRIORITY_NEVER - (priority)) >> CLIC_LEVEL_BITS))

void irq_init_distributor(void) {
    mmio_write32(IRQ_LOWER, UINT32_MAX);
    mmio_write32(CLIC_CONFIGURATION, CLIC_LEVEL_BITS << 1);
    for (unsigned id = 0; id < IRQ_IDS; id++)
        mmio_write32(CLIC_INTERRUPT(id), 0);
    __asm__ volatile("csrw %0, zero" : : "i"(MINTTHRESH));
}

void irq_signal(bool on) {
    __asm__ volatile("csrw %0, %1" : : "i"(MINTTHRESH), "r"(on ? 0 : 0xFF));
}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger) {
    (void)targets;
    *clic_byte(id, CLIC_ATTRIBUTES) =
        (uint8_t)((path_vectored ? CLIC_VECTORED : 0) | (trigger == IRQ_BY_EDGE ? CLIC_EDGE : 0));
    *clic_byte(id, CLIC_CONTROL) = CONTROL_OF(priority);
}

uint8_t irq_priority(uintptr_t id) {
    unsigned control = *clic_byte((unsigned)id, CLIC_CONTROL);
    return (uint8_t)(IRQ_PRIORITY_NEVER - (control << CLIC_LEVEL_BITS));
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
