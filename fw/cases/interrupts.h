/* Where an interrupt comes from, and which of the gateware's outputs drives it. */
#ifndef CASES_INTERRUPTS_H
#define CASES_INTERRUPTS_H

#include <stdbool.h>

#include "machine/irq.h"

/* A core raises it; any other comes from the PL. */
static inline bool interrupt_is_software(unsigned id) { return id < IRQ_FIRST_PRIVATE; }

static inline bool interrupt_is_shared(unsigned id) {
    return (id >= IRQ_SHARED_LOW && id < IRQ_SHARED_LOW + IRQ_SHARED_ROW) ||
           (id >= IRQ_SHARED_HIGH && id < IRQ_FINISHED);
}

/* A mask with the bit of the output that drives a shared interrupt, as the gateware counts its
 * outputs. */
static inline unsigned interrupt_output(unsigned id) {
    return 1u << (id < IRQ_SHARED_HIGH ? id - IRQ_SHARED_LOW
                                       : id - IRQ_SHARED_HIGH + IRQ_SHARED_ROW);
}

#endif
