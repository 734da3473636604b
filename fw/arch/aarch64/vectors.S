/* The table while no case is set up: every exception reports itself. */
#include "arch/aarch64/vectors.inc"

    .macro NO_IRQ_EXPECTED
    mov     x0, #0x280
    b       fault_entry
    .endm

    VECTOR_TABLE vectors_unexpected, NO_IRQ_EXPECTED

/* x0 = offset in the table. Calls fault_report(offset, esr, elr, far) on an empty call stack. */
    .section .text.fault_entry, "ax"
    .globl  fault_entry
    .type   fault_entry, %function
fault_entry:
    msr     spsel, #1
    mov     x19, x0
    bl      call_stack_top
    mov     sp, x0
    mov     x0, x19
    mrs     x1, esr_el3
    mrs     x2, elr_el3
    mrs     x3, far_el3
    bl      fault_report
1:  wfi
    b       1b
    .size   fault_entry, . - fault_entry
