/* Waiting, the task that a handler woke, and the end of a batch.
 *
 * Handlers never set a flag that the waiting loop would have to read: an interrupt between reading
 * and sleeping would be slept through. Instead they change where the exception returns to, which
 * works for every loop, as long as it was one of the loops that was interrupted. */
#include "bound/addresses.h"
#include "stacks/baremetal/core.h"

    .macro FUNCTION name
    .section .text.\name, "ax"
    .balign 4
    .globl  \name
    .type   \name, %function
\name:
    .endm

    .macro LOOP name
    .globl  \name
\name:
    .endm

/* uint64_t baremetal_loop(const void *loop, uintptr_t stack, uint64_t registers[4])
 * x19 = loops begun, x20 = the loop, x22-x25 = its registers, x26 = where they came from,
 * x27 = the caller's call stack. */
    FUNCTION baremetal_loop
    stp     x19, x20, [sp, #-80]!
    stp     x21, x22, [sp, #16]
    stp     x23, x24, [sp, #32]
    stp     x25, x26, [sp, #48]
    stp     x27, x30, [sp, #64]
    mov     x19, #0
    mov     x20, x0
    mov     x26, x2
    mov     x27, sp
    cbz     x1, 1f
    mov     sp, x1
1:  ldp     x22, x23, [x26]
    ldp     x24, x25, [x26, #16]
    b       idle_prepare

/* An exception returns here, with interrupts masked, when a handler ended the wait. */
    .globl  idle_wake
idle_wake:
    bl      baremetal_woken
    /* Interrupts that came while the task ran left their wishes in memory. Interrupts are masked
     * here, so these are final. */
    cbnz    w0, idle_finish
idle_prepare:
    mrs     x0, tpidr_el0
    ldr     x0, [x0, #CORE_BEFORE_WAIT]
    cbz     x0, 2f
    blr     x0
2:  msr     daifclr, #2
    .globl  idle_first
idle_first:
    br      x20

    LOOP    idle_wfi
    add     x19, x19, #1
    dsb     sy
    wfi
    b       idle_wfi

    LOOP    idle_spin
    add     x19, x19, #1
1:  b       1b

/* Sleeps with a slower clock: stores x22 to the register at x23. The handler undoes it. */
    LOOP    idle_divided
    add     x19, x19, #1
    str     w22, [x23]
    dsb     sy
    wfi
    b       idle_divided

/* The core raises its own interrupt: marker (x22 = its MARKER_CHANGE), then x23 to GICD_SGIR; then
 * it waits in the loop at x24. */
    LOOP    idle_raise
    msr     daifset, #2
    mrs     x9, tpidr_el3
    eor     x10, x9, x22
    mov     x11, #GPIO_BASE
    mov     x12, #GICD_BASE
    str     w10, [x11, #GPIO_MASK_DATA_3_LSW]
    mov     x13, #0x8888                // MARKER_TOGGLES
    eor     x9, x9, x13
    msr     tpidr_el3, x9
    dsb     sy                          // the marker has arrived
    msr     daifclr, #2
    str     w23, [x12, #GICD_SGIR]
    br      x24

/* Writes constants (x25) to random places of the array of x24 words at x23; x22 = state of an
 * xorshift generator (Marsaglia 2003: 13, 7, 17). */
    LOOP    idle_write
    eor     x22, x22, x22, lsl #13
    eor     x22, x22, x22, lsr #7
    eor     x22, x22, x22, lsl #17
    lsr     x9, x22, #32
    mul     x9, x9, x24
    lsr     x9, x9, #32
    str     w25, [x23, x9, lsl #2]
    add     x19, x19, #1
    b       idle_write
    .globl  idle_last
idle_last:

/* An exception returns here, with interrupts masked, when the batch has ended. */
    .globl  idle_finish
idle_finish:
    mov     sp, x27
    str     x22, [x26]
    mov     x0, x19
    ldp     x27, x30, [sp, #64]
    ldp     x25, x26, [sp, #48]
    ldp     x23, x24, [sp, #32]
    ldp     x21, x22, [sp, #16]
    ldp     x19, x20, [sp], #80
    ret
    .size   baremetal_loop, . - baremetal_loop
