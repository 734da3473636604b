/* The embedded ABI: its seven registers, mcause and mepc are saved before the marker. The C behind it
 * has the integer ABI: what that may change besides is saved there. */
#include "stacks/baremetal/rv32/path.inc"

    .macro  SAVE_FIRST
    addi    sp, sp, -FRAME
    EACH_OF_EABI sw
    SAVE_TRAP
    .endm

    .macro  SAVE_LATER
    EACH_BEYOND_EABI sw
    .endm

    .macro  RESTORE_LATER
    EACH_BEYOND_EABI lw
    .endm

    .macro  RESTORE_FIRST
    RESTORE_TRAP
    EACH_OF_EABI lw
    addi    sp, sp, FRAME
    .endm

    PATHS
