/* Registers that a run stores as they were read. */
#ifndef MACHINE_ZYNQMP_BOUND_STATE_H
#define MACHINE_ZYNQMP_BOUND_STATE_H

#include <stdint.h>

#include "bound/cpu.h"

/* Registers of one core. */
struct state {
    uint32_t sctlr, gicc_ctlr, gicc_pmr, gicd_ppisr;
    uint64_t mpidr, cpuactlr, cpuectlr, vbar;
};

/* Initialises fields of irq_hello_reply_t. */
#define STATE_OF_PROGRAM                                                                           \
    .core_id = READ_SYSREG(midr_el1), .counter_hz = (uint32_t)READ_SYSREG(cntfrq_el0)

#endif
