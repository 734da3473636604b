/* The way from the vector to a handler, in the shape of the BSP (embeddedsw,
 * lib/bsp/standalone/src/arm/common, vectors.c) and of its driver of the interrupt controller
 * (XilinxProcessorIPLib/drivers/scugic/src, xscugic_intr.c), whose function the application
 * registers. The driver asserts its argument, reads IAR at an address of its configuration,
 * compares the ID with the size of its table, calls the entry with its registered argument, and
 * ends the interrupt. */
#include "machine/marker.h"
#include "stacks/standalone/standalone.h"

struct table_entry standalone_exceptions[EXCEPTIONS];
struct controller_configuration standalone_configuration;
struct controller standalone_controller;
uint32_t standalone_assertion;

void standalone_interrupt(void) {
    standalone_exceptions[EXCEPTION_IRQ].handler(standalone_exceptions[EXCEPTION_IRQ].argument);
}

static volatile uint32_t *interface_register(const struct controller *controller,
                                             uintptr_t offset) {
    return (volatile uint32_t *)(controller->configuration->cpu_interface + offset);
}

/* IAR named no interrupt: the vendor's driver still ends it, and the controller ignores that. */
static __attribute__((noinline)) void note_spurious(void) {
    standalone_core.stack.spurious++;
    if (standalone_core.stages)
        marker_skip_second();
}

void standalone_acknowledge(void *argument) {
    const struct controller *controller = argument;
    if (controller == NULL) {
        standalone_assertion = 1;
        return;
    }
    standalone_assertion = 0;
    uint32_t iar = *interface_register(controller, offsetof(struct gicc, iar));
    uint32_t id = iar & IRQ_ID_MASK;
    if (id < TABLE_IDS) {
        const struct table_entry *entry = &controller->configuration->handlers[id];
        entry->handler(entry->argument);
    } else {
        note_spurious();
    }
    *interface_register(controller, offsetof(struct gicc, eoir)) = iar;
}
