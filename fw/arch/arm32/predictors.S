/* ARMv7 has an operation for it, BPIALL. */
    .syntax unified
    .arm

    .section .text.predictors_forget, "ax"
    .balign 4
    .globl  predictors_forget
    .type   predictors_forget, %function
predictors_forget:
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 6
    dsb
    isb
    bx      lr
    .size   predictors_forget, . - predictors_forget
