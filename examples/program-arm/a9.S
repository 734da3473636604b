/* ARMv7-A in secure SVC mode, as the core leaves reset: vectors, stacks, and what C has no words
 * for. */
.arm
.section .start, "ax"
.global _start
.type _start, %function
_start:
    ldr r0, =vectors
    mcr p15, 0, r0, c12, c0, 0 /* VBAR */
    cps #0x12                  /* IRQ mode */
    ldr sp, =irq_stack_top
    cps #0x13 /* SVC mode */
    ldr sp, =call_stack_top
    b run

.global interrupts_off
.type interrupts_off, %function
interrupts_off:
    cpsid i
    bx lr
.global interrupts_on
.type interrupts_on, %function
interrupts_on:
    cpsie i
    bx lr
.global wait_for_interrupt
.type wait_for_interrupt, %function
wait_for_interrupt:
    wfi
    bx lr

.balign 32
.global vectors
.type vectors, %function
vectors:
    .rept 6
    b .
    .endr
    b interrupt
    b .

.type interrupt, %function
interrupt:
    sub lr, lr, #4
    push {r0-r3, r12, lr}
    bl on_interrupt
    ldm sp!, {r0-r3, r12, pc}^
