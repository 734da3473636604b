#define ROUNDS 256

    .section .text.predictors_forget, "ax"
    .balign 64
    .globl  predictors_forget
    .type   predictors_forget, %function
predictors_forget:
    mov     x4, x30
    mov     x1, #ROUNDS
    mrs     x0, pmccntr_el0             // another sequence each time
    orr     x0, x0, #1 << 63            // and never 0
1:  eor     x0, x0, x0, lsl #13         // xorshift (Marsaglia 2003: 13, 7, 17)
    eor     x0, x0, x0, lsr #7
    eor     x0, x0, x0, lsl #17
    /* Each time the history of directions leads to another entry. */
    .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23
    tbz     x0, #\n, 2f
    nop
2:
    .endr
    adr     x2, 3f
    ubfx    x3, x0, #24, #4
    add     x2, x2, x3, lsl #3
    br      x2
3:  .rept   16
    nop
    b       4f
    .endr
4:  .rept   8                           // depth of the stack of return addresses
    bl      5f
5:
    .endr
    subs    x1, x1, #1
    b.ne    1b
    ret     x4
    .size   predictors_forget, . - predictors_forget
