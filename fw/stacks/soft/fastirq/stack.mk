# Bare metal of a core that saves registers itself.
MACHINES := soft clic
NEEDS := a core that saves registers itself
WHY_NO_OTHER := a core that saves registers itself is a RISC-V core with mret
VECTORS := stacks/soft/fastirq/vectors.S
STACK_SOURCES := stacks/soft/fastirq/stack.c
