/* The PL390 beside the cores, and what is connected to it. */
#ifndef MACHINE_ZYNQ7000_BOUND_IRQ_H
#define MACHINE_ZYNQ7000_BOUND_IRQ_H

#include "machine/zynq/irq.h"

#define IRQ_LINK MACHINE_LINK_ID

/* Whether there is such a one. */
static inline bool irq_exists(unsigned id) {
    static const uint32_t existing[] = {MACHINE_EXISTING_IDS};
    return (existing[id / 32] >> (id % 32) & 1) != 0;
}

#endif
