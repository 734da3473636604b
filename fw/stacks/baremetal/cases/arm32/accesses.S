#include "stacks/baremetal/cases/accesses.h"

    .syntax unified
    .arm

/* Chooses a line by the next random number (xorshift of 32 bits, Marsaglia 2003: 13, 17, 5); r1 is
 * its state. Leaves the address of a place of \array in r12, and in lr the offset of a line in it.
 * The number is multiplied by the number of lines: the upper half of the product is the line, the
 * lower half chooses the place in the same way. Seven instructions. */
    .macro RANDOM_LINE array
    eor     r1, r1, r1, lsl #13
    eor     r1, r1, r1, lsr #17
    eor     r1, r1, r1, lsl #5
    umull   r12, lr, r1, r7
    umull   r2, r12, r12, r5
    mla     r12, r12, r6, \array
    ldr     lr, [r11, lr, lsl #2]
    .endm

    .section .text.accesses_run, "ax"
    .balign 32
    .globl  accesses_run
    .type   accesses_run, %function
accesses_run:
    push    {r4-r11, lr}
    /* State (r2: its upper half), data, code, places, stride, lines, loads, calls, padding. */
    ldm     r0, {r1-r10}
    add     r11, r0, #40                // offsets
    orr     r1, r1, #1                  // never 0
    cmp     r8, #0
    beq     4f
1:  RANDOM_LINE r3
    tst     r1, #1
    strne   r1, [r12, lr]
    ldreq   r2, [r12, lr]
    .rept   4                           // as many as on other machines
    nop
    .endr
    subs    r8, r8, #1
    bne     1b
4:  cmp     r9, #0
    beq     6f
5:  RANDOM_LINE r4
    add     r12, r12, lr
    blx     r12                         // a return is there
    .rept   4
    nop
    .endr
    subs    r9, r9, #1
    bne     5b
6:  cmp     r10, #0
    beq     8f
7:  subs    r10, r10, #1
    bne     7b
8:  str     r1, [r0]
    pop     {r4-r11, pc}
    .size   accesses_run, . - accesses_run
