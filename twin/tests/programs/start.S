/* Start-up and vectors of the test programs: EL3, MMU off, one call stack for each core. */
    .section .text.start, "ax"
    .global _start
_start:
    adr     x0, vectors
    msr     vbar_el3, x0
    mov     x0, #0x400          /* RW; interrupts stay where reset left them */
    msr     scr_el3, x0
    mrs     x0, mpidr_el1
    and     x0, x0, #0xFF
    ldr     x1, =0x00800000
    sub     x1, x1, x0, lsl #16
    mov     sp, x1
    cbnz    x0, 1f
    bl      uart_start
    bl      test
    bl      finish
1:  bl      core_main
2:  wfi
    b       2b

    .macro vector function
    .balign 0x80
    sub     sp, sp, #192
    stp     x0, x1, [sp]
    stp     x2, x3, [sp, #16]
    stp     x4, x5, [sp, #32]
    stp     x6, x7, [sp, #48]
    stp     x8, x9, [sp, #64]
    stp     x10, x11, [sp, #80]
    stp     x12, x13, [sp, #96]
    stp     x14, x15, [sp, #112]
    stp     x16, x17, [sp, #128]
    stp     x18, x30, [sp, #144]
    ldr     x0, =\function
    bl      call_handler
    b       leave
    .endm

    .balign 0x800
vectors:
    vector  on_sync_sp0         /* 0x000: current level, SP_EL0 */
    vector  on_irq
    vector  on_fiq
    vector  on_unexpected
    vector  on_sync             /* 0x200: current level, SP_EL3 */
    vector  on_irq
    vector  on_fiq
    vector  on_unexpected

call_handler:
    ldr     x0, [x0]
    br      x0

leave:
    ldp     x18, x30, [sp, #144]
    ldp     x16, x17, [sp, #128]
    ldp     x14, x15, [sp, #112]
    ldp     x12, x13, [sp, #96]
    ldp     x10, x11, [sp, #80]
    ldp     x8, x9, [sp, #64]
    ldp     x6, x7, [sp, #48]
    ldp     x4, x5, [sp, #32]
    ldp     x2, x3, [sp, #16]
    ldp     x0, x1, [sp]
    add     sp, sp, #192
    eret
