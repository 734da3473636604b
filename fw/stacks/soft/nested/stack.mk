# Bare metal whose handlers nest.
MACHINES := soft clic
WHY_NO_OTHER := its handlers nest by the CSRs of a RISC-V core
VECTORS := $(HERE)/vectors.S
STACK_SOURCES := $(HERE)/stack.c
