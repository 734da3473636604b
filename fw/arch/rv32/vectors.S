/* The table while no case is set up: every exception reports itself. */
#include "arch/rv32/vectors.inc"

    VECTOR_TABLE vectors_unexpected, fault_entry, fault_entry

/* Calls fault_report(0, mcause, mepc, mtval), each of 64 bits, on an empty call stack. */
    .section .text.fault_entry, "ax"
    .globl  fault_entry
    .type   fault_entry, %function
fault_entry:
    la      sp, call_stack_end
    li      a0, 0
    li      a1, 0
    csrr    a2, mcause
    li      a3, 0
    csrr    a4, mepc
    li      a5, 0
    csrr    a6, mtval
    li      a7, 0
    call    fault_report
1:  wfi
    j       1b
    .size   fault_entry, . - fault_entry
