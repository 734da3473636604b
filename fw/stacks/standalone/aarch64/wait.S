/* The loop of an application that has nothing to do, with interrupts unmasked: asleep or busy. A
 * handler that ends the wait changes where the exception returns to (standalone_leave): a flag that
 * the loop would read could be set between reading and sleeping. */
#include "stacks/standalone/standalone.h"

/* uint64_t standalone_wait(bool spin): how often waiting was begun. Entered and left with interrupts
 * masked. */
    .section .text.standalone_wait, "ax"
    .balign 4
    .globl  standalone_wait
    .type   standalone_wait, %function
standalone_wait:
    mov     x1, #0
    ldr     x2, =standalone_waiting
    mov     x3, sp
    str     x3, [x2]
    msr     daifclr, #2
    cbnz    w0, 2f
1:  add     x1, x1, #1
    dsb     sy
    wfi
    b       1b
2:  add     x1, x1, #1
3:  b       3b
    .globl  standalone_left
standalone_left:
    ldr     x2, =standalone_waiting
    str     xzr, [x2]
    mov     x0, x1
    ret
    .size   standalone_wait, . - standalone_wait
