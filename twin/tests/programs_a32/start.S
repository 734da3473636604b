/* Start-up and vectors of the test programs: secure SVC, MMU off, call stacks for each core. */
    .arch_extension sec
    .section .text.start, "ax"
    .global _start
    .arm
_start:
    ldr     r0, =vectors
    mcr     p15, 0, r0, c12, c0, 0
    mrc     p15, 0, r0, c0, c0, 5
    and     r0, r0, #3
    ldr     r1, =0x00800000
    sub     r1, r1, r0, lsl #20
    cps     #0x12
    mov     sp, r1
    sub     r1, r1, #0x10000
    cps     #0x11
    mov     sp, r1
    sub     r1, r1, #0x10000
    cps     #0x17
    mov     sp, r1
    sub     r1, r1, #0x10000
    cps     #0x1B
    mov     sp, r1
    sub     r1, r1, #0x10000
    cps     #0x13
    mov     sp, r1
    cmp     r0, #0
    bne     1f
    bl      uart_start
    bl      test
    bl      finish
1:  bl      core_main
2:  wfi
    b       2b

    .macro handler name, function
\name:
    sub     sp, sp, #8          /* struct entry */
    push    {r0-r3, r12, lr}
    mrs     r0, spsr
    str     lr, [sp, #24]
    str     r0, [sp, #28]
    add     r0, sp, #24
    ldr     r1, =\function
    ldr     r1, [r1]
    blx     r1
    pop     {r0-r3, r12, lr}
    rfeia   sp!
    .endm

    .balign 32
vectors:
    b       .
    b       enter_undefined
    b       enter_svc
    b       enter_prefetch
    b       enter_data
    b       .
    b       enter_irq
    b       enter_fiq

    handler enter_undefined, on_undefined
    handler enter_svc, on_svc
    handler enter_prefetch, on_prefetch
    handler enter_data, on_data
    handler enter_irq, on_irq
    handler enter_fiq, on_fiq
