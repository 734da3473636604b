#ifndef MACHINE_SOFT_BOUND_STATE_H
#define MACHINE_SOFT_BOUND_STATE_H

#include <stdint.h>

#include "bound/counter.h"
#include "bound/cpu.h"

struct state {
    uint32_t mstatus, misa, mtvec, mie, marchid, mimpid;
};

/* Initialises fields of irq_hello_reply_t. */
#define STATE_OF_PROGRAM .core_id = READ_CSR(marchid), .counter_hz = SYSTEM_COUNTER_HZ

#endif
