// What TF-A's BL31 hands over to, at EL2 and non-secure: interrupt 121, line 0 of the PL, by rising
// edge. The main loop sleeps and calls `woken` after each interrupt. MMU and caches are off.
.equ DISTRIBUTOR, 0xF9010000
.equ INTERFACE, 0xF9020000
.equ LINE_0, 121

.global _start
.type _start, %function
_start:
    adr x0, vectors
    msr vbar_el2, x0
    ldr x0, =(1 << 31 | 1 << 4) // HCR_EL2: RW, IMO
    msr hcr_el2, x0
    ldr x0, =stack_top
    mov sp, x0
    ldr x0, =DISTRIBUTOR
    ldr w1, [x0, #0xC00 + LINE_0 / 16 * 4]
    orr w1, w1, #(2 << (LINE_0 % 16 * 2))
    str w1, [x0, #0xC00 + LINE_0 / 16 * 4]
    mov w1, #0xA0
    strb w1, [x0, #0x400 + LINE_0]
    mov w1, #1
    strb w1, [x0, #0x800 + LINE_0]
    ldr w2, =(1 << (LINE_0 % 32))
    str w2, [x0, #0x100 + LINE_0 / 32 * 4]
    str w1, [x0]
    ldr x0, =INTERFACE
    mov w2, #0xF0
    str w2, [x0, #4]
    str w1, [x0]
    isb
    msr daifclr, #2
.global ready
ready:
    wfi
    bl woken
    b ready

.type woken, %function
woken:
    ret

.type on_line, %function
on_line:
    ret

.balign 2048
.type vectors, %function
vectors:
    .space 0x280
    stp x0, x1, [sp, #-32]!
    stp x2, x30, [sp, #16]
    ldr x1, =INTERFACE
    ldr w0, [x1, #0x0C]
    and w2, w0, #0x3FF
    cmp w2, #LINE_0
    b.ne 1f
    bl on_line
1:  ldr x1, =INTERFACE
    str w0, [x1, #0x10]
    ldp x2, x30, [sp, #16]
    ldp x0, x1, [sp], #32
    eret
    .ltorg

.bss
.balign 16
    .space 1024
stack_top:
