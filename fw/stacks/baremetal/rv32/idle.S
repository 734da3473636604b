/* Waiting, the task that a handler woke, and the end of a batch: as on every machine
 * (stacks/baremetal/aarch64/idle.S tells why a handler changes where it returns to). */
#include "bound/addresses.h"
#include "bound/trap.inc"
#include "stacks/baremetal/core.h"

    .macro  LOOP name
    .globl  \name
\name:
    .endm

    .section .text.baremetal_loop, "ax"
    .globl  baremetal_loop
    .type   baremetal_loop, %function

/* uint64_t baremetal_loop(const void *loop, uintptr_t stack, uint64_t registers[4])
 * s0 = loops begun, s1 = the loop, s2-s5 = lower halves of its registers, s6 = where they came from,
 * s7 = the caller's call stack. */
baremetal_loop:
    addi    sp, sp, -48
    sw      ra, 0(sp)
    sw      s0, 4(sp)
    sw      s1, 8(sp)
    sw      s2, 12(sp)
    sw      s3, 16(sp)
    sw      s4, 20(sp)
    sw      s5, 24(sp)
    sw      s6, 28(sp)
    sw      s7, 32(sp)
    li      s0, 0
    mv      s1, a0
    mv      s6, a2
    mv      s7, sp
    beqz    a1, 1f
    mv      sp, a1
1:  lw      s2, 0(s6)
    lw      s3, 8(s6)
    lw      s4, 16(s6)
    lw      s5, 24(s6)
    j       idle_prepare

/* An exception returns here, with interrupts masked, when a handler ended the wait. */
    .globl  idle_wake
idle_wake:
    call    baremetal_woken
    bnez    a0, idle_finish
idle_prepare:
    la      t0, cpu_core_pointer
    lw      t0, 0(t0)
    li      t1, CORE_BEFORE_WAIT
    add     t0, t0, t1
    lw      t0, 0(t0)
    beqz    t0, 2f
    jalr    t0
2:  UNMASK
    .globl  idle_first
idle_first:
    jr      s1

    LOOP    idle_wfi
    addi    s0, s0, 1
    SLEEP
    j       idle_wfi

    LOOP    idle_spin
    addi    s0, s0, 1
1:  nop
    nop
    nop
    nop
    nop
    nop
    nop
    j       1b

/* There is no clock to divide. */
    LOOP    idle_divided
    j       idle_wfi

/* The core raises its own interrupt: marker (s2 = its MARKER_CHANGE), then s3 to IRQ_RAISE; then it
 * waits in the loop at s4. */
    LOOP    idle_raise
    la      t0, marker_next
    lw      t0, 0(t0)
    xor     t0, t0, s2
    andi    t0, t0, 7
    slli    t0, t0, 2
    MASK
    sw      zero, -0x800(t0)
    li      t1, IRQ_RAISE
    UNMASK
    sw      s3, 0(t1)
    jr      s4

/* Writes constants (s5) to random places of the array of s4 words at s3; s2 = state of an
 * xorshift generator of 32 bits (Marsaglia 2003: 13, 17, 5). */
    LOOP    idle_write
    slli    t0, s2, 13
    xor     s2, s2, t0
    srli    t0, s2, 17
    xor     s2, s2, t0
    slli    t0, s2, 5
    xor     s2, s2, t0
#ifdef __riscv_mul
    mulhu   t0, s2, s4
#else
    mv      t1, s2
    li      t2, 32
    li      t0, 0
1:  andi    t3, t1, 1
    beqz    t3, 2f
    add     t0, t0, s4
2:  srli    t1, t1, 1
    srli    t0, t0, 1
    addi    t2, t2, -1
    bnez    t2, 1b
#endif
    slli    t0, t0, 2
    add     t0, t0, s3
    sw      s5, 0(t0)
    addi    s0, s0, 1
    j       idle_write
    .globl  idle_last
idle_last:

/* An exception returns here, with interrupts masked, when the batch has ended. */
    .globl  idle_finish
idle_finish:
    mv      sp, s7
    sw      s2, 0(s6)
    mv      a0, s0
    li      a1, 0
    lw      ra, 0(sp)
    lw      s0, 4(sp)
    lw      s1, 8(sp)
    lw      s2, 12(sp)
    lw      s3, 16(sp)
    lw      s4, 20(sp)
    lw      s5, 24(sp)
    lw      s6, 28(sp)
    lw      s7, 32(sp)
    addi    sp, sp, 48
    ret
    .size   baremetal_loop, . - baremetal_loop
