# Bare metal whose handlers nest.
MACHINES := soft clic
WHY_NO_OTHER := its handlers nest by the CSRs of a RISC-V core
VECTORS := stacks/soft/nested/vectors.S
STACK_SOURCES := stacks/soft/nested/stack.c
