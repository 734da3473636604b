/* Software makes the frame. */
#include "stacks/soft/freertos-pended/port.inc"

    .macro  SAVE
    addi    sp, sp, -FRAME
    EACH_OF_EABI sw
    EACH_BEYOND_EABI sw
    csrr    t0, mepc
    sw      t0, MEPC(sp)
    .endm

    PORT
