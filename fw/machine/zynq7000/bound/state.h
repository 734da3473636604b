/* Registers that a run stores as they were read. */
#ifndef MACHINE_ZYNQ7000_BOUND_STATE_H
#define MACHINE_ZYNQ7000_BOUND_STATE_H

#include <stdint.h>

#include "bound/counter.h"
#include "bound/cpu.h"

/* Registers of one core. */
struct state {
    uint32_t sctlr, actlr, mpidr, vbar, gicc_ctlr, gicc_pmr, gicd_ppisr;
};

/* Initialises fields of irq_hello_reply_t. */
#define STATE_OF_PROGRAM .core_id = READ_CP15(0, c0, c0, 0), .counter_hz = SYSTEM_COUNTER_HZ

#endif
