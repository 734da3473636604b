/* Cache maintenance: L1 of this core by set and way, L2 (L2C-310, Arm DDI 0246) by its registers. L1
 * comes first: what it gives up goes to L2. Nothing here touches memory: between turning a cache off
 * and cleaning it, a load could miss what only the cache knows, and a store be overwritten by it.
 * All of it uses r0-r3 and r12 alone, unless it says otherwise. */
#include "bound/addresses.h"

    .syntax unified
    .arm

#define SCTLR_C_I 0x1004

/* Offsets of the L2C-310. Operations by way run in the background: a way's bit reads 1 until it is
 * through. */
#define L2_CONTROL 0x100
#define L2_AUX 0x104
#define L2_TAG_LATENCY 0x108
#define L2_DATA_LATENCY 0x10C
#define L2_CLEAR_INTERRUPTS 0x220
#define L2_SYNC 0x730
#define L2_FLUSH_PA 0x7F0
#define L2_INVALIDATE_WAYS 0x77C
#define L2_FLUSH_WAYS 0x7FC
#define L2_WAYS 0xFF

/* L2 is set as AMD's own start-up does (embeddedsw, xl2cc.h): 8 ways of 64 KB, event bus,
 * parity, round robin, prefetch of data and instructions, early write response; latencies of the
 * RAMs; and a register of the system (UG585, SLCR, L2C_RAM). */
#define L2_AUX_VALUE 0x72360000
#define L2_TAG_LATENCY_VALUE 0x111
#define L2_DATA_LATENCY_VALUE 0x121
#define L2C_RAM_VALUE 0x00020202

    .macro FUNCTION name
    .section .text.\name, "ax"
    .balign 4
    .globl  \name
    .type   \name, %function
\name:
    .endm

/* Applies an operation (c7, \crm, 2) to every line of L1's data cache. CCSIDR tells how many. */
    .macro L1_EACH_LINE crm
    mov     r0, #0
    mcr     p15, 2, r0, c0, c0, 0       // CSSELR: data, level 1
    isb
    mrc     p15, 1, r12, c0, c0, 0      // CCSIDR
    ubfx    r12, r12, #13, #15          // sets - 1; there are four ways of 32-byte lines
1:  lsl     r0, r12, #5
    mcr     p15, 0, r0, c7, \crm, 2
    orr     r1, r0, #1 << 30
    mcr     p15, 0, r1, c7, \crm, 2
    orr     r1, r0, #2 << 30
    mcr     p15, 0, r1, c7, \crm, 2
    orr     r1, r0, #3 << 30
    mcr     p15, 0, r1, c7, \crm, 2
    subs    r12, r12, #1
    bge     1b
    dsb
    .endm

