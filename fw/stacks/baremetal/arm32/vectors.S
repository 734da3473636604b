/* The path from interrupt to C handler, once for each marker set and dispatcher, so that nothing is
 * decided on the way. Interrupts stay masked: no nesting, so SPSR need not be saved.
 *
 * TPIDRURW holds the next marker word (machine/marker.h), TPIDRPRW the measured interrupt's ID,
 * TPIDRURO points to this core's struct baremetal_core, which begins with the handlers.
 * A handler gets IAR's value in r0 and ends the interrupt itself.
 *
 * All registers that a C function may change are saved (AAPCS: r0-r3, r12, lr; no FP registers: the
 * firmware is built without). A path runs on from its word of the table (arch/arm32/vectors.inc). */
    .syntax unified
#include "arch/arm32/vectors.inc"
#include "bound/addresses.h"

    /* One store as early as can be: the fifth instruction. The word is not written back here: the
     * handler's marker is the second of a pair, after which the toggle is where it was. */
    .macro MARK_VECTOR
    mrc     p15, 0, r0, c13, c0, 2
    ADDRESS r1, GPIO_BASE
    str     r0, [r1, #GPIO_MASK_DATA_2_LSW]
    .endm

    .macro ACKNOWLEDGE
    ADDRESS r1, GICC_BASE
    ldr     r0, [r1, #GICC_IAR]
    .endm

    .macro DISPATCH_DIRECT handler, other
    mrc     p15, 0, r2, c13, c0, 4
    cmp     r0, r2
    bne     \other
    bl      \handler
    RESTORE_AND_RETURN
    .endm

    .macro DISPATCH_TABLE
    mrc     p15, 0, r3, c13, c0, 3
    ubfx    r2, r0, #0, #10
    ldr     r2, [r3, r2, lsl #2]
    blx     r2
    RESTORE_AND_RETURN
    .endm

    .macro PAPER_DIRECT
    SAVE
    ACKNOWLEDGE
    DISPATCH_DIRECT baremetal_handler_paper, other_in_paper
    .endm

    .macro PAPER_TABLE
    SAVE
    ACKNOWLEDGE
    DISPATCH_TABLE
    .endm

    .macro STAGES_DIRECT
    SAVE
    MARK_VECTOR
    ACKNOWLEDGE
    DISPATCH_DIRECT baremetal_handler_stages, other_in_stages
    .endm

    .macro STAGES_TABLE
    SAVE
    MARK_VECTOR
    ACKNOWLEDGE
    DISPATCH_TABLE
    .endm

    VECTOR_TABLE vectors_paper_direct, PAPER_DIRECT
    VECTOR_TABLE vectors_paper_table, PAPER_TABLE
    VECTOR_TABLE vectors_stages_direct, STAGES_DIRECT
    VECTOR_TABLE vectors_stages_table, STAGES_TABLE

    .section .text.other_in_paper, "ax"
    .type   other_in_stages, %function
other_in_stages:
    bl      baremetal_unmeasured_stages
    RESTORE_AND_RETURN
    .size   other_in_stages, . - other_in_stages
    .type   other_in_paper, %function
other_in_paper:
    bl      baremetal_unmeasured_paper
    RESTORE_AND_RETURN
    .size   other_in_paper, . - other_in_paper
