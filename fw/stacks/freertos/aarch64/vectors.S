/* Vector tables in front of the port's handlers. Tasks run at EL3 on SP_EL0, handlers on SP_EL3: an
 * interrupt is taken at offset 0x080 from a task and at 0x280 from a handler (Arm DDI 0487).
 * A task yields by SMC, which is taken at 0x000; any other exception there is a fault. */
#include "arch/aarch64/vectors.inc"
#include "bound/addresses.h"

#define EC_SMC 0x17 /* ESR_EL3.EC of SMC from AArch64 */

    .macro YIELD_OR_FAULT
    stp     x0, x1, [sp, #-16]!
    mrs     x0, esr_el3
    lsr     x0, x0, #26
    cmp     x0, #EC_SMC
    ldp     x0, x1, [sp], #16
    b.eq    FreeRTOS_SWI_Handler
    mov     x0, #0
    b       fault_entry
    .endm

    .macro PAPER
    b       FreeRTOS_IRQ_Handler
    .endm

    /* One store as early as can be. The word is not written back here: the handler's marker is the
     * second of a pair, after which the toggle is where it was. */
    .macro STAGES
    stp     x0, x1, [sp, #-16]!
    mrs     x0, tpidr_el3
    mov     x1, #GPIO_BASE
    str     w0, [x1, #GPIO_MASK_DATA_3_LSW]
    ldp     x0, x1, [sp], #16
    b       FreeRTOS_IRQ_Handler
    .endm

    .macro TABLE name, irq
    .section .text.vectors, "ax"
    .balign 0x800
    .globl  \name
    .type   \name, %function
\name:
    YIELD_OR_FAULT
    .balign 0x80
    \irq
    .irp    offset, 0x100, 0x180, 0x200
    VECTOR_UNEXPECTED \offset
    .endr
    .balign 0x80
    \irq
    .irp    offset, 0x300, 0x380, 0x400, 0x480, 0x500, 0x580, 0x600, 0x680, 0x700, 0x780
    VECTOR_UNEXPECTED \offset
    .endr
    .size   \name, . - \name
    .endm

    TABLE   freertos_vectors_stages, STAGES
    TABLE   freertos_vectors_paper, PAPER

    /* The one that the port sets when the scheduler starts. */
    .globl  _freertos_vector_table
    .set    _freertos_vector_table, freertos_vectors_paper
