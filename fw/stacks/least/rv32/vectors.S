/* The least that a handler can do with: one register is saved before the marker, as if all else of it
 * were written inline and needed no more. */
#include "stacks/baremetal/rv32/path.inc"

    .macro  SAVE_FIRST
    addi    sp, sp, -FRAME
    sw      t0, 4(sp)
    .endm

    .macro  SAVE_LATER
    EACH_OF_EABI sw
    EACH_BEYOND_EABI sw
    SAVE_TRAP
    .endm

    .macro  RESTORE_LATER
    RESTORE_TRAP
    EACH_OF_EABI lw
    EACH_BEYOND_EABI lw
    .endm

    .macro  RESTORE_FIRST
    lw      t0, 4(sp)
    addi    sp, sp, FRAME
    .endm

    PATHS
