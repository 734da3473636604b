/* AArch64 at EL3, as the core leaves reset: vectors, stack, and what C has no words for. */
.section .start, "ax"
.global _start
.type _start, %function
_start:
    ldr x0, =vectors
    msr vbar_el3, x0
    mov x0, #1 << 1 | 1 << 10 /* IRQs come to EL3; AArch64 below */
    msr scr_el3, x0
    isb
    ldr x0, =call_stack_top
    mov sp, x0
    b run

.global interrupts_off
.type interrupts_off, %function
interrupts_off:
    msr daifset, #2
    ret
.global interrupts_on
.type interrupts_on, %function
interrupts_on:
    msr daifclr, #2
    ret
.global wait_for_interrupt
.type wait_for_interrupt, %function
wait_for_interrupt:
    wfi
    ret

.balign 2048
.global vectors
.type vectors, %function
vectors:
    .space 0x280 /* only the IRQ of this level, with its own stack pointer, is met */
    stp x29, x30, [sp, #-160]!
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp x8, x9, [sp, #80]
    stp x10, x11, [sp, #96]
    stp x12, x13, [sp, #112]
    stp x14, x15, [sp, #128]
    stp x16, x17, [sp, #144]
    bl on_interrupt
    ldp x16, x17, [sp, #144]
    ldp x14, x15, [sp, #128]
    ldp x12, x13, [sp, #112]
    ldp x10, x11, [sp, #96]
    ldp x8, x9, [sp, #80]
    ldp x6, x7, [sp, #64]
    ldp x4, x5, [sp, #48]
    ldp x2, x3, [sp, #32]
    ldp x0, x1, [sp, #16]
    ldp x29, x30, [sp], #160
    eret
