/* Vector tables in front of the handlers of the kernel's port. An exception that is no yield is a
 * fault. */
#include "arch/rv32/vectors.inc"

    VECTOR_TABLE freertos_vectors_paper, freertos_risc_v_interrupt_handler, freertos_risc_v_interrupt_handler, freertos_risc_v_exception_handler
    VECTOR_TABLE freertos_vectors_stages, freertos_stages, freertos_risc_v_interrupt_handler, freertos_risc_v_exception_handler

    .section .text.freertos_vectors, "ax"
    .type   freertos_stages, %function
freertos_stages:
    sw      zero, MARKER_VECTOR_OFFSET(zero)
    j       freertos_risc_v_interrupt_handler

    .globl  freertos_risc_v_application_exception_handler
freertos_risc_v_application_exception_handler:
    j       fault_entry

    .globl  port_yield, switch_first, switch_last
    .type   port_yield, %function
port_yield:
switch_first:
    ecall
switch_last:
    ret
    .size   freertos_stages, . - freertos_stages
