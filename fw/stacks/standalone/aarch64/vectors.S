/* The vector in the shape of Xilinx's standalone BSP for the Cortex-A53 at EL3 (embeddedsw,
 * lib/bsp/standalone/src/arm/ARMv8/64bit/gcc/asm_vectors.S). As it does:
 *
 * - The entry of the table is a branch. x0-x19, x29 and x30 are pushed pair by pair.
 * - From 6.2 on CPTR_EL3, ELR_EL3 and SPSR_EL3 are pushed too, and any use of FP registers is trapped
 *   while the interrupt is handled: the trap saves all of them, once, and the way out restores them.
 *   From 6.6 on an ISB is after each write of CPTR_EL3 that the next instructions rely on.
 * - Then a C function is called, and everything comes back in the opposite order.
 *
 * Ours are the marker `vector`, and what is done with an exception that nobody expects. */
#include "arch/aarch64/vectors.inc"
#include "bound/addresses.h"
#include "stacks/standalone/standalone.h"

    .arch_extension simd // saves what all else is built without

#define CPTR_TFP (1 << 10)
#define EC_FP_ACCESS 0x07 /* ESR_EL3.EC of a trapped FP instruction */

    .macro PUSH_THE_REST
    stp     x2, x3, [sp, #-16]!
    stp     x4, x5, [sp, #-16]!
    stp     x6, x7, [sp, #-16]!
    stp     x8, x9, [sp, #-16]!
    stp     x10, x11, [sp, #-16]!
    stp     x12, x13, [sp, #-16]!
    stp     x14, x15, [sp, #-16]!
    stp     x16, x17, [sp, #-16]!
    stp     x18, x19, [sp, #-16]!
    stp     x29, x30, [sp, #-16]!
    .endm

    .macro POP_ALL
    ldp     x29, x30, [sp], #16
    ldp     x18, x19, [sp], #16
    ldp     x16, x17, [sp], #16
    ldp     x14, x15, [sp], #16
    ldp     x12, x13, [sp], #16
    ldp     x10, x11, [sp], #16
    ldp     x8, x9, [sp], #16
    ldp     x6, x7, [sp], #16
    ldp     x4, x5, [sp], #16
    ldp     x2, x3, [sp], #16
    ldp     x0, x1, [sp], #16
    .endm

    .macro CONTEXT_BARRIER
#if STANDALONE_ISB
    isb
#endif
    .endm

    .macro SAVE_FP
    ldr     x1, =standalone_fp_next
    ldr     x0, [x1]
    .irp    pair, "q0, q1", "q2, q3", "q4, q5", "q6, q7", "q8, q9", "q10, q11", "q12, q13", \
            "q14, q15", "q16, q17", "q18, q19", "q20, q21", "q22, q23", "q24, q25", "q26, q27", \
            "q28, q29", "q30, q31"
    stp     \pair, [x0], #32
    .endr
    mrs     x2, fpcr
    mrs     x3, fpsr
    stp     x2, x3, [x0], #16
    str     x0, [x1]
    .endm

    .macro RESTORE_FP
    ldr     x1, =standalone_fp_next
    ldr     x0, [x1]
    ldp     x2, x3, [x0, #-16]!
    msr     fpcr, x2
    msr     fpsr, x3
    .irp    pair, "q30, q31", "q28, q29", "q26, q27", "q24, q25", "q22, q23", "q20, q21", \
            "q18, q19", "q16, q17", "q14, q15", "q12, q13", "q10, q11", "q8, q9", "q6, q7", \
            "q4, q5", "q2, q3", "q0, q1"
    ldp     \pair, [x0, #-32]!
    .endr
    str     x0, [x1]
    .endm

    /* One store as early as can be. The word is not written back here: the handler's marker is the
     * second of a pair, after which the toggle is where it was. */
    .macro MARK_VECTOR
    mrs     x0, tpidr_el3
    mov     x1, #GPIO_BASE
    str     w0, [x1, #GPIO_MASK_DATA_3_LSW]
    .endm

    .macro MARK_NOTHING
    .endm

    .macro HANDLE_IRQ name, mark
    .section .text.\name, "ax"
    .balign 4
    .type   \name, %function
\name:
    stp     x0, x1, [sp, #-16]!
    \mark
    PUSH_THE_REST
#if STANDALONE_TRAPS_FP
    mrs     x0, cptr_el3
    mrs     x1, elr_el3
    mrs     x2, spsr_el3
    stp     x0, x1, [sp, #-16]!
    str     x2, [sp, #-16]!
    mrs     x1, cptr_el3
    orr     x1, x1, #CPTR_TFP
    msr     cptr_el3, x1
    CONTEXT_BARRIER
#endif
    bl      standalone_interrupt
#if STANDALONE_TRAPS_FP
    mrs     x0, cptr_el3
    ands    x0, x0, #CPTR_TFP
    b.ne    1f
    RESTORE_FP
1:  ldr     x2, [sp], #16
    ldp     x0, x1, [sp], #16
    msr     cptr_el3, x0
    msr     elr_el3, x1
    msr     spsr_el3, x2
#endif
    POP_ALL
    eret
    .size   \name, . - \name
    .endm

    HANDLE_IRQ standalone_irq_paper, MARK_NOTHING
    HANDLE_IRQ standalone_irq_stages, MARK_VECTOR

#if STANDALONE_TRAPS_FP
    .section .text.standalone_sync, "ax"
    .balign 4
    .type   standalone_sync, %function
standalone_sync:
    stp     x0, x1, [sp, #-16]!
    PUSH_THE_REST
    mrs     x0, esr_el3
    and     x0, x0, #(0x3F << 26)
    mov     x1, #(EC_FP_ACCESS << 26)
    cmp     x0, x1
    b.ne    2f
    mrs     x1, cptr_el3
    bic     x1, x1, #CPTR_TFP
    msr     cptr_el3, x1
    CONTEXT_BARRIER
    ldr     x0, =standalone_fp_used
    ldrb    w1, [x0]
    cbnz    w1, 1f
    mov     w1, #1
    strb    w1, [x0]
    ldr     x0, =standalone_fp_context
    ldr     x1, =standalone_fp_next
    str     x0, [x1]
    POP_ALL
    eret
1:  SAVE_FP
    POP_ALL
    eret
2:  POP_ALL
    mov     x0, #0x200
    b       fault_entry
    .size   standalone_sync, . - standalone_sync
#endif

    .macro TABLE name, irq
    .section .text.vectors, "ax"
    .balign 0x800
    .globl  \name
    .type   \name, %function
\name:
    .irp    offset, 0x000, 0x080, 0x100, 0x180
    VECTOR_UNEXPECTED \offset
    .endr
#if STANDALONE_TRAPS_FP
    .balign 0x80
    b       standalone_sync
#else
    VECTOR_UNEXPECTED 0x200
#endif
    .balign 0x80
    b       \irq
    .irp    offset, 0x300, 0x380, 0x400, 0x480, 0x500, 0x580, 0x600, 0x680, 0x700, 0x780
    VECTOR_UNEXPECTED \offset
    .endr
    .size   \name, . - \name
    .endm

    TABLE   standalone_vectors_paper, standalone_irq_paper
    TABLE   standalone_vectors_stages, standalone_irq_stages
