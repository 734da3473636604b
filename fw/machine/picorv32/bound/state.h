#ifndef MACHINE_PICORV32_BOUND_STATE_H
#define MACHINE_PICORV32_BOUND_STATE_H

#include <stdint.h>

#include "bound/counter.h"
#include "bound/cpu.h"

struct state {
    uint32_t irq_mask, vectors;
};

/* Initialises fields of irq_hello_reply_t. The core tells no ID. */
#define STATE_OF_PROGRAM .core_id = 0, .counter_hz = SYSTEM_COUNTER_HZ

#endif
