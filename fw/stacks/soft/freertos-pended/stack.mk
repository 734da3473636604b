# FreeRTOS with a port of our own, whose switch is an interrupt. The core's frame is made by software.
MACHINES := soft clic
WHY_NO_OTHER := its port is written for a RISC-V core with mret
PORT := $(HERE)/port.S $(HERE)/stack.c
include stacks/soft/freertos/stack.mk
