/* Start-up out of reset: machine mode, interrupts masked, all registers undefined. */
#include "bound/addresses.h"
#include "bound/trap.inc"

    .section .text.entry, "ax"
    .balign 256
    .globl  _start
    .type   _start, %function
_start:
    RESET_TRAPS
    la      sp, stack_end
    la      t0, bss_start
    la      t1, bss_end
1:  bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       1b
2:  call    main
    .size   _start, . - _start

/* a0 = upper end of the call stack. */
    .section .text.stack_top, "ax"
    .globl  stack_top
    .type   stack_top, %function
stack_top:
    la      a0, stack_end
    ret
    .size   stack_top, . - stack_top

    .section .stacks, "aw", %nobits
    .balign 64
    .skip   STACK_SIZE
    .globl  stack_end
stack_end:
