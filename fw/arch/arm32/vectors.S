/* The table while no case is set up: every exception reports itself. */
    .syntax unified
#include "arch/arm32/vectors.inc"

    .macro NO_IRQ_EXPECTED
    VECTOR_UNEXPECTED 0x18
    .endm

    VECTOR_TABLE vectors_unexpected, NO_IRQ_EXPECTED

/* r0 = offset in the table, lr = as the core gave it. What is reported is in DFSR and IFAR: a
 * data abort has set DFSR, a prefetch abort's status is copied there, others have none. */
    .section .text.fault_entry, "ax"
    .globl  fault_entry_of_exception
    .type   fault_entry_of_exception, %function
fault_entry_of_exception:
    cmp     r0, #0x10
    beq     1f
    cmp     r0, #0x0C
    mov     r1, #0
    mrceq   p15, 0, r1, c5, c0, 1       // IFSR
    mcr     p15, 0, r1, c5, c0, 0       // DFSR
1:  mcr     p15, 0, lr, c6, c0, 2       // IFAR
    b       2f
    .size   fault_entry_of_exception, . - fault_entry_of_exception

/* Calls fault_report(offset, status, address, data's address) on an empty call stack. */
    .globl  fault_entry
    .type   fault_entry, %function
fault_entry:
    mov     r0, #0
2:  cpsid   if, #0x13
    mov     r4, r0
    bl      call_stack_top
    mov     sp, r0
    mov     r0, #0
    bl      set_interrupt_call_stack
    mrc     p15, 0, r6, c6, c0, 2
    mrc     p15, 0, r8, c6, c0, 0       // DFAR
    mov     r7, #0
    mov     r9, #0
    push    {r6-r9}
    mov     r0, r4
    mov     r1, #0
    mrc     p15, 0, r2, c5, c0, 0
    mov     r3, #0
    bl      fault_report
3:  wfi
    b       3b
    .size   fault_entry, . - fault_entry
