/* The core saves registers itself, and mret takes them back by swapping banks: handlers stay masked,
 * for there is one bank to take. The way back is mret alone. */
#define LAST
#include "stacks/baremetal/rv32/path.inc"

    .macro  SAVE_FIRST
    .endm

    .macro  SAVE_LATER
    .endm

    .macro  RESTORE_LATER
    .endm

    .macro  RESTORE_FIRST
    .endm

    PATHS
