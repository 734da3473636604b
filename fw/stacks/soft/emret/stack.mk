# Bare metal of a core that saves registers itself, and takes them back by swapping banks.
MACHINES := soft clic
NEEDS := a core that saves registers itself
WHY_NO_OTHER := a core that saves registers itself is a RISC-V core with mret
VECTORS := $(HERE)/vectors.S
STACK_SOURCES := $(HERE)/stack.c
