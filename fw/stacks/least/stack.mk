# Bare metal of a soft core with another path to the handler.
MACHINES := soft clic picorv32 ecp5
WHY_NO_OTHER := its path is written for a RISC-V core
VECTORS := $(HERE)/rv32/vectors.S
STACK_SOURCES := $(HERE)/stack.c
