/* The core makes the frame (hw/irqscope_hw/fastirq) while the switch goes on. */
#include "stacks/soft/freertos-pended/port.inc"

    .macro  SAVE
    .endm

    PORT
