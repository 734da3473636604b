/* Idling, the task that a handler woke, and the end of a batch.
 *
 * Handlers never set a flag that the idle loop would have to read: an interrupt between reading and
 * sleeping would be slept through. Instead they change where the exception returns to, which works
 * for both loops, as long as it was one of the loops that was interrupted. */

    .macro FUNCTION name
    .section .text.\name, "ax"
    .balign 4
    .globl  \name
    .type   \name, %function
\name:
    .endm

/* uint32_t baremetal_idle(bool spin). x19 = loops begun, x20 = the loop. */
    FUNCTION baremetal_idle
    stp     x19, x20, [sp, #-32]!
    str     x30, [sp, #16]
    mov     w19, #0
    adr     x20, idle_wfi
    cbz     w0, idle_enter
    adr     x20, idle_spin
    b       idle_enter

/* An exception returns here, with interrupts masked, when a handler woke the task while idling. */
    .globl  idle_wake
idle_wake:
    bl      baremetal_task
    /* Interrupts that came while the task ran left their wishes in memory; masked, they are final. */
    cbnz    w0, idle_finish
idle_enter:
    msr     daifclr, #2
    .globl  idle_first
idle_first:
    br      x20
idle_wfi:
    add     w19, w19, #1
    dsb     sy
    wfi
    b       idle_wfi
idle_spin:
    add     w19, w19, #1
1:  b       1b
    .globl  idle_last
idle_last:

/* An exception returns here, with interrupts masked, when the batch has ended. */
    .globl  idle_finish
idle_finish:
    mov     w0, w19
    ldr     x30, [sp, #16]
    ldp     x19, x20, [sp], #32
    ret
    .size   baremetal_idle, . - baremetal_idle
