/* From reset to main. Each entry of a vectored mtvec leads to the port's handler, which reads
 * mcause; so cores without direct mode take it, too. */
.section .start, "ax"
.global _start
.type _start, @function
_start:
    la sp, call_stack_top
    la t0, vectors + 1
    csrw mtvec, t0
    j main

.balign 256
.global vectors
.type vectors, @function
vectors:
    .option push
    .option norvc
    .rept 32
    j freertos_risc_v_trap_handler
    .endr
    .option pop
