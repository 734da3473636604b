/* Initialisers of replies: what this machine's registers say. Macros, for they are read where the
 * reply is made. */
#ifndef MACHINE_ZYNQMP_BOUND_STATE_H
#define MACHINE_ZYNQMP_BOUND_STATE_H

#include "bound/cpu.h"
#include "bound/irq.h"

/* Of irq_case_reply_t. */
#define STATE_OF_CASE                                                                              \
    .sctlr = (uint32_t)READ_SYSREG(sctlr_el3), .gicd_ctlr = GICD->ctlr, .gicc_ctlr = GICC->ctlr,   \
    .gicc_pmr = GICC->pmr, .ppi_status = GICD->ppisr, .scr = (uint32_t)READ_SYSREG(scr_el3),       \
    .cpuactlr = READ_CPUACTLR(), .cpuectlr = READ_CPUECTLR(), .ttbr = READ_SYSREG(ttbr0_el3),      \
    .tcr = READ_SYSREG(tcr_el3)

/* Of irq_core_reply_t. */
#define STATE_OF_CORE                                                                              \
    .sctlr = (uint32_t)READ_SYSREG(sctlr_el3), .gicc_ctlr = GICC->ctlr, .gicc_pmr = GICC->pmr,     \
    .ppi_status = GICD->ppisr, .mpidr = READ_SYSREG(mpidr_el1), .cpuactlr = READ_CPUACTLR(),       \
    .cpuectlr = READ_CPUECTLR(), .vbar = READ_SYSREG(vbar_el3)

/* Of irq_hello_reply_t. */
#define STATE_OF_PROGRAM                                                                           \
    .midr = READ_SYSREG(midr_el1), .cntfrq_hz = (uint32_t)READ_SYSREG(cntfrq_el0)

#endif
