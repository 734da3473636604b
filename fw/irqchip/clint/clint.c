#include "irqchip/clint/clint.h"

static uint8_t priorities[IRQ_IDS];

void irq_init_distributor(void) {
    WRITE_CSR(mie, 0);
    mmio_write32(IRQ_LOWER, UINT32_MAX);
}

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger) {
    (void)targets;
    (void)trigger;
    priorities[id] = priority;
}

uint8_t irq_priority(uintptr_t id) { return priorities[id]; }
