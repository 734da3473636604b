# The same port on a core that makes the frame itself.
PORT := stacks/soft/freertos-fastirq/port.S stacks/soft/freertos-fastirq/stack.c
include stacks/soft/freertos/stack.mk
