/* The self-test's vector path: made for nesting, not for speed. It goes on in supervisor mode, whose
 * return address is not that of interrupts, and saves there what C may change and the return state.
 */
    .syntax unified
#include "arch/arm32/vectors.inc"

#define MODE_SVC 0x13

    .macro NESTABLE_IRQ
    sub     lr, lr, #4
    srsdb   sp!, #MODE_SVC
    cps     #MODE_SVC
    push    {r0-r3, r12, lr}
    ldr     r0, =selftest_interrupt     // by its address: the table may be copied
    blx     r0
    pop     {r0-r3, r12, lr}
    rfeia   sp!
    .endm

    VECTOR_TABLE vectors_selftest, NESTABLE_IRQ
