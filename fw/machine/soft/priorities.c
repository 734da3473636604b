/* For controllers whose core has the priorities: those that are set are kept and told, and decide
 * nothing. */
#include "machine/irq.h"

static uint8_t priorities[IRQ_IDS];

void irq_configure(unsigned id, uint8_t priority, uint8_t targets, enum irq_sense trigger) {
    (void)targets;
    (void)trigger;
    priorities[id] = priority;
}

uint8_t irq_priority(uintptr_t id) { return priorities[id]; }
