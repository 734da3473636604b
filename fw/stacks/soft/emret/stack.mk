# Bare metal of a core that saves registers itself, and takes them back by swapping banks.
MACHINES := soft clic
NEEDS := a core that saves registers itself
WHY_NO_OTHER := a core that saves registers itself is a RISC-V core with mret
VECTORS := stacks/soft/emret/vectors.S
STACK_SOURCES := stacks/soft/emret/stack.c
