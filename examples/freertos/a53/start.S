/* From reset to main at EL3, and the vectors that the port sets. Tasks are on SP_EL0,
 * handlers on SP_EL3. */
.section .start, "ax"
.global _start
.type _start, %function
_start:
    mov x0, #1 << 1 | 1 << 10 /* IRQs come to EL3; AArch64 below */
    msr scr_el3, x0
    msr cptr_el3, xzr /* FP registers are there */
    isb
    ldr x0, =call_stack_top
    mov sp, x0
    b main

.balign 2048
.global _freertos_vector_table
.type _freertos_vector_table, %function
_freertos_vector_table:
    b FreeRTOS_SWI_Handler
    .balign 0x80
    b FreeRTOS_IRQ_Handler
    .balign 0x200
    b .
    .balign 0x80
    b FreeRTOS_IRQ_Handler
    .balign 0x800
