# FreeRTOS with a port of our own, whose switch is an interrupt. The core's frame is made by software.
PORT := stacks/soft/freertos-pended/port.S stacks/soft/freertos-pended/stack.c
include stacks/soft/freertos/stack.mk
