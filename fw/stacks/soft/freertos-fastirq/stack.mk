# The same port on a core that makes the frame itself.
MACHINES := soft clic
NEEDS := a core that saves registers itself
WHY_NO_OTHER := its port is written for a RISC-V core with mret
PORT := $(HERE)/port.S $(HERE)/stack.c
include stacks/soft/freertos/stack.mk
