/* The integer ABI: all that a C function may change, mcause and mepc are saved before the marker. */
#include "stacks/baremetal/rv32/path.inc"

    .macro  SAVE_FIRST
    addi    sp, sp, -FRAME
    EACH_OF_EABI sw
    EACH_BEYOND_EABI sw
    SAVE_TRAP
    .endm

    .macro  SAVE_LATER
    .endm

    .macro  RESTORE_LATER
    .endm

    .macro  RESTORE_FIRST
    RESTORE_TRAP
    EACH_OF_EABI lw
    EACH_BEYOND_EABI lw
    addi    sp, sp, FRAME
    .endm

    PATHS
