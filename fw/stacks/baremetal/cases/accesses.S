#include "stacks/baremetal/cases/accesses.h"

/* x5 = state, next random number below \range in \to. Six instructions. */
    .macro RANDOM_BELOW to, range
    eor     x5, x5, x5, lsl #13
    eor     x5, x5, x5, lsr #7
    eor     x5, x5, x5, lsl #17
    lsr     \to, x5, #32
    mul     \to, \to, \range
    lsr     \to, \to, #32
    .endm

    .section .text.accesses_run, "ax"
    .balign 64
    .globl  accesses_run
    .type   accesses_run, %function
accesses_run:
    mov     x15, x30
    ldp     x5, x6, [x0]                // state, data
    ldp     x7, x8, [x0, #16]           // words, code
    ldp     x9, x10, [x0, #32]          // slots, loads
    ldp     x11, x12, [x0, #48]         // calls, padding
    cbz     x10, 4f
1:  RANDOM_BELOW x13, x7
    tbz     x5, #0, 2f
    str     w5, [x6, x13, lsl #2]
    b       3f
2:  ldr     w14, [x6, x13, lsl #2]
    nop                                 // either way as many
3:  subs    x10, x10, #1
    b.ne    1b
4:  cbz     x11, 6f
5:  RANDOM_BELOW x13, x9
    add     x13, x8, x13, lsl #6
    blr     x13                         // and RET there
    subs    x11, x11, #1
    b.ne    5b
6:  cbz     x12, 8f
7:  subs    x12, x12, #1
    b.ne    7b
8:  str     x5, [x0]
    ret     x15
    .size   accesses_run, . - accesses_run
#if ACCESSES_SLOT != 1 << 6
#error "calls shift by 6"
#endif
