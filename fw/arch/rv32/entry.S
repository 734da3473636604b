/* Start-up out of reset: machine mode, interrupts masked, all registers undefined. */
#include "bound/addresses.h"
#include "bound/trap.inc"

    .section .text.entry, "ax"
    .balign 256
    .globl  _start
    .type   _start, %function
_start:
    RESET_TRAPS
    la      sp, call_stack_end
    la      t0, bss_start
    la      t1, bss_end
1:  bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       1b
2:  call    main
    .size   _start, . - _start

/* a0 = upper end of the call stack. */
    .section .text.call_stack_top, "ax"
    .globl  call_stack_top
    .type   call_stack_top, %function
call_stack_top:
    la      a0, call_stack_end
    ret
    .size   call_stack_top, . - call_stack_top

    .section .call_stacks, "aw", %nobits
    .balign 64
    .skip   CALL_STACK_SIZE
    .globl  call_stack_end
call_stack_end:
