#include "stacks/baremetal/cases/accesses.h"

/* Chooses a line by the next random number; x5 is its state. Leaves the address of a place of \array
 * in x13, and in x14 the offset of a line in it. 32 random bits are multiplied by the number of
 * lines: the upper half of the product is the line, the lower half chooses the place in the same
 * way. Eleven instructions. */
    .macro RANDOM_LINE array
    eor     x5, x5, x5, lsl #13
    eor     x5, x5, x5, lsr #7
    eor     x5, x5, x5, lsl #17
    lsr     x13, x5, #32
    mul     x13, x13, x9
    lsr     x14, x13, #32
    mov     w13, w13
    mul     x13, x13, x7
    lsr     x13, x13, #32
    madd    x13, x13, x8, \array        // not after a load: erratum 835769 of the Cortex-A53
    ldr     w14, [x16, x14, lsl #2]
    .endm

    .section .text.accesses_run, "ax"
    .balign 64
    .globl  accesses_run
    .type   accesses_run, %function
accesses_run:
    mov     x15, x30
    ldp     x5, x6, [x0]                // state, data
    ldp     x17, x7, [x0, #16]          // code, places
    ldp     x8, x9, [x0, #32]           // stride, lines
    ldp     x10, x11, [x0, #48]         // loads, calls
    ldr     x12, [x0, #64]              // padding
    add     x16, x0, #72                // offsets
    cbz     x10, 4f
1:  RANDOM_LINE x6
    tbz     x5, #0, 2f
    str     w5, [x13, x14]
    b       3f
2:  ldr     w14, [x13, x14]
    nop                                 // a load takes as many as a store
3:  subs    x10, x10, #1
    b.ne    1b
4:  cbz     x11, 6f
5:  RANDOM_LINE x17
    add     x13, x13, x14
    blr     x13                         // a RET is there
    subs    x11, x11, #1
    b.ne    5b
6:  cbz     x12, 8f
7:  subs    x12, x12, #1
    b.ne    7b
8:  str     x5, [x0]
    ret     x15
    .size   accesses_run, . - accesses_run
