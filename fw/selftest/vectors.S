/* The self-test's vector path: made for nesting, not for speed. Saves what C may change and, since a
 * handler may unmask interrupts, the return state as well. */
#include "boot/vectors.inc"

#define FRAME 176

    .macro NESTABLE_IRQ
    stp     x0, x1, [sp, #-FRAME]!
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x30, [sp, #144]
    mrs     x0, elr_el3
    mrs     x1, spsr_el3
    stp     x0, x1, [sp, #160]
    bl      selftest_interrupt
    b       selftest_return
    .endm

    VECTOR_TABLE vectors_selftest, NESTABLE_IRQ

    .section .text.selftest_return, "ax"
    .type   selftest_return, %function
selftest_return:
    ldp     x0, x1, [sp, #160]
    msr     elr_el3, x0
    msr     spsr_el3, x1
    ldp     x2, x3, [sp, #16]
    ldp     x4, x5, [sp, #32]
    ldp     x6, x7, [sp, #48]
    ldp     x8, x9, [sp, #64]
    ldp     x10, x11, [sp, #80]
    ldp     x12, x13, [sp, #96]
    ldp     x14, x15, [sp, #112]
    ldp     x16, x17, [sp, #128]
    ldp     x18, x30, [sp, #144]
    ldp     x0, x1, [sp], #FRAME
    eret
    .size   selftest_return, . - selftest_return
