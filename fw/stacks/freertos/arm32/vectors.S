/* Vector tables in front of the port's handlers. A task yields by SVC; any other exception in it is
 * a fault, FIQ too, which the port leaves unmasked. */
    .syntax unified
#include "arch/arm32/vectors.inc"
#include "bound/addresses.h"

    .macro PAPER
    b       FreeRTOS_IRQ_Handler
    b       7f                          // 0x1C: FIQ
    .endm

    .macro STAGES
    b       freertos_stages
    b       7f
    .endm

    VECTOR_TABLE freertos_vectors_paper, PAPER, FreeRTOS_SWI_Handler
    VECTOR_TABLE freertos_vectors_stages, STAGES, FreeRTOS_SWI_Handler

    /* One store as early as can be. The word is not written back here: the handler's marker is the
     * second of a pair, after which the toggle is where it was. */
    .type   freertos_stages, %function
freertos_stages:
    push    {r0, r1}
    mrc     p15, 0, r0, c13, c0, 2
    ADDRESS r1, GPIO_BASE
    str     r0, [r1, #GPIO_MASK_DATA_2_LSW]
    pop     {r0, r1}
    b       FreeRTOS_IRQ_Handler
    .size   freertos_stages, . - freertos_stages

/* FPEXC.EN, after CPACR (Arm DDI 0406). */
    .section .text.freertos_fp_on, "ax"
    .fpu    vfpv3
    .balign 4
    .globl  freertos_fp_on
    .type   freertos_fp_on, %function
freertos_fp_on:
    mov     r0, #1 << 30
    vmsr    fpexc, r0
    bx      lr
    .size   freertos_fp_on, . - freertos_fp_on
