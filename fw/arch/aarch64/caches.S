/* Cache maintenance by set and way. Nothing here touches memory: between turning a cache off and
 * cleaning it, a load could miss what only the cache knows, and a store be overwritten by it. */

/* Applies `dc \operation` to every line of the data and unified caches from level x2 / 2 + 1 (as
 * CSSELR_EL1 counts) to level x1. Clobbers x2-x11. Operand: way, set and level as CCSIDR_EL1
 * describes them. */
    .macro EACH_LINE_FROM_TO operation
1:  msr     csselr_el1, x2
    isb
    mrs     x3, ccsidr_el1
    and     x4, x3, #7
    add     x4, x4, #4                  // log2 of the line's bytes
    ubfx    x5, x3, #3, #10             // ways - 1
    ubfx    x6, x3, #13, #15            // sets - 1
    clz     w7, w5                      // the way is in the top bits
2:  mov     x8, x6
3:  lsl     x9, x5, x7
    lsl     x10, x8, x4
    orr     x11, x9, x10
    orr     x11, x11, x2
    dc      \operation, x11
    subs    x8, x8, #1
    b.ge    3b
    subs    x5, x5, #1
    b.ge    2b
    add     x2, x2, #2
    cmp     x2, x1, lsl #1
    b.lt    1b
    dsb     sy
    .endm

/* Applies it to all levels up to the level of coherency. Clobbers x1-x11. */
    .macro EACH_LINE operation
    mrs     x1, clidr_el1
    ubfx    x1, x1, #24, #3
    mov     x2, #0
    cbz     x1, 9f
    EACH_LINE_FROM_TO \operation
9:
    .endm

    .macro FUNCTION name
    .section .text.\name, "ax"
    .balign 4
    .globl  \name
    .type   \name, %function
\name:
    .endm

    FUNCTION caches_flush
    EACH_LINE cisw
    ic      iallu
    dsb     sy
    isb
    ret
    .size   caches_flush, . - caches_flush

    FUNCTION caches_flush_level1
    mov     x1, #1
    mov     x2, #0
    EACH_LINE_FROM_TO cisw
    ret
    .size   caches_flush_level1, . - caches_flush_level1

    FUNCTION caches_flush_level2
    mov     x1, #2
    mov     x2, #2
    EACH_LINE_FROM_TO cisw
    ret
    .size   caches_flush_level2, . - caches_flush_level2

    FUNCTION caches_flush_both
    mov     x1, #2
    mov     x2, #0
    EACH_LINE_FROM_TO cisw
    ret
    .size   caches_flush_both, . - caches_flush_both

    FUNCTION caches_on
    ic      iallu
    dsb     sy
    mrs     x0, sctlr_el3
    orr     x0, x0, #(1 << 2)           // C
    orr     x0, x0, #(1 << 12)          // I
    msr     sctlr_el3, x0
    isb
    ret
    .size   caches_on, . - caches_on

    FUNCTION caches_off
    mrs     x0, sctlr_el3
    bic     x0, x0, #(1 << 2)
    bic     x0, x0, #(1 << 12)
    msr     sctlr_el3, x0
    isb
    EACH_LINE cisw
    ic      iallu
    dsb     sy
    isb
    ret
    .size   caches_off, . - caches_off

/* After a reset the caches may hold anything, so their lines are dropped and not written back. */
    FUNCTION caches_invalidate_after_reset
    EACH_LINE isw
    ic      iallu
    dsb     sy
    isb
    ret
    .size   caches_invalidate_after_reset, . - caches_invalidate_after_reset
