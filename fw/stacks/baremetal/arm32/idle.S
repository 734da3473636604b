/* Waiting, the task that a handler woke, and the end of a batch.
 *
 * Handlers never set a flag that the waiting loop would have to read: an interrupt between reading
 * and sleeping would be slept through. Instead they change where the exception returns to, which
 * works for every loop, as long as it was one of the loops that was interrupted. */
#include "bound/addresses.h"
#include "stacks/baremetal/core.h"

    .syntax unified
    .arm

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

    .macro ADDRESS register, value
    movw    \register, #(\value) & 0xFFFF
    movt    \register, #(\value) >> 16
    .endm

/* uint64_t baremetal_loop(const void *loop, uintptr_t stack, uint64_t registers[4])
 * r4 = loops begun, r5 = the loop, r6 and r7 = registers[0], r8-r10 = the lower halves of the
 * others, r11 = the caller's call stack, on which lies where they came from. */
    FUNCTION baremetal_loop
    push    {r2, r4-r11, lr}
    mov     r4, #0
    mov     r5, r0
    mov     r11, sp
    cmp     r1, #0
    movne   sp, r1
    ldr     r6, [r2]
    ldr     r7, [r2, #4]
    ldr     r8, [r2, #8]
    ldr     r9, [r2, #16]
    ldr     r10, [r2, #24]
    b       idle_prepare

/* An exception returns here, with interrupts masked, when a handler ended the wait. */
    .globl  idle_wake
idle_wake:
    bl      baremetal_woken
    /* Interrupts that came while the task ran left their wishes in memory. Interrupts are masked
     * here, so these are final. */
    cmp     r0, #0
    bne     idle_finish
idle_prepare:
    mrc     p15, 0, r0, c13, c0, 3
    add     r0, r0, #CORE_BEFORE_WAIT
    ldr     r0, [r0]
    cmp     r0, #0
    beq     2f
    blx     r0
2:  cpsie   i
    .globl  idle_first
idle_first:
    bx      r5

    LOOP    idle_wfi
    add     r4, r4, #1
    dsb
    wfi
    b       idle_wfi

    LOOP    idle_spin
    add     r4, r4, #1
1:  b       1b

/* Sleeps with a slower clock: stores r6 to the register at r8. The handler undoes it. */
    LOOP    idle_divided
    add     r4, r4, #1
    str     r6, [r8]
    dsb
    wfi
    b       idle_divided

/* The core raises its own interrupt: marker (r6 = its MARKER_CHANGE), then r8 to ICDSGIR; then it
 * waits in the loop at r9. */
    LOOP    idle_raise
    cpsid   i
    mrc     p15, 0, r0, c13, c0, 2
    eor     r1, r0, r6
    ADDRESS r2, GPIO_BASE
    ADDRESS r3, GICD_BASE
    str     r1, [r2, #GPIO_MASK_DATA_2_LSW]
    movw    r1, #0x8888                 // MARKER_TOGGLES
    eor     r0, r0, r1
    mcr     p15, 0, r0, c13, c0, 2
    dsb                                 // the marker has arrived
    cpsie   i
    str     r8, [r3, #GICD_SGIR]
    bx      r9

/* Writes constants (r10) to random places of the array of r9 words at r8; r7:r6 = state of an
 * xorshift generator (Marsaglia 2003: 13, 7, 17). */
    LOOP    idle_write
    eor     r7, r7, r7, lsl #13
    eor     r7, r7, r6, lsr #19
    eor     r6, r6, r6, lsl #13
    eor     r6, r6, r6, lsr #7
    eor     r6, r6, r7, lsl #25
    eor     r7, r7, r7, lsr #7
    eor     r7, r7, r7, lsl #17
    eor     r7, r7, r6, lsr #15
    eor     r6, r6, r6, lsl #17
    umull   r0, r1, r7, r9
    str     r10, [r8, r1, lsl #2]
    add     r4, r4, #1
    b       idle_write
    .globl  idle_last
idle_last:

/* An exception returns here, with interrupts masked, when the batch has ended. */
    .globl  idle_finish
idle_finish:
    mov     sp, r11
    ldr     r2, [sp]
    str     r6, [r2]
    str     r7, [r2, #4]
    mov     r0, r4
    mov     r1, #0
    pop     {r2, r4-r11, pc}
    .size   baremetal_loop, . - baremetal_loop
