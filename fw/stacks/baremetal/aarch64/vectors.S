/* The path from interrupt to C handler, once for each marker set and dispatcher, so that nothing is
 * decided on the way. Interrupts stay masked: no nesting, so ELR and SPSR need not be saved.
 *
 * TPIDR_EL3 holds the next marker word (machine/marker.h), TPIDR_EL1 the measured interrupt's ID,
 * TPIDR_EL0 points to this core's struct baremetal_core, which begins with the handlers.
 * A handler gets IAR's value in w0 and ends the interrupt itself.
 *
 * All registers that a C function may change are saved (AAPCS64: x0-x18, x30; no FP registers: the
 * firmware is built without). IAR is read while the saving goes on. */
#include "arch/aarch64/vectors.inc"
#include "bound/addresses.h"

    /* One store as early as can be: the fourth instruction. The word is not written back here: the
     * handler's marker is the second of a pair, after which the toggle is where it was. */
    .macro MARK_VECTOR
    mrs     x0, tpidr_el3
    mov     x1, #GPIO_BASE
    str     w0, [x1, #GPIO_MASK_DATA_3_LSW]
    .endm

    .macro ACKNOWLEDGE_AND_SAVE
    mov     x1, #GICC_BASE
    ldr     w0, [x1, #GICC_IAR]
    SAVE_THE_REST
    .endm

    .macro DISPATCH_DIRECT handler, other
    mrs     x2, tpidr_el1
    cmp     w0, w2
    b.ne    \other
    bl      \handler
    b       vector_return
    .endm

    .macro DISPATCH_TABLE
    and     w2, w0, #0x3FF
    mrs     x3, tpidr_el0
    ldr     x2, [x3, x2, lsl #3]
    blr     x2
    b       vector_return
    .endm

    .macro PAPER_DIRECT
    SAVE_X0_X1
    ACKNOWLEDGE_AND_SAVE
    DISPATCH_DIRECT baremetal_handler_paper, other_in_paper
    .endm

    .macro PAPER_TABLE
    SAVE_X0_X1
    ACKNOWLEDGE_AND_SAVE
    DISPATCH_TABLE
    .endm

    .macro PAPER_STM_DIRECT
    SAVE_X0_X1
    ACKNOWLEDGE_AND_SAVE
    DISPATCH_DIRECT baremetal_handler_paper_stm, other_in_paper
    .endm

    .macro STM_PAPER_DIRECT
    SAVE_X0_X1
    ACKNOWLEDGE_AND_SAVE
    DISPATCH_DIRECT baremetal_handler_stm_paper, other_in_paper
    .endm

    .macro STAGES_DIRECT
    SAVE_X0_X1
    MARK_VECTOR
    ACKNOWLEDGE_AND_SAVE
    DISPATCH_DIRECT baremetal_handler_stages, other_in_stages
    .endm

    .macro STAGES_TABLE
    SAVE_X0_X1
    MARK_VECTOR
    ACKNOWLEDGE_AND_SAVE
    DISPATCH_TABLE
    .endm

    VECTOR_TABLE vectors_paper_direct, PAPER_DIRECT
    VECTOR_TABLE vectors_paper_table, PAPER_TABLE
    VECTOR_TABLE vectors_stages_direct, STAGES_DIRECT
    VECTOR_TABLE vectors_stages_table, STAGES_TABLE
    VECTOR_TABLE vectors_paper_stm_direct, PAPER_STM_DIRECT
    VECTOR_TABLE vectors_paper_stm_table, PAPER_TABLE
    VECTOR_TABLE vectors_stm_paper_direct, STM_PAPER_DIRECT
    VECTOR_TABLE vectors_stm_paper_table, PAPER_TABLE

    .section .text.vector_return, "ax"
    .type   other_in_stages, %function
other_in_stages:
    bl      baremetal_unmeasured_stages
    b       vector_return
other_in_paper:
    bl      baremetal_unmeasured_paper
vector_return:
    RESTORE_AND_RETURN
    .size   other_in_stages, . - other_in_stages
