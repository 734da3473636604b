/* The self-test's vector path: made for nesting, not for speed. Saves what C may change and, since a
 * handler may unmask interrupts, the return state as well. */
#include "arch/aarch64/vectors.inc"

#define FRAME (VECTOR_FRAME + 16)

    .macro NESTABLE_IRQ
    SAVE_X0_X1 FRAME
    SAVE_THE_REST
    mrs     x0, elr_el3
    mrs     x1, spsr_el3
    stp     x0, x1, [sp, #VECTOR_FRAME]
    bl      selftest_interrupt
    b       selftest_return
    .endm

    VECTOR_TABLE vectors_selftest, NESTABLE_IRQ

    .section .text.selftest_return, "ax"
    .type   selftest_return, %function
selftest_return:
    ldp     x0, x1, [sp, #VECTOR_FRAME]
    msr     elr_el3, x0
    msr     spsr_el3, x1
    RESTORE_AND_RETURN FRAME
    .size   selftest_return, . - selftest_return