/* r3 = the L2C-310. */
    .macro L2_ADDRESS
    ldr     r3, =L2C_BASE
    .endm

    .macro L2_EACH_WAY operation
    mov     r0, #L2_WAYS
    str     r0, [r3, #\operation]
1:  ldr     r0, [r3, #\operation]
    tst     r0, #L2_WAYS
    bne     1b
    mov     r0, #0
    str     r0, [r3, #L2_SYNC]
    dsb
    .endm

    .macro L2_FLUSH
    L2_ADDRESS
    L2_EACH_WAY L2_FLUSH_WAYS
    .endm

    .macro INSTRUCTIONS_FORGET
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 0       // ICIALLU, of the predictors as well
    dsb
    isb
    .endm

    FUNCTION caches_flush
    L1_EACH_LINE c14
    L2_FLUSH
    INSTRUCTIONS_FORGET
    bx      lr
    .ltorg
    .size   caches_flush, . - caches_flush

    FUNCTION caches_flush_level1
    L1_EACH_LINE c14
    bx      lr
    .size   caches_flush_level1, . - caches_flush_level1

    FUNCTION caches_flush_level2
    L2_FLUSH
    bx      lr
    .ltorg
    .size   caches_flush_level2, . - caches_flush_level2

    FUNCTION caches_flush_both
    L1_EACH_LINE c14
    L2_FLUSH
    bx      lr
    .ltorg
    .size   caches_flush_both, . - caches_flush_both

/* r2 = whether this is core 0, which alone turns L2 on and off: the other sleeps meanwhile. */
    .macro IS_CORE_0
    mrc     p15, 0, r2, c0, c0, 5
    ands    r2, r2, #3
    .endm

    FUNCTION caches_on
    INSTRUCTIONS_FORGET
    IS_CORE_0
    bne     2f
    L2_ADDRESS
    mov     r0, #1
    str     r0, [r3, #L2_CONTROL]
    dsb
2:  mrc     p15, 0, r0, c1, c0, 0
    ldr     r1, =SCTLR_C_I
    orr     r0, r0, r1
    mcr     p15, 0, r0, c1, c0, 0
    isb
    bx      lr
    .ltorg
    .size   caches_on, . - caches_on

    FUNCTION caches_off
    mrc     p15, 0, r0, c1, c0, 0
    ldr     r1, =SCTLR_C_I
    bic     r0, r0, r1
    mcr     p15, 0, r0, c1, c0, 0
    isb
    L1_EACH_LINE c14
    L2_FLUSH
    IS_CORE_0
    moveq   r0, #0
    streq   r0, [r3, #L2_CONTROL]
    dsb
    INSTRUCTIONS_FORGET
    bx      lr
    .ltorg
    .size   caches_off, . - caches_off

/* After a reset L1 may hold anything, so its lines are dropped and not written back. */
    FUNCTION caches_invalidate_after_reset
    L1_EACH_LINE c6
    INSTRUCTIONS_FORGET
    bx      lr
    .size   caches_invalidate_after_reset, . - caches_invalidate_after_reset

/* Prepares L2, which is off, and gives it its settings. Core 0 calls it, once. A loader may have
 * left L2 on with lines that memory does not have yet: these are written back first. */
    FUNCTION l2_set_up
    L2_ADDRESS
    ldr     r0, [r3, #L2_CONTROL]
    tst     r0, #1
    beq     2f
    L2_EACH_WAY L2_FLUSH_WAYS
2:  mov     r0, #0
    str     r0, [r3, #L2_CONTROL]
    ldr     r0, =L2_AUX_VALUE
    str     r0, [r3, #L2_AUX]
    ldr     r0, =L2_TAG_LATENCY_VALUE
    str     r0, [r3, #L2_TAG_LATENCY]
    ldr     r0, =L2_DATA_LATENCY_VALUE
    str     r0, [r3, #L2_DATA_LATENCY]
    L2_EACH_WAY L2_INVALIDATE_WAYS
    ldr     r0, =0x1FF
    str     r0, [r3, #L2_CLEAR_INTERRUPTS]
    ldr     r1, =SLCR_BASE
    ldr     r0, =SLCR_KEY
    str     r0, [r1, #SLCR_UNLOCK]
    ldr     r2, =L2C_RAM_VALUE
    ldr     r0, =SLCR_L2C_RAM
    str     r2, [r1, r0]
    dsb
    bx      lr
    .ltorg
    .size   l2_set_up, . - l2_set_up

/* r0 = address: virtual is physical. */
    FUNCTION line_flush
    mcr     p15, 0, r0, c7, c14, 1      // DCCIMVAC
    dsb
    L2_ADDRESS
    bic     r0, r0, #31
    str     r0, [r3, #L2_FLUSH_PA]
    mov     r0, #0
    str     r0, [r3, #L2_SYNC]
    dsb
    bx      lr
    .ltorg
    .size   line_flush, . - line_flush

/* r0 = TTBR0's next value. The MMU is off in between, so that no translation is ever there in
 * two sizes or of two types. What a cache holds leaves it before memory is read that no longer
 * looks there. */
    FUNCTION mmu_switch
    push    {r4, lr}
    mov     r4, r0
    mrc     p15, 0, r2, c1, c0, 0
    bic     r0, r2, #1
    dsb
    mcr     p15, 0, r0, c1, c0, 0
    isb
    mcr     p15, 0, r4, c2, c0, 0       // TTBR0
    isb
    mov     r0, #0
    mcr     p15, 0, r0, c8, c7, 0       // TLBIALL
    dsb
    isb
    mov     r4, r2
    bl      caches_flush
    mcr     p15, 0, r4, c1, c0, 0
    isb
    pop     {r4, pc}
    .size   mmu_switch, . - mmu_switch
