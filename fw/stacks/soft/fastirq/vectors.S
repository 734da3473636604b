/* The core saves registers itself, in the frame that a path of software makes, and lowers the
 * stack pointer: nothing is before the marker. Software loads them. */
#include "stacks/baremetal/rv32/path.inc"

    .macro  SAVE_FIRST
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
