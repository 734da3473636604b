/* What is active while no case is set up: everything reports itself. */
#include "arch/picorv32/trap.inc"

    VECTOR_TABLE vectors_unexpected, fault_entry, fault_entry

/* Calls fault_report(0, q1, q0, 0), each of 64 bits, on an empty call stack: by a return from the interrupt,
 * or the core would take none ever after. */
    .section .text.fault_entry, "ax"
    .globl  fault_entry
    .type   fault_entry, %function
fault_entry:
    MASK
    la      sp, call_stack_end
    li      a0, 0
    li      a1, 0
    getq    a2, 1
    li      a3, 0
    getq    a4, 0
    li      a5, 0
    li      a6, 0
    li      a7, 0
    la      t0, fault_report
    setq    0, t0
    retirq
    .size   fault_entry, . - fault_entry
